/** The service with signing keys of both realms held by the test, which can issue any token. */
import type { JWK } from 'jose'
import { devRealm } from '#dev/defaults.ts'
import type { Environment, Realm, RealmConfig } from '#platform/config/config.ts'
import type { Log } from '#platform/log.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  type KeyServer,
  makeTokenKey,
  signToken,
  startKeyServer,
  type TokenKey,
  type TokenParts,
} from '#test/support/tokens.ts'

export const realms = ['consumer', 'admin'] as const satisfies Realm[]

export const otherRealm = (realm: Realm): Realm => (realm === 'consumer' ? 'admin' : 'consumer')

export type Bench = {
  service: TestApp
  keys: Record<Realm, TokenKey>
  servers: Record<Realm, KeyServer>
  settings: Record<Realm, RealmConfig>
  /** The subject that `me` of the realm answers to. */
  subjects: Record<Realm, string>
  /** A clock that stands still until a test moves it. */
  clock: { now(): Date }
  /** Claims of a valid access token of the realm, for an hour from now. */
  claims(realm: Realm, changes?: Record<string, unknown>): Record<string, unknown>
  /** A valid access token of the realm except for the given changes. */
  token(realm: Realm, changes?: Partial<TokenParts>): string
  stop(): Promise<void>
}

const prefix = (realm: Realm) => realm.toUpperCase()

/** `published` is in the key sets of both realms, beside each realm's own key. */
export async function startBench(
  published: readonly JWK[] = [],
  { env: more = {}, log }: { env?: Environment; log?: Log } = {},
): Promise<Bench> {
  const keys = { consumer: makeTokenKey({ kid: 'c-1' }), admin: makeTokenKey({ kid: 'a-1' }) }
  const servers = {
    consumer: await startKeyServer([keys.consumer.published, ...published]),
    admin: await startKeyServer([keys.admin.published, ...published]),
  }
  const clock = { now: () => new Date('2031-05-06T07:08:09.000Z') }
  const env = Object.fromEntries(
    realms.map((realm) => [`${prefix(realm)}_JWKS_URL`, servers[realm].url]),
  )
  const replace = { clock, ...(log && { log }) }
  const service = await startTestApp({ env: { ...env, ...more }, replace })
  for (const realm of realms) {
    for (const key of service.identity.jwks(realm).keys) servers[realm].addKey(key)
  }
  const settings = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  const { subject } = await service.signIn()
  const subjects = { consumer: subject, admin: 'the-operator' }
  await service.operatorToken(subjects.admin)

  const claims: Bench['claims'] = (realm, changes = {}) => {
    const now = clock.now().getTime() / 1000
    const { issuer: iss, audience: aud } = settings[realm]
    return { iss, aud, sub: subjects[realm], iat: now, exp: now + 3600, ...changes }
  }
  return {
    service,
    keys,
    servers,
    settings,
    subjects,
    clock,
    claims,
    token: (realm, changes = {}) =>
      signToken({ key: keys[realm], claims: claims(realm), ...changes }),
    async stop() {
      await service.stop()
      await servers.consumer.stop()
      await servers.admin.stop()
    },
  }
}
