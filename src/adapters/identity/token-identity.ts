/**
 * `IdentityProvider` over signed tokens: one verifier per realm, each with its own issuer,
 * audiences and key set. The route picks the realm, never the token. Access tokens are issued to
 * the API's audience, ID tokens and assertions to the client ids of the realm's applications.
 */
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '#platform/clock.ts'
import type { Realm, RealmConfig } from '#platform/config/config.ts'
import type { Credential, FailedCheck } from '#platform/errors.ts'
import type {
  AccessClaims,
  AccessVerdict,
  FreshAssertion,
  IdentityProvider,
  TokenVerdict,
} from '#ports/identity-provider.ts'
import { checkKeySet, createRemoteKeys, type RemoteKeys } from './remote-keys.ts'
import { profileOf } from './token-profile.ts'
import { type Expectation, failedClaimOf, TokenRefused } from './token-refusal.ts'
import { linkedWallets } from './token-wallets.ts'
import { createVerifiedTokens } from './verified-tokens.ts'

const ALGORITHMS = ['ES256', 'RS256', 'EdDSA']
const CLOCK_TOLERANCE_SECONDS = 5
const LIFETIME_MAX_SECONDS = 24 * 60 * 60
const REFRESH_AT_MOST_EVERY_MS = 30_000

export type TokenIdentityOptions = {
  realms: Record<Realm, RealmConfig>
  clock: Clock
  refreshAtMostEveryMs?: number
}

type Claims = JWTPayload & { iss: string; sub: string; exp: number }
type Verified = { payload: Claims; type: string }
type Verifier = Expectation & { keys: RemoteKeys }

export function createTokenIdentity({
  realms,
  clock,
  refreshAtMostEveryMs = REFRESH_AT_MOST_EVERY_MS,
}: TokenIdentityOptions): IdentityProvider {
  const verifiers = {
    consumer: realmVerifier(realms.consumer, clock, refreshAtMostEveryMs),
    admin: realmVerifier(realms.admin, clock, refreshAtMostEveryMs),
  }
  return {
    checkKeySets: () => checkBoth(realms),

    async verifyAccessToken({ realm, token }): Promise<AccessVerdict> {
      const verdict = await verifiers[realm].access(token)
      if (verdict.outcome === 'valid') return verdict
      const other = realm === 'consumer' ? 'admin' : 'consumer'
      return (await verifiers[other].isAccess(token)) ? { outcome: 'other_realm' } : verdict
    },

    verifyIdentityToken: ({ realm, token }) => verifiers[realm].identity(token),
    verifyAssertion: ({ realm, token }) => verifiers[realm].assertion(token),
  }
}

function realmVerifier(realm: RealmConfig, clock: Clock, refreshAtMostEveryMs: number) {
  const keys = createRemoteKeys(realm.jwksUrl, refreshAtMostEveryMs)
  const assertionKeys = realm.assertion
    ? createRemoteKeys(realm.assertion.jwksUrl, refreshAtMostEveryMs)
    : keys
  const verifiedTokens = createVerifiedTokens()
  const { issuer, audience, idAudiences } = realm
  const asAccess = (): Verifier =>
    expecting({ issuer, audiences: [audience], keys, now: clock.now() })
  const asIdentity = (): Verifier =>
    expecting({ issuer, audiences: idAudiences, keys, now: clock.now() })
  const asAssertion = (): Verifier => ({
    ...asIdentity(),
    issuer: realm.assertion?.issuer ?? issuer,
    keys: assertionKeys,
  })
  const cachedAccess = (token: string): Promise<AccessClaims> =>
    verifiedTokens.claimsOf(token, {
      now: clock.now(),
      toleranceSeconds: CLOCK_TOLERANCE_SECONDS,
      keySet: keys.generation,
      verify: () => accessClaims(token, asAccess()),
    })

  return {
    access: (token: string) =>
      verdictOf('access_token', token, { by: asAccess(), verify: () => cachedAccess(token) }),

    isAccess: (token: string): Promise<boolean> =>
      accessClaims(token, asAccess()).then(
        () => true,
        () => false,
      ),

    identity: (token: string) => {
      const by = asIdentity()
      const verify = async () => {
        const { iss, sub, ...payload } = await idTokenClaims(token, by)
        return {
          issuer: iss,
          subject: sub,
          wallets: linkedWallets(payload),
          profile: profileOf(payload),
        }
      }
      return verdictOf('identity_token', token, { by, verify })
    },

    assertion: (token: string) => {
      const by = asAssertion()
      // The assertion issuer makes statements about the realm's own subjects.
      const verify = async () =>
        freshAssertion({ ...(await idTokenClaims(token, by)), iss: issuer })
      return verdictOf('mfa_assertion', token, { by, verify })
    },
  }
}

const expecting = (by: Omit<Verifier, 'algorithms'>): Verifier => ({
  ...by,
  algorithms: ALGORITHMS,
})

async function verdictOf<T>(
  credential: Credential,
  token: string,
  { by, verify }: { by: Expectation; verify: () => Promise<T> },
): Promise<TokenVerdict<T>> {
  try {
    return { outcome: 'valid', claims: await verify() }
  } catch (error) {
    const failed: FailedCheck = { credential, ...failedClaimOf(error, token, by) }
    return { outcome: 'invalid', failed }
  }
}

async function checkBoth({ consumer, admin }: Record<Realm, RealmConfig>) {
  const [ofConsumer, ofAdmin] = await Promise.all([
    checkKeySet(consumer.jwksUrl),
    checkKeySet(admin.jwksUrl),
  ])
  return { consumer: ofConsumer, admin: ofAdmin }
}

async function accessClaims(token: string, by: Verifier): Promise<AccessClaims> {
  const { payload, type } = await verifyToken(token, by)
  refuseIdToken(payload, type)
  return { issuer: payload.iss, subject: payload.sub, expiresAtSeconds: payload.exp }
}

/** Claims of a token that was issued to one of the realm's clients. */
async function idTokenClaims(token: string, by: Verifier): Promise<Claims> {
  const { payload, type } = await verifyToken(token, by)
  refuseOtherKinds(payload, type)
  requireAuthorizedParty(payload, by.audiences)
  return payload
}

function freshAssertion({
  iss: issuer,
  sub: subject,
  auth_time: authTimeSeconds,
  amr: methods,
  nonce,
}: Claims): FreshAssertion {
  if (!Number.isSafeInteger(authTimeSeconds)) {
    throw new TokenRefused({
      claim: 'auth_time',
      expected: 'the time of authentication in seconds',
      found: authTimeSeconds,
    })
  }
  if (!Array.isArray(methods) || !methods.every((method) => typeof method === 'string')) {
    throw new TokenRefused({ claim: 'amr', expected: 'a list of methods', found: methods })
  }
  if (typeof nonce !== 'string') {
    throw new TokenRefused({ claim: 'nonce', expected: 'the id of the request', found: nonce })
  }
  return { issuer, subject, authTimeSeconds: authTimeSeconds as number, methods, nonce }
}

async function verifyToken(
  token: string,
  { keys, issuer, audiences, now }: Verifier,
): Promise<Verified> {
  const { payload } = await jwtVerify(token, keys.find, {
    algorithms: ALGORITHMS,
    issuer,
    audience: [...audiences],
    requiredClaims: ['exp', 'sub', 'iss', 'aud'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: now,
  })
  const nowSeconds = Math.floor(now.getTime() / 1000)
  const { exp, iss, sub, iat = nowSeconds } = payload
  // An `iat` in the future would understate the lifetime.
  const issuedAt = Math.min(iat, nowSeconds + CLOCK_TOLERANCE_SECONDS)
  if (exp === undefined || exp - issuedAt > LIFETIME_MAX_SECONDS) {
    const expected = `at most ${LIFETIME_MAX_SECONDS} s after ${issuedAt}`
    throw new TokenRefused({ claim: 'exp', expected, found: exp })
  }
  if (typeof sub !== 'string' || typeof iss !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) {
    const expected = '1 to 255 printable ASCII characters'
    throw new TokenRefused({ claim: 'sub', expected, found: sub })
  }
  const type = String(decodeProtectedHeader(token).typ ?? '').toLowerCase()
  return { payload: { ...payload, iss, sub, exp }, type: type.replace(/^application\//, '') }
}

const ID_TOKEN_CLAIMS = ['linked_accounts', 'wallets', 'nonce', 'at_hash', 'c_hash', 's_hash']

/** If the client id is also the API's audience, only the claims distinguish the two kinds. */
function refuseIdToken(payload: JWTPayload, type: string): void {
  if (type === 'at+jwt') return
  const expected = 'an access token'
  // Keycloak sets the claim `typ`; its header has `typ: JWT` for both kinds.
  if (payload.typ === 'ID') throw new TokenRefused({ claim: 'typ', expected, found: payload.typ })
  const claim = ID_TOKEN_CLAIMS.find((name) => name in payload)
  if (claim) throw new TokenRefused({ claim, expected, found: 'a claim of ID tokens' })
}

/** Refuses access tokens and logout tokens; the latter are issued to clients too. */
function refuseOtherKinds(payload: JWTPayload, type: string): void {
  const expected = 'an ID token'
  const isOther = type === 'at+jwt' || type === 'logout+jwt'
  if (isOther) throw new TokenRefused({ claim: 'typ', expected, found: type })
  const { typ, events } = payload
  if (typ === 'Bearer' || typ === 'Logout' || typ === 'Refresh') {
    throw new TokenRefused({ claim: 'typ', expected, found: typ })
  }
  if (events !== undefined) throw new TokenRefused({ claim: 'events', expected, found: events })
}

/** OpenID Connect Core 3.1.3.7: with several audiences, `azp` must name the client. */
function requireAuthorizedParty({ aud, azp }: JWTPayload, clientIds: readonly string[]): void {
  const hasSeveralAudiences = Array.isArray(aud) && aud.length > 1
  if (azp === undefined && !hasSeveralAudiences) return
  if (typeof azp === 'string' && clientIds.includes(azp)) return
  throw new TokenRefused({ claim: 'azp', expected: clientIds.join(' or '), found: azp })
}
