/**
 * Access tokens whose signature was verified, so that it is verified once and not with every
 * request. Time is still looked at each time, and all is forgotten with the key set it was verified
 * by. A token is kept as its digest; only good ones are kept, and the oldest makes room.
 */
import { hash } from 'node:crypto'
import type { AccessClaims } from '#ports/identity-provider.ts'

const TOKENS_MAX = 10_000

type Seen = { claims: AccessClaims; verifiedAtMs: number }

export type TokenCheck = {
  now: Date
  toleranceSeconds: number
  /** Undefined while the keys are just being changed. */
  keySet(): number | undefined
  verify(): Promise<AccessClaims>
}

export type VerifiedTokens = { claimsOf(token: string, about: TokenCheck): Promise<AccessClaims> }

export function createVerifiedTokens({ max = TOKENS_MAX } = {}): VerifiedTokens {
  const seen = new Map<string, Seen>()
  let verifiedBy: number | undefined

  return {
    async claimsOf(token, { now, toleranceSeconds, keySet, verify }) {
      const current = keySet()
      if (current === undefined) return verify()
      if (current !== verifiedBy) seen.clear()
      verifiedBy = current
      const digest = hash('sha256', token, 'base64')
      const known = seen.get(digest)
      const nowSeconds = Math.floor(now.getTime() / 1000)
      // A clock that was set back may stand before the token's beginning again.
      const isTimely = known !== undefined && now.getTime() >= known.verifiedAtMs
      if (isTimely && known.claims.expiresAtSeconds > nowSeconds - toleranceSeconds) {
        return known.claims
      }
      seen.delete(digest)
      const claims = await verify()
      // Keys that changed meanwhile may not know it any more.
      if (keySet() !== current || verifiedBy !== current) return claims
      seen.set(digest, { claims, verifiedAtMs: now.getTime() })
      const oldest = seen.size > max ? seen.keys().next().value : undefined
      if (oldest !== undefined) seen.delete(oldest)
      return claims
    },
  }
}
