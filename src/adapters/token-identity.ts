/**
 * `IdentityProvider` over signed tokens: one verifier per realm, each with its own issuer, audience
 * and key set. The route picks the realm, never the token. Both Privy's identity-token shape and a
 * plain `wallets` claim are read.
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '#platform/clock.ts'
import type { Realm, RealmConfig } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import { isEvmAddress, lowerCased } from '#platform/values.ts'
import type {
  AccessClaims,
  AccessVerdict,
  FreshAssertion,
  IdentityClaims,
  IdentityProvider,
  LinkedWallet,
} from '#ports/identity-provider.ts'
import { checkKeySet } from './key-set-check.ts'
import { createRemoteKeys, type RemoteKeys } from './remote-keys.ts'
import { createSeenTokens } from './seen-tokens.ts'

const ALGORITHMS = ['ES256', 'RS256', 'EdDSA']
const CLOCK_TOLERANCE_SECONDS = 5
const LIFETIME_MAX_SECONDS = 24 * 60 * 60
const REFRESH_AT_MOST_EVERY_MS = 30_000

export type TokenIdentityOptions = {
  realms: Record<Realm, RealmConfig>
  clock: Clock
  refreshAtMostEveryMs?: number
}

type Verified = { payload: JWTPayload & { iss: string; sub: string; exp: number }; type: string }

export function createTokenIdentity({
  realms,
  clock,
  refreshAtMostEveryMs = REFRESH_AT_MOST_EVERY_MS,
}: TokenIdentityOptions): IdentityProvider {
  const keys = {
    consumer: createRemoteKeys(realms.consumer.jwksUrl, refreshAtMostEveryMs),
    admin: createRemoteKeys(realms.admin.jwksUrl, refreshAtMostEveryMs),
  }
  const verify = (realm: Realm, token: string) =>
    verifyToken(token, { keys: keys[realm], realm: realms[realm], now: clock.now() })

  const assertionKeys = {
    consumer: assertionKeysOf(realms.consumer, keys.consumer, refreshAtMostEveryMs),
    admin: assertionKeysOf(realms.admin, keys.admin, refreshAtMostEveryMs),
  }

  const verifyAccess = async (realm: Realm, token: string): Promise<AccessClaims> => {
    const { payload, type } = await verify(realm, token)
    if (isIdentityToken(payload, type)) throw new errors.JWTInvalid('not an access token')
    return { issuer: payload.iss, subject: payload.sub, expiresAtSeconds: payload.exp }
  }
  const seen = { consumer: createSeenTokens(), admin: createSeenTokens() }
  const verifyAccessOnce = (realm: Realm, token: string): Promise<AccessClaims> =>
    seen[realm].claimsOf(token, {
      now: clock.now(),
      toleranceSeconds: CLOCK_TOLERANCE_SECONDS,
      keySet: keys[realm].generation,
      verify: () => verifyAccess(realm, token),
    })

  return {
    checkKeySets: () => checkBoth(realms),

    async verifyAccessToken({ realm, token }): Promise<AccessVerdict> {
      try {
        return { outcome: 'valid', claims: await verifyAccessOnce(realm, token) }
      } catch (error) {
        const reason = refusal(error)
        const other = realm === 'consumer' ? 'admin' : 'consumer'
        const isOther = await verifyAccess(other, token).then(
          () => true,
          () => false,
        )
        return isOther ? { outcome: 'other_realm' } : { outcome: 'invalid', reason }
      }
    },

    async verifyIdentityToken({ realm, token }): Promise<IdentityClaims | undefined> {
      try {
        const { payload, type } = await verify(realm, token)
        if (type === 'at+jwt') return undefined
        return { issuer: payload.iss, subject: payload.sub, wallets: linkedWallets(payload) }
      } catch (error) {
        refusal(error)
        return undefined
      }
    },

    verifyAssertion: ({ realm, token }) =>
      verifyAssertion(token, {
        keys: assertionKeys[realm],
        realm: realms[realm],
        now: clock.now(),
      }),
  }
}

type By = { keys: RemoteKeys; realm: RealmConfig; now: Date }

async function verifyAssertion(
  token: string,
  { keys, realm, now }: By,
): Promise<FreshAssertion | undefined> {
  const { issuer, audience, jwksUrl, assertion } = realm
  const signer = { issuer, jwksUrl, audience, ...assertion }
  try {
    const { payload, type } = await verifyToken(token, { keys, realm: signer, now })
    // Whoever signs it speaks for the realm's own subjects.
    return type === 'at+jwt' ? undefined : freshAssertion({ ...payload, iss: issuer })
  } catch (error) {
    refusal(error)
    return undefined
  }
}

async function checkBoth({ consumer, admin }: Record<Realm, RealmConfig>) {
  const [ofConsumer, ofAdmin] = await Promise.all([
    checkKeySet(consumer.jwksUrl),
    checkKeySet(admin.jwksUrl),
  ])
  return { consumer: ofConsumer, admin: ofAdmin }
}

const assertionKeysOf = (
  { assertion }: RealmConfig,
  own: RemoteKeys,
  refreshAtMostEveryMs: number,
): RemoteKeys => (assertion ? createRemoteKeys(assertion.jwksUrl, refreshAtMostEveryMs) : own)

function freshAssertion(payload: Verified['payload']): FreshAssertion | undefined {
  const { iss: issuer, sub: subject, auth_time: authTimeSeconds, amr: methods, nonce } = payload
  const isComplete =
    Number.isSafeInteger(authTimeSeconds) &&
    Array.isArray(methods) &&
    methods.every((method) => typeof method === 'string') &&
    typeof nonce === 'string'
  if (!isComplete) return undefined
  return { issuer, subject, authTimeSeconds: authTimeSeconds as number, methods, nonce }
}

async function verifyToken(token: string, { keys, realm, now }: By): Promise<Verified> {
  const { payload } = await jwtVerify(token, keys.find, {
    algorithms: ALGORITHMS,
    issuer: realm.issuer,
    audience: realm.audience,
    requiredClaims: ['exp', 'sub', 'iss', 'aud'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: now,
  })
  const nowSeconds = Math.floor(now.getTime() / 1000)
  const { exp, iss, sub, iat = nowSeconds } = payload
  // An issue time that is still to come would hide a longer life.
  const issuedAt = Math.min(iat, nowSeconds + CLOCK_TOLERANCE_SECONDS)
  if (exp === undefined || exp - issuedAt > LIFETIME_MAX_SECONDS) {
    throw new errors.JWTClaimValidationFailed('lives too long', payload, 'exp')
  }
  if (typeof sub !== 'string' || typeof iss !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) {
    throw new errors.JWTClaimValidationFailed('no usable subject', payload, 'sub')
  }
  const type = String(decodeProtectedHeader(token).typ ?? '').toLowerCase()
  return { payload: { ...payload, iss, sub, exp }, type }
}

/** Same key, issuer and audience as an access token, so the claims must tell the two apart. */
const isIdentityToken = (payload: JWTPayload, type: string): boolean =>
  type !== 'at+jwt' &&
  ['linked_accounts', 'wallets', 'nonce', 'at_hash'].some((claim) => claim in payload)

/** Why a token is refused; an unreachable key set is not the token's fault and is thrown. */
function refusal(error: unknown): string {
  const isTokensFault =
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
  if (isTokensFault && error.code !== 'ERR_JOSE_GENERIC') return error.code
  throw new AppError('dependency_unavailable', {
    message: 'The identity provider cannot be reached. Retry shortly.',
    retryAfterSeconds: 5,
    cause: error,
  })
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const malformed = (payload: JWTPayload) =>
  new errors.JWTClaimValidationFailed('linked wallets are malformed', payload, 'wallets')

/** A smart wallet is a contract on an EVM chain, which its holder's other wallet speaks for. */
const isWallet = ({ type }: Record<string, unknown>): boolean =>
  type === 'wallet' || type === 'smart_wallet'

/** Privy packs its array into a JSON string, in which other accounts stand among the wallets. */
function privyWallets(payload: JWTPayload): Record<string, unknown>[] {
  const packed = payload.linked_accounts
  if (packed === undefined) return []
  try {
    const list: unknown = typeof packed === 'string' ? JSON.parse(packed) : packed
    if (Array.isArray(list)) return list.map(record).filter(isWallet)
  } catch {}
  throw malformed(payload)
}

function plainWallets(payload: JWTPayload): Record<string, unknown>[] {
  const { wallets = [] } = payload
  if (!Array.isArray(wallets)) throw malformed(payload)
  const list = wallets.map(record)
  const isKnown = ({ kind }: Record<string, unknown>) => kind === 'embedded' || kind === 'external'
  if (!list.every(isKnown)) throw malformed(payload)
  return list
}

/** Wallets of chains we do not serve are passed over; one that cannot be read refuses the token. */
function linkedWallets(payload: JWTPayload): LinkedWallet[] {
  return [...privyWallets(payload), ...plainWallets(payload)].flatMap((entry): LinkedWallet[] => {
    const chainType = entry.chain_type ?? entry.chainType ?? 'ethereum'
    const isPrivys = entry.wallet_client_type === 'privy' || entry.wallet_client_type === 'privy-v2'
    const isEmbedded = isPrivys || entry.kind === 'embedded'
    const kind = isEmbedded ? ('embedded' as const) : ('external' as const)
    const { address } = entry
    if (chainType === 'ethereum') {
      if (!isEvmAddress(address)) throw malformed(payload)
      return [{ chainType, kind, address: lowerCased(address) }]
    }
    if (chainType === 'solana') {
      if (typeof address !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) {
        throw malformed(payload)
      }
      return [{ chainType, kind, nativeAddress: address }]
    }
    return []
  })
}
