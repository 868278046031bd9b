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
    ['an issuer with a slash more', () => ({ iss: `${bench.settings[realm].issuer}/` })],
    ['an issuer in a list', () => ({ iss: [bench.settings[realm].issuer] })],
    ['a subject that is a number', () => ({ sub: 1 })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject of 256 characters', () => ({ sub: 'x'.repeat(256) })],
    ['a subject with a control character', () => ({ sub: 'a\u0000b' })],
    ['an expiry in words', () => ({ exp: 'tomorrow' })],
    ['an issue time in words', () => ({ iat: 'today' })],
    ['an end in the past', () => ({ iat: at(-600), exp: at(-6) })],
    ['a beginning in the future', () => ({ nbf: at(60) })],
    ['a beginning 6 s ahead', () => ({ nbf: at(6) })],
    ['a life of a day and a second', () => ({ iat: at(0), exp: at(DAY + 1) })],
    [
      'a life of a day and a second, half spent',
      () => ({ iat: at(-DAY / 2), exp: at(DAY / 2 + 1) }),
    ],
    ['no issue time and more than a day to go', () => ({ iat: undefined, exp: at(DAY + 1) })],
    ['an issue time that hides a long life', () => ({ iat: at(30 * DAY), exp: at(30 * DAY + 60) })],
  ])('a token with %s is refused', (_what, changes) =>
    expectRefused(realm, withClaims(realm, changes())),
  )

  test.each([
    ['one audience of several', () => ({ aud: ['other', bench.settings[realm].audience] })],
    ['an end 4 s ago, within the tolerance', () => ({ iat: at(-600), exp: at(-4) })],
    ['a beginning 4 s ahead, within the tolerance', () => ({ nbf: at(4) })],
    ['a life of exactly a day', () => ({ iat: at(0), exp: at(DAY) })],
    ['an issue time 4 s ahead', () => ({ iat: at(4), exp: at(3600) })],
    ['no issue time', () => ({ iat: undefined })],
  ])('a token with %s is accepted', (_what, changes) =>
    expectAccepted(realm, withClaims(realm, changes())),
  )
})

describe.each(realms)('tokens made for something else, %s realm', (realm) => {
  test('an identity token is no access token', async () => {
    const subject = bench.subjects[realm]
    const issued = await bench.service.identity.issue({ realm, subject, mfa: { nonce: 'n' } })
    await expectAccepted(realm, `Bearer ${issued.accessToken}`)
    await expectRefused(realm, `Bearer ${issued.identityToken}`)
    await expectRefused(realm, `Bearer ${issued.mfaAssertion}`)
    const linked = { linked_accounts: '[]' }
    await expectRefused(realm, withClaims(realm, linked))
  })

  test('an access token is no identity token', async () => {
    const token = bench.token(realm, { header: { typ: 'at+jwt' } })
    const { status, body } = await bench.service.call('PUT', `/v1/${realm}/session`, {
      token,
      body: { identityToken: token },
    })
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
  })

  test('the identity token of somebody else is refused, and nothing is made', async () => {
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

describe.each(realms)('the header, %s realm', (realm) => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('scheme %s is accepted', (scheme) =>
    expectAccepted(realm, `${scheme} ${bench.token(realm)}`),
  )

  test.each([
    ['none at all', () => undefined],
    ['an empty one', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and a space', () => 'Bearer '],
    ['the token alone', () => bench.token(realm)],
    ['another scheme', () => `Basic ${bench.token(realm)}`],
    ['a scheme that begins alike', () => `BearerX ${bench.token(realm)}`],
    ['two spaces', () => `Bearer  ${bench.token(realm)}`],
    ['a tab', () => `Bearer\t${bench.token(realm)}`],
    ['a space in the token', () => `Bearer ${bench.token(realm).replace('.', ' .')}`],
    ['a space in front', () => ` Bearer ${bench.token(realm)}`],
    ['two tokens', () => `Bearer ${bench.token(realm)} ${bench.token(realm)}`],
    ['two tokens and a comma', () => `Bearer ${bench.token(realm)},${bench.token(realm)}`],
    ['two credentials', () => `Bearer x, Bearer ${bench.token(realm)}`],
    ['quotes', () => `Bearer "${bench.token(realm)}"`],
    ['two parts', () => `Bearer ${bench.token(realm).split('.').slice(0, 2).join('.')}`],
    ['five parts', () => `Bearer ${bench.token(realm)}.e30.e30`],
    ['no JSON inside', () => 'Bearer bm90.anNvbg.eHg'],
    ['dots alone', () => 'Bearer ..'],
    ['a JSON that is no object', () => 'Bearer bnVsbA.bnVsbA.bnVsbA'],
    ['12,000 characters', () => `Bearer ${'a'.repeat(12_000)}`],
  ])('%s is refused', (_what, authorization) => expectRefused(realm, authorization()))

  test('a token in the query or in the body is not looked at', async () => {
    const token = bench.token(realm)
    const asked = await bench.service.call('GET', `/v1/${realm}/me?access_token=${token}`)
    expect(asked.status).toBe(401)
    const put = await bench.service.call('PUT', `/v1/${realm}/session`, {
      body: { access_token: token, identityToken: token },
    })
    expect(put.status).toBe(401)
  })
})
