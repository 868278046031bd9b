/**
 * Verified-token cache: the signature of an access token is verified once, not with every request.
 * The expiry is still checked on every request, and a new key set empties the cache. Only valid
 * tokens are stored, as digests, and the oldest is evicted at the size limit.
 */
import { hash } from 'node:crypto'
import type { AccessClaims } from '#ports/identity-provider.ts'

const TOKENS_MAX = 10_000

type CachedToken = { claims: AccessClaims; verifiedAtMs: number }

export type TokenCheck = {
  now: Date
  toleranceSeconds: number
  /** Generation of the key set; undefined while it is being fetched. */
  keySet(): number | undefined
  verify(): Promise<AccessClaims>
}

export type VerifiedTokens = { claimsOf(token: string, check: TokenCheck): Promise<AccessClaims> }

export function createVerifiedTokens({ max = TOKENS_MAX } = {}): VerifiedTokens {
  const cache = new Map<string, CachedToken>()
  let cachedKeySet: number | undefined

  return {
    async claimsOf(token, { now, toleranceSeconds, keySet, verify }) {
      const current = keySet()
      if (current === undefined) return verify()
      if (current !== cachedKeySet) cache.clear()
      cachedKeySet = current
      const digest = hash('sha256', token, 'base64')
      const cached = cache.get(digest)
      const nowSeconds = Math.floor(now.getTime() / 1000)
      // If the clock was set back, the token may not be valid yet (`nbf`).
      const isUsable = cached !== undefined && now.getTime() >= cached.verifiedAtMs
      if (isUsable && cached.claims.expiresAtSeconds > nowSeconds - toleranceSeconds) {
        return cached.claims
      }
      cache.delete(digest)
      const claims = await verify()
      // The key set changed during the verification: do not cache the result.
      if (keySet() !== current || cachedKeySet !== current) return claims
      cache.set(digest, { claims, verifiedAtMs: now.getTime() })
      const oldest = cache.size > max ? cache.keys().next().value : undefined
      if (oldest !== undefined) cache.delete(oldest)
      return claims
    },
  }
}
