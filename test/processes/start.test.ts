import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { vapidPublicKey } from '#platform/config/push.ts'
import { cleanUp, freePort, makeFolder, run } from '#test/processes/processes.ts'
import {
  ask,
  makeOrganization,
  makePlace,
  type Service,
  signIn,
  startService,
} from '#test/processes/service.ts'
import { bodyOf } from '#test/push/steps.ts'
import { openBrowser } from '#test/support/web-browser.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'

let first: Service
let second: Service
let app: string

beforeAll(async () => {
  const [here, there] = [await makePlace({ empty: true }), await makePlace()]
  const anyPorts = { PORT: '0', DEV_PORT: '0', DEV_CHAIN_PORT: '0' }
  const [port, root] = [await freePort(), await makeFolder()]
  app = `http://127.0.0.1:${port}`
  await writeFile(join(root, 'index.html'), '<html><head></head><body>Built</body></html>')
  const web = { WEB_PORT: String(port), WEB_ROOT: root }
  ;[first, second] = await Promise.all([startService(here, web), startService(there, anyPorts)])
})
afterAll(cleanUp)

/** The lines under "Try it:", exactly as printed. */
const printedCommands = ({ stdout }: Service): string =>
  /Try it:\n([\s\S]*)\nCtrl-C/.exec(stdout())?.[1] ?? ''

describe('npm start on an empty folder', () => {
  test('prints in a few lines where everything is', async () => {
    const { place, metrics, stdout, stderr } = first
    const lines = stdout().trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(14)
    expect(lines[1]).toBe(`  App      ${app}`)
    expect(lines[0]).toBe('Countersign is running, for development.')
    expect(stdout()).toContain(`http://127.0.0.1:${place.port}/docs/`)
    expect(stdout()).toContain(`http://127.0.0.1:${place.devPort}`)
    expect(stdout()).toContain(`http://127.0.0.1:${place.chainPort}`)
    expect(stdout()).toContain(place.folder)
    expect(stderr()).toBe('')
    expect((await ask('GET', metrics)).body).toContain('countersign_http_request_duration_seconds')
  })

  test('is ready when it says so', async () => {
    const live = await ask('GET', `${first.api}/health/live`)
    expect(live).toMatchObject({ status: 200, body: { status: 'ok', service: 'api' } })
    const ready = await ask('GET', `${first.api}/health/ready`)
    expect(ready).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok' } },
    })
  })

  test('serves the API reference with the committed document', async () => {
    const page = await ask('GET', `${first.api}/docs/`)
    expect(page.status).toBe(200)
    expect(page.body).toContain('Countersign API')
    const committed = await readFile(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8')
    const served = await ask('GET', `${first.api}/openapi.json`)
    expect(served.body).toEqual(JSON.parse(committed))
  })

  test('prints commands that work as they are', async () => {
    const shell = run('sh', ['-c', printedCommands(first)], {})
    expect(await shell.ended).toEqual({ code: 0, signal: null })
    expect(JSON.parse(shell.stdout())).toEqual({
      account: { id: expect.any(String), status: 'active', displayName: null },
      wallets: [],
      memberships: [],
      membershipsNextCursor: null,
    })
  })

  test('has one operator from the start', async () => {
    const askAs = async (subject: string) => {
      const body = { realm: 'admin', subject }
      const { accessToken: token } = (await ask('POST', `${first.helper}/token`, { body })).body
      return ask('PUT', `${first.api}/v1/admin/session`, { token, body: {} })
    }
    expect(await askAs('operator')).toMatchObject({
      status: 200,
      body: { account: { subject: 'operator' }, role: 'operator', active: true },
    })
    const stranger = await askAs('somebody')
    expect(stranger.status).toBe(403)
    expect(stranger.body.error.code).toBe('operator_required')
  })

  test('keeps its secrets readable by its owner only', async () => {
    const { stdout, stderr, place } = first
    const names = ['postgres-password', 'postgres-owner-password', 'server-secret', 'web-secret']
    for (const name of [...names, 'vapid-private-key']) {
      const secret = (await readFile(join(place.folder, name), 'utf8')).trim()
      expect(secret.length).toBeGreaterThan(20)
      expect(stdout() + stderr()).not.toContain(secret)
    }
  })
})

describe('the application', () => {
  test('is served with the development wallet, and signs people in', async () => {
    const page = await ask('GET', app, { headers: { accept: 'text/html' } })
    expect(page.body).toContain('<script type="module" src="/dev/wallet.js"')
    const browser = openBrowser(app)
    expect(await browser.signIn('Ana Ruiz', '?return_to=/expenses')).toBe(`${app}/expenses`)
    const me = await browser.call('GET', '/v1/consumer/me')
    expect([me.status, me.body.account.displayName]).toEqual([200, 'Ana Ruiz'])
    const chain = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    expect((await browser.call('POST', '/dev/rpc', chain)).body.result).toBe('0x7a69')
    const gift = await browser.call('POST', '/dev/faucet', { address: ADDRESS })
    expect(gift.body.transactionHashes).toHaveLength(1)
    expect(first.stderr()).toBe('')
  })

  test('can be left out', () => {
    expect(second.stdout()).not.toContain('  App ')
  })
})

describe('push by default', () => {
  test('is active with the stored key and accepts local devices', async () => {
    const token = await signIn(first)
    const config = await ask('GET', `${first.api}/v1/consumer/push/config`, { token })
    const kept = await readFile(join(first.place.folder, 'vapid-private-key'), 'utf8')
    expect(config.body).toEqual({ active: true, publicKey: vapidPublicKey(kept.trim()) })
    const path = `${first.api}/v1/consumer/push/subscriptions`
    const added = await ask('POST', path, { token, body: bodyOf() })
    expect([added.status, added.body.active]).toEqual([201, true])
    const inside = { ...bodyOf(), endpoint: 'https://10.0.0.1/a' }
    expect((await ask('POST', path, { token, body: inside })).status).toBe(400)
  })
})

describe('the development helper: GET /', () => {
  test("returns the API's address and what a verifier needs", async () => {
    const { api, helper, place } = first
    const realm = (name: string) => ({
      issuer: `https://identity.countersign.localhost/${name}`,
      audience: `countersign-${name}`,
      idAudiences: [`countersign-${name}`],
      jwksUrl: `${helper}/${name}/.well-known/jwks.json`,
    })
    const { status, body } = await ask('GET', `${helper}/`)
    expect(status).toBe(200)
    expect(body).toEqual({
      api,
      rpc: `http://127.0.0.1:${place.chainPort}`,
      chainId: 31_337,
      tokenAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      consumer: realm('consumer'),
      admin: realm('admin'),
    })
  })
})

describe('the development helper: POST /token', () => {
  const tokens = (body: unknown) => ask('POST', `${first.helper}/token`, { body })

  const claimsOf = async (token: string, realm: 'consumer' | 'admin') => {
    const about = (await ask('GET', `${first.helper}/`)).body[realm]
    const keys = createLocalJWKSet((await ask('GET', about.jwksUrl)).body)
    const { payload } = await jwtVerify(token, keys, {
      issuer: about.issuer,
      audience: about.audience,
    })
    return payload
  }

  test('issues an access and an identity token of the realm, for an hour', async () => {
    for (const realm of ['consumer', 'admin'] as const) {
      const { status, body } = await tokens({ realm, subject: 'somebody' })
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual(['accessToken', 'identityToken'])
      for (const token of Object.values(body as Record<string, string>)) {
        const { sub, exp = 0, iat = 0 } = await claimsOf(token, realm)
        expect(sub).toBe('somebody')
        expect(exp - iat).toBe(3600)
      }
    }
  })

  test("publishes a realm's public keys only", async () => {
    const { body } = await ask('GET', `${first.helper}/consumer/.well-known/jwks.json`)
    expect(body.keys).toHaveLength(1)
    expect(body.keys[0]).toMatchObject({ kty: 'EC', alg: 'ES256', use: 'sig' })
    expect(body.keys[0]).not.toHaveProperty('d')
    const admin = await ask('GET', `${first.helper}/admin/.well-known/jwks.json`)
    expect(admin.body.keys[0].kid).not.toBe(body.keys[0].kid)
  })

  test('links wallets to the session', async () => {
    const solana = 'So11111111111111111111111111111111111111112'
    const { body } = await tokens({
      realm: 'consumer',
      subject: 'holder',
      wallets: [
        { address: ADDRESS.toLowerCase(), kind: 'embedded' },
        { address: solana, kind: 'external', chainType: 'solana' },
      ],
    })
    const session = await ask('PUT', `${first.api}/v1/consumer/session`, {
      token: body.accessToken,
      body: { identityToken: body.identityToken },
    })
    expect(session.status).toBe(200)
    expect(session.body.wallets).toMatchObject([
      { address: ADDRESS, kind: 'embedded', chainType: 'ethereum' },
      { kind: 'external', chainType: 'solana', nativeAddress: solana },
    ])
  })

  test('issues expired tokens on request', async () => {
    const { body } = await tokens({ realm: 'consumer', subject: 'late', expiresIn: -60 })
    const refused = await ask('GET', `${first.api}/v1/consumer/me`, { token: body.accessToken })
    expect(refused.status).toBe(401)
    expect(refused.body.error.code).toBe('unauthenticated')
    const short = await tokens({ realm: 'consumer', subject: 'short', expiresIn: 7 })
    const { exp = 0, iat = 0 } = await claimsOf(short.body.accessToken, 'consumer')
    expect(exp - iat).toBe(7)
  })

  test('asserts a second factor on request', async () => {
    const mfa = { nonce: 'a request', authTime: 1_700_000_000 }
    const { body } = await tokens({ realm: 'consumer', subject: 'careful', mfa })
    expect(await claimsOf(body.mfaAssertion, 'consumer')).toMatchObject({
      sub: 'careful',
      nonce: 'a request',
      auth_time: 1_700_000_000,
      amr: expect.arrayContaining(['mfa']),
    })
    const now = await tokens({ realm: 'consumer', subject: 'careful', mfa: { nonce: 'n' } })
    const { auth_time } = await claimsOf(now.body.mfaAssertion, 'consumer')
    expect(Math.abs(Number(auth_time) - Date.now() / 1000)).toBeLessThan(30)
  })

  test.each([
    ['no realm', { subject: 'me' }],
    ['an unknown realm', { realm: 'other', subject: 'me' }],
    ['no subject', { realm: 'consumer' }],
    ['an empty subject', { realm: 'consumer', subject: '' }],
    ['a subject that is not a string', { realm: 'consumer', subject: 7 }],
    ['an unknown field', { realm: 'consumer', subject: 'me', admin: true }],
    ['a non-integer lifetime', { realm: 'consumer', subject: 'me', expiresIn: '60' }],
    ['a second factor without a nonce', { realm: 'consumer', subject: 'me', mfa: {} }],
    ['wallets that are not a list', { realm: 'consumer', subject: 'me', wallets: ADDRESS }],
    [
      'a wallet without an address',
      { realm: 'consumer', subject: 'me', wallets: [{ kind: 'embedded' }] },
    ],
    [
      'a malformed address',
      { realm: 'consumer', subject: 'me', wallets: [{ address: '0x1', kind: 'embedded' }] },
    ],
    [
      'a kind that only the service creates',
      { realm: 'consumer', subject: 'me', wallets: [{ address: ADDRESS, kind: 'server' }] },
    ],
  ])('refuses %s with 400', async (_name, body) => {
    const answer = await tokens(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('validation_failed')
  })
})

describe('two copies of the service', () => {
  test('use a free port for port 0 and print it', async () => {
    expect((await ask('GET', `${second.api}/health/ready`)).status).toBe(200)
    const { body } = await ask('GET', second.helper)
    expect(body.api).toBe(second.api)
    expect(body.consumer.jwksUrl).toBe(`${second.helper}/consumer/.well-known/jwks.json`)
    expect(first.api).toBe(`http://127.0.0.1:${first.place.port}`)
    expect(first.helper).toBe(`http://127.0.0.1:${first.place.devPort}`)
  })

  test('run side by side with separate data', async () => {
    const token = await signIn(first, 'traveller')
    const { path } = await makeOrganization(first, token)
    expect((await ask('GET', `${path}/members`, { token })).status).toBe(200)

    const foreign = await ask('GET', `${second.api}/v1/consumer/organizations`, { token })
    expect(foreign.status).toBe(401)
    expect(foreign.body.error.code).toBe('unauthenticated')
    const there = await signIn(second, 'traveller')
    const listed = await ask('GET', `${second.api}/v1/consumer/organizations`, { token: there })
    expect(listed.body).toEqual({ organizations: [], nextCursor: null })
  })
})
