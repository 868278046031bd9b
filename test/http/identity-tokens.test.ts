import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { devRealm } from '#dev/defaults.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { outcome } from '#test/support/steps.ts'
import { type KeyServer, makeTokenKey, signToken, startKeyServer } from '#test/support/tokens.ts'

const { issuer, audience } = devRealm('consumer', 0)
const key = makeTokenKey({ kid: 'signing' })
const stranger = makeTokenKey({ kid: 'signing' })
let keys: KeyServer
let service: TestApp

beforeAll(async () => {
  keys = await startKeyServer([key.published])
  service = await startTestApp({ env: { CONSUMER_JWKS_URL: keys.url } })
})
afterAll(async () => {
  await service.stop()
  await keys.stop()
})

const now = () => Math.floor(Date.now() / 1000)

const claimsOf = (sub: string) => ({
  iss: issuer,
  aud: audience,
  sub,
  iat: now(),
  exp: now() + 600,
  wallets: [],
})

/** Invalid identity tokens; the access token of the same subject is always valid. */
type Forgery = (subject: string) => Promise<string> | string

const adminToken: Forgery = async (subject) =>
  (await service.identity.issue({ realm: 'admin', subject })).identityToken

const withClaims =
  (claims: Record<string, unknown>): Forgery =>
  (subject) =>
    signToken({ key, claims: { ...claimsOf(subject), ...claims } })

const without =
  (claim: string): Forgery =>
  (subject) => {
    const claims = Object.entries(claimsOf(subject)).filter(([name]) => name !== claim)
    return signToken({ key, claims: Object.fromEntries(claims) })
  }

const forgeries: Record<string, Forgery> = {
  'of another subject': (subject) => signToken({ key, claims: claimsOf(`${subject}x`) }),
  'of another audience': withClaims({ aud: 'another-application' }),
  'of another issuer': withClaims({ iss: 'https://another.example' }),
  'of the administrator realm': adminToken,
  'that has expired': withClaims({ iat: now() - 700, exp: now() - 10 }),
  'that lives longer than 24 hours': withClaims({ exp: now() + 24 * 3600 + 60 }),
  'that is not valid yet': withClaims({ nbf: now() + 600 }),
  'without an end': without('exp'),
  'without a subject': without('sub'),
  'signed by another key': (subject) => signToken({ key: stranger, claims: claimsOf(subject) }),
  'without a signature': (subject) => signToken({ claims: claimsOf(subject) }),
  'that is an access token': (subject) =>
    signToken({ key, header: { typ: 'at+jwt' }, claims: claimsOf(subject) }),
  'that is not a token': () => 'not a token',
}

const openSession = (subject: string, identityToken: string) =>
  service.call('PUT', '/v1/consumer/session', {
    token: signToken({ key, header: { typ: 'at+jwt' }, claims: claimsOf(subject) }),
    body: { identityToken },
  })

describe('PUT /v1/consumer/session refuses an identity token', () => {
  test('except for a valid one', async () => {
    const subject = randomUUID()
    const answer = await openSession(subject, signToken({ key, claims: claimsOf(subject) }))
    expect(outcome(answer)).toBe('200')
  })

  test.each(Object.entries(forgeries))(
    '%s with 401 and creates no account',
    async (_name, forge) => {
      const subject = randomUUID()
      const answer = await openSession(subject, await forge(subject))
      expect(outcome(answer)).toBe('401 unauthenticated')
      const accounts = await service.database.asOwner(
        'select from accounts where subject like $1',
        [`${subject}%`],
      )
      expect(accounts).toEqual([])
    },
  )

  test('of somebody else, even though both have an account', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()]
    for (const subject of [ann, bob]) {
      await openSession(subject, signToken({ key, claims: claimsOf(subject) }))
    }
    const answer = await openSession(ann, signToken({ key, claims: claimsOf(bob) }))
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})
