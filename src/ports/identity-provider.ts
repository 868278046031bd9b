/** The external identity provider, as far as the service knows it. Types only. */
import type { Realm } from '#platform/config/config.ts'
import type { FailedCheck } from '#platform/errors.ts'

export type AccessClaims = { issuer: string; subject: string; expiresAtSeconds: number }

export type LinkedWallet =
  | { chainType: 'ethereum'; kind: 'embedded' | 'external'; address: string }
  | { chainType: 'solana'; kind: 'embedded' | 'external'; nativeAddress: string }

export type IdentityClaims = { issuer: string; subject: string; wallets: LinkedWallet[] }

export type TokenVerdict<Claims> =
  | { outcome: 'valid'; claims: Claims }
  | { outcome: 'invalid'; failed: FailedCheck }

/** `other_realm`: a valid token, but of the other realm. */
export type AccessVerdict = TokenVerdict<AccessClaims> | { outcome: 'other_realm' }

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
  verifyIdentityToken(input: { realm: Realm; token: string }): Promise<TokenVerdict<IdentityClaims>>
  /** Valid only with `auth_time`, `amr` and `nonce`. */
  verifyAssertion(input: { realm: Realm; token: string }): Promise<TokenVerdict<FreshAssertion>>
}
