import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Realm } from '#platform/config/config.ts'
import { type Bench, otherRealm, realms, startBench } from '#test/security/realm-bench.ts'
import { makeTokenKey, signToken, startKeyServer } from '#test/support/tokens.ts'

let bench: Bench

const accepted = (['ES256', 'RS256', 'EdDSA'] as const).map((alg) =>
  makeTokenKey({ kid: `of-${alg}`, alg }),
)
const refused = {
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  RS512: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

beforeAll(async () => {
  bench = await startBench([
    ...accepted.map(({ published }) => published),
    ...Object.entries(refused).map(([alg, { publicKey }]) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: `of-${alg}`,
    })),
  ])
})
afterAll(() => bench.stop())

const me = (realm: Realm, authorization?: string) =>
  bench.service.call('GET', `/v1/${realm}/me`, {
    headers: authorization === undefined ? {} : { authorization },
  })

async function expectRefused(realm: Realm, authorization?: string) {
  const { status, body, headers } = await me(realm, authorization)
  expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
  expect(headers['www-authenticate']).toBe('Bearer')
}

async function expectAccepted(realm: Realm, authorization: string) {
  expect((await me(realm, authorization)).status).toBe(200)
}

const now = () => bench.clock.now().getTime() / 1000
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const partsOf = (token: string) => token.split('.') as [string, string, string]

describe.each(realms)('signatures, %s realm', (realm) => {
  test('control: a token of a published key is accepted', () =>
    expectAccepted(realm, `Bearer ${bench.token(realm)}`))

  test.each(['none', 'None', 'NONE', 'nOnE', ''])('alg "%s" is refused', async (alg) => {
    const { kid } = bench.keys[realm]
    const unsigned = signToken({ header: { alg, kid }, claims: bench.claims(realm) })
    await expectRefused(realm, `Bearer ${unsigned}`)
    const [, , signature] = partsOf(bench.token(realm))
    await expectRefused(realm, `Bearer ${unsigned}${signature}`)
  })

  test('HS256 with the public key as secret is refused, in any encoding', async () => {
    for (const key of accepted) {
      const open = createPublicKey(key.privateKey)
      const secrets = [
        open.export({ type: 'spki', format: 'pem' }).toString(),
        open.export({ type: 'spki', format: 'pem' }).toString().trim(),
        open.export({ type: 'spki', format: 'der' }),
        JSON.stringify(key.published),
        JSON.stringify(open.export({ format: 'jwk' })),
      ]
      for (const secret of secrets) {
        const token = bench.token(realm, { key: Buffer.from(secret), header: { kid: key.kid } })
        expect(decoded(partsOf(token)[0]).alg).toBe('HS256')
        await expectRefused(realm, `Bearer ${token}`)
      }
    }
  })

  test('a foreign key under the right key id is refused', async () => {
    const { kid } = bench.keys[realm]
    await expectRefused(realm, `Bearer ${bench.token(realm, { key: makeTokenKey({ kid }) })}`)
  })

  test('an unknown key id is refused', async () => {
    const key = makeTokenKey({ kid: 'nobody-knows' })
    await expectRefused(realm, `Bearer ${bench.token(realm, { key })}`)
    const { privateKey, alg, published } = bench.keys[realm]
    const renamed = { kid: 'nobody-knows', privateKey, alg, published }
    await expectRefused(realm, `Bearer ${bench.token(realm, { key: renamed })}`)
  })

  test('the key of the other realm is refused', async () => {
    const key = bench.keys[otherRealm(realm)]
    await expectRefused(realm, `Bearer ${bench.token(realm, { key })}`)
  })

  test('keys inside the token are not used, and nothing is fetched from its URLs', async () => {
    const key = makeTokenKey({ kid: 'brought-along' })
    const attacker = await startKeyServer([key.published])
    const headers = [
      { jku: attacker.url },
      { x5u: attacker.url },
      { jwk: key.published },
      { x5c: [Buffer.from('a certificate').toString('base64')] },
      { jku: attacker.url, kid: bench.keys[realm].kid },
      { jwk: key.published, kid: bench.keys[realm].kid },
      { kid: attacker.url },
      { kid: '../../../../dev/null' },
    ]
    for (const header of headers) {
      await expectRefused(realm, `Bearer ${bench.token(realm, { key, header })}`)
    }
    const claims = bench.claims(realm, { iss: new URL(attacker.url).origin })
    await expectRefused(realm, `Bearer ${bench.token(realm, { key, claims })}`)
    expect(attacker.requests).toBe(0)
    await attacker.stop()
  })

  test('an unknown critical header (crit) is refused', () =>
    expectRefused(
      realm,
      `Bearer ${bench.token(realm, { header: { crit: ['bound-to'], 'bound-to': 'x' } })}`,
    ))

  test('a signature of zeros, in another encoding or truncated is refused', async () => {
    const [header, payload, signature] = partsOf(bench.token(realm))
    const { privateKey } = bench.keys[realm]
    const der = sign('sha256', Buffer.from(`${header}.${payload}`), privateKey)
    const bad = [
      Buffer.alloc(64).toString('base64url'),
      der.toString('base64url'),
      signature.slice(0, -4),
      signature.slice(0, 40),
      `${signature}AAAA`,
      '',
    ]
    for (const other of bad) await expectRefused(realm, `Bearer ${header}.${payload}.${other}`)
  })

  test('a payload or header changed after signing is refused', async () => {
    const [header, payload, signature] = partsOf(bench.token(realm))
    const victim = encoded({ ...decoded(payload), sub: 'somebody-else' })
    await expectRefused(realm, `Bearer ${header}.${victim}.${signature}`)
    const longer = encoded({ ...decoded(payload), exp: now() + 7200 })
    await expectRefused(realm, `Bearer ${header}.${longer}.${signature}`)
    const typed = encoded({ ...decoded(header), typ: 'at+jwt' })
    await expectRefused(realm, `Bearer ${typed}.${payload}.${signature}`)
  })
})

describe.each(realms)('algorithms, %s realm', (realm) => {
  test.each(accepted.map((key) => [key.alg, key] as const))('%s is accepted', (_alg, key) =>
    expectAccepted(realm, `Bearer ${bench.token(realm, { key })}`),
  )

  test.each(Object.entries(refused))(
    '%s is refused although its key is published',
    async (alg, { privateKey }) => {
      const token = await new SignJWT(bench.claims(realm))
        .setProtectedHeader({ alg, kid: `of-${alg}` })
        .sign(privateKey)
      await expectRefused(realm, `Bearer ${token}`)
    },
  )
})
