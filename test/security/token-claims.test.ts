import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Realm } from '#platform/config/config.ts'
import { type Bench, otherRealm, realms, startBench } from '#test/security/realm-bench.ts'

let bench: Bench

beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const me = (realm: Realm, authorization?: string) =>
  bench.service.call('GET', `/v1/${realm}/me`, {
    headers: authorization === undefined ? {} : { authorization },
  })

async function expectRefused(realm: Realm, authorization?: string) {
  const { status, body } = await me(realm, authorization)
  expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
}

async function expectAccepted(realm: Realm, authorization: string) {
  expect((await me(realm, authorization)).status).toBe(200)
}

const withClaims = (realm: Realm, changes: Record<string, unknown>) =>
  `Bearer ${bench.token(realm, { claims: bench.claims(realm, changes) })}`

const DAY = 24 * 60 * 60

describe.each(realms)('claims, %s realm', (realm) => {
  const at = (seconds: number) => bench.clock.now().getTime() / 1000 + seconds

  test.each(['exp', 'sub', 'iss', 'aud'])('a token without %s is refused', (claim) =>
    expectRefused(realm, withClaims(realm, { [claim]: undefined })),
  )

  test.each([
    ['another audience', () => ({ aud: 'somebody-else' })],
    ['several audiences without ours', () => ({ aud: ['one', 'two'] })],
    ['an empty audience', () => ({ aud: '' })],
    ["the other realm's audience", () => ({ aud: bench.settings[otherRealm(realm)].audience })],
    ['another issuer', () => ({ iss: 'https://somebody.example' })],
    ["the other realm's issuer", () => ({ iss: bench.settings[otherRealm(realm)].issuer })],
    ['an issuer with an extra slash', () => ({ iss: `${bench.settings[realm].issuer}/` })],
    ['an issuer in a list', () => ({ iss: [bench.settings[realm].issuer] })],
    ['a subject that is a number', () => ({ sub: 1 })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject of 256 characters', () => ({ sub: 'x'.repeat(256) })],
    ['a subject with a control character', () => ({ sub: 'a\u0000b' })],
    ['an expiry as text', () => ({ exp: 'tomorrow' })],
    ['an issue time as text', () => ({ iat: 'today' })],
    ['an expiry in the past', () => ({ iat: at(-600), exp: at(-6) })],
    ['a start in the future', () => ({ nbf: at(60) })],
    ['a start 6 s ahead', () => ({ nbf: at(6) })],
    ['a lifetime of a day and a second', () => ({ iat: at(0), exp: at(DAY + 1) })],
    [
      'a lifetime of a day and a second, half elapsed',
      () => ({ iat: at(-DAY / 2), exp: at(DAY / 2 + 1) }),
    ],
    ['no issue time and more than a day left', () => ({ iat: undefined, exp: at(DAY + 1) })],
    [
      'an issue time that hides a long lifetime',
      () => ({ iat: at(30 * DAY), exp: at(30 * DAY + 60) }),
    ],
  ])('a token with %s is refused', (_what, changes) =>
    expectRefused(realm, withClaims(realm, changes())),
  )

  test.each([
    ['one audience of several', () => ({ aud: ['other', bench.settings[realm].audience] })],
    ['an expiry 4 s ago, within the tolerance', () => ({ iat: at(-600), exp: at(-4) })],
    ['a start 4 s ahead, within the tolerance', () => ({ nbf: at(4) })],
    ['a lifetime of exactly a day', () => ({ iat: at(0), exp: at(DAY) })],
    ['an issue time 4 s ahead', () => ({ iat: at(4), exp: at(3600) })],
    ['no issue time', () => ({ iat: undefined })],
  ])('a token with %s is accepted', (_what, changes) =>
    expectAccepted(realm, withClaims(realm, changes())),
  )
})

describe.each(realms)('tokens issued for another purpose, %s realm', (realm) => {
  test('an identity token is not accepted as an access token', async () => {
    const subject = bench.subjects[realm]
    const issued = await bench.service.identity.issue({ realm, subject, mfa: { nonce: 'n' } })
    await expectAccepted(realm, `Bearer ${issued.accessToken}`)
    await expectRefused(realm, `Bearer ${issued.identityToken}`)
    await expectRefused(realm, `Bearer ${issued.mfaAssertion}`)
    const linked = { linked_accounts: '[]' }
    await expectRefused(realm, withClaims(realm, linked))
  })

  test('an access token is not accepted as an identity token', async () => {
    const token = bench.token(realm, { header: { typ: 'at+jwt' } })
    const { status, body } = await bench.service.call('PUT', `/v1/${realm}/session`, {
      token,
      body: { identityToken: token },
    })
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
  })

  test('an identity token of somebody else is refused, and nothing is created', async () => {
    const count = 'select count(*)::int as n from accounts'
    const before = await bench.service.database.asOwner(count)
    const issued = await bench.service.identity.issue({ realm, subject: 'somebody-else' })
    const { status, body } = await bench.service.call('PUT', `/v1/${realm}/session`, {
      token: bench.token(realm),
      body: { identityToken: issued.identityToken },
    })
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
    expect(await bench.service.database.asOwner(count)).toEqual(before)
  })
})

describe.each(realms)('the Authorization header, %s realm', (realm) => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('with scheme %s is accepted', (scheme) =>
    expectAccepted(realm, `${scheme} ${bench.token(realm)}`),
  )

  test.each([
    ['that is missing', () => undefined],
    ['that is empty', () => ''],
    ['with the scheme alone', () => 'Bearer'],
    ['with the scheme and a space', () => 'Bearer '],
    ['with the token alone', () => bench.token(realm)],
    ['with another scheme', () => `Basic ${bench.token(realm)}`],
    ['with a scheme of the same prefix', () => `BearerX ${bench.token(realm)}`],
    ['with two spaces', () => `Bearer  ${bench.token(realm)}`],
    ['with a tab', () => `Bearer\t${bench.token(realm)}`],
    ['with a space in the token', () => `Bearer ${bench.token(realm).replace('.', ' .')}`],
    ['with a leading space', () => ` Bearer ${bench.token(realm)}`],
    ['with two tokens', () => `Bearer ${bench.token(realm)} ${bench.token(realm)}`],
    ['with two tokens and a comma', () => `Bearer ${bench.token(realm)},${bench.token(realm)}`],
    ['with two credentials', () => `Bearer x, Bearer ${bench.token(realm)}`],
    ['quotes', () => `Bearer "${bench.token(realm)}"`],
    ['with two parts', () => `Bearer ${bench.token(realm).split('.').slice(0, 2).join('.')}`],
    ['with five parts', () => `Bearer ${bench.token(realm)}.e30.e30`],
    ['with no JSON inside', () => 'Bearer bm90.anNvbg.eHg'],
    ['with dots alone', () => 'Bearer ..'],
    ['with JSON that is not an object', () => 'Bearer bnVsbA.bnVsbA.bnVsbA'],
    ['with 12,000 characters', () => `Bearer ${'a'.repeat(12_000)}`],
  ])('%s is refused', (_what, authorization) => expectRefused(realm, authorization()))

  test('is required: a token in the query or body is ignored', async () => {
    const token = bench.token(realm)
    const asked = await bench.service.call('GET', `/v1/${realm}/me?access_token=${token}`)
    expect(asked.status).toBe(401)
    const put = await bench.service.call('PUT', `/v1/${realm}/session`, {
      body: { access_token: token, identityToken: token },
    })
    expect(put.status).toBe(401)
  })
})
