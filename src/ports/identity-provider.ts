/** The external identity provider, as far as the service knows it. Types only. */
import type { Realm } from '#platform/config.ts'

export type AccessClaims = { issuer: string; subject: string; expiresAtSeconds: number }

export type LinkedWallet =
  | { chainType: 'ethereum'; kind: 'embedded' | 'external'; address: string }
  | { chainType: 'solana'; kind: 'embedded' | 'external'; nativeAddress: string }

export type IdentityClaims = { issuer: string; subject: string; wallets: LinkedWallet[] }

export type AccessVerdict =
  | { outcome: 'valid'; claims: AccessClaims }
  /** Good, but for the other realm. */
  | { outcome: 'other_realm' }
  | { outcome: 'invalid'; reason: string }

/** `unusable`: something answers there, and it is no set of keys. */
export type KeySetState = 'usable' | 'unreachable' | 'unusable'

/** What an identity provider says about how, when and for what somebody proved themselves. */
export type FreshAssertion = {
  issuer: string
  subject: string
  authTimeSeconds: number
  methods: string[]
  nonce: string
}

export type IdentityProvider = {
  /** Asks for both sets anew, whatever is remembered of them. */
  checkKeySets(): Promise<Record<Realm, KeySetState>>
  verifyAccessToken(input: { realm: Realm; token: string }): Promise<AccessVerdict>
  /** Undefined when the token is not a valid identity token of the realm. */
  verifyIdentityToken(input: { realm: Realm; token: string }): Promise<IdentityClaims | undefined>
  /** Undefined when the token is not a valid assertion of the realm, with all of its claims. */
  verifyAssertion(input: { realm: Realm; token: string }): Promise<FreshAssertion | undefined>
}
