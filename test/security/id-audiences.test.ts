/** ID tokens and assertions are issued to clients, access tokens to the API. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Realm } from '#platform/config/config.ts'
import { type Bench, otherRealm, realms, startBench } from '#test/security/realm-bench.ts'
import { beginExport, makeServerWallet } from '#test/support/exports.ts'
import { outcome } from '#test/support/steps.ts'

const CLIENTS = { consumer: 'web', admin: 'console' }

let bench: Bench
beforeAll(async () => {
  // The development provider issues tokens to the audiences themselves.
  const env = {
    CONSUMER_ID_AUDIENCE: 'countersign-consumer,web,mobile',
    ADMIN_ID_AUDIENCE: 'countersign-admin,console',
  }
  bench = await startBench([], { env })
})
afterAll(() => bench.stop())

type Claims = Record<string, unknown>

const idToken = (realm: Realm, claims: Claims, header: Claims = {}) =>
  bench.token(realm, { claims: bench.claims(realm, { aud: CLIENTS[realm], ...claims }), header })

async function openSession(realm: Realm, identityToken: string): Promise<string> {
  const token = bench.token(realm)
  return outcome(
    await bench.service.call('PUT', `/v1/${realm}/session`, { token, body: { identityToken } }),
  )
}

describe.each(realms)('PUT session, %s realm', (realm) => {
  const client = CLIENTS[realm]
  const api = () => bench.settings[realm].audience

  test.each([
    ['its client id', () => ({})],
    ['its client id in a list', () => ({ aud: [client] })],
    ['its client id also as azp', () => ({ azp: client })],
    ['several audiences and its client id as azp', () => ({ aud: ['other', client], azp: client })],
  ])('accepts an ID token with %s', async (_what, claims) => {
    expect(await openSession(realm, idToken(realm, claims()))).toBe('200')
  })

  test.each([
    ['the id of another client', () => ({ aud: 'another-app' })],
    ['a client of the other realm', () => ({ aud: CLIENTS[otherRealm(realm)] })],
    ['its client id in another case', () => ({ aud: client.toUpperCase() })],
    ['all client ids in one string', () => ({ aud: `${client},mobile` })],
    ['an empty list', () => ({ aud: [] })],
    ['several audiences without azp', () => ({ aud: [client, 'other'] })],
    ['the API beside the client, without azp', () => ({ aud: [client, api()] })],
    ['another client as azp', () => ({ azp: 'another-app' })],
    ['a client of the other realm as azp', () => ({ azp: CLIENTS[otherRealm(realm)] })],
    ['a list as azp', () => ({ azp: [client] })],
    ['null as azp', () => ({ azp: null })],
    ['an events claim, as in logout tokens', () => ({ events: {} })],
    ["Keycloak's type of access tokens", () => ({ typ: 'Bearer' })],
    ["Keycloak's type of logout tokens", () => ({ typ: 'Logout' })],
  ])('refuses an ID token with %s', async (_what, claims) => {
    expect(await openSession(realm, idToken(realm, claims()))).toBe('401 unauthenticated')
  })

  test.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'logout+jwt'])(
    'refuses a token of type %s',
    async (typ) => {
      expect(await openSession(realm, idToken(realm, {}, { typ }))).toBe('401 unauthenticated')
    },
  )
})

describe.each(realms)('GET me, %s realm', (realm) => {
  const me = async (claims: Claims, header: Claims = {}) => {
    const token = bench.token(realm, { claims: bench.claims(realm, claims), header })
    return outcome(await bench.service.call('GET', `/v1/${realm}/me`, { token }))
  }
  const api = () => bench.settings[realm].audience

  test.each([
    ['issued to a client', () => ({ aud: CLIENTS[realm] })],
    ['issued to a client, without its usual claims', () => ({ aud: [CLIENTS[realm]] })],
    ['issued to client and API', () => ({ aud: [CLIENTS[realm], api()], nonce: 'n' })],
    ['with at_hash', () => ({ at_hash: 'x' })],
    ['with c_hash', () => ({ c_hash: 'x' })],
    ['with s_hash', () => ({ s_hash: 'x' })],
    ["of Keycloak's type", () => ({ typ: 'ID' })],
  ])('refuses an ID token %s as an access token', async (_what, claims) => {
    expect(await me(claims())).toBe('401 unauthenticated')
  })

  test('accepts a token typed as an access token, whatever else it claims', async () => {
    expect(await me({ nonce: 'n', azp: 'any' }, { typ: 'at+jwt' })).toBe('200')
    expect(await me({ nonce: 'n' }, { typ: 'application/at+jwt' })).toBe('200')
    expect(await me({ typ: 'Bearer', azp: CLIENTS[realm] })).toBe('200')
  })
})

describe('an mfaAssertion', () => {
  const exportWith = async (claims: Claims): Promise<string> => {
    const { service, subjects } = bench
    const holder = { realm: 'consumer' as const, subject: subjects.consumer, token: '' }
    holder.token = bench.token('consumer')
    const wallet = await makeServerWallet(service, holder)
    const ceremony = await beginExport(service, holder, wallet)
    const mfaAssertion = idToken('consumer', {
      nonce: ceremony.requestId,
      auth_time: bench.clock.now().getTime() / 1000,
      amr: ['pwd', 'otp'],
      ...claims,
    })
    return outcome(await ceremony.complete({ mfaAssertion }))
  }

  test.each([
    ['issued to a client is accepted', {}, '200'],
    [
      'with azp of another client is refused',
      { azp: randomUUID() },
      '403 fresh_authentication_required',
    ],
    [
      'issued to another client is refused',
      { aud: 'another-app' },
      '403 fresh_authentication_required',
    ],
    [
      "issued to the other realm's client is refused",
      { aud: 'console' },
      '403 fresh_authentication_required',
    ],
  ])('%s', async (_what, claims, expected) => {
    expect(await exportWith(claims)).toBe(expected)
  })
})
