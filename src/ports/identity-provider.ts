/** The external identity provider. Types only. */
import type { Realm } from '#platform/config/config.ts'
import type { FailedCheck } from '#platform/errors.ts'

export type AccessClaims = { issuer: string; subject: string; expiresAtSeconds: number }

export type LinkedWallet =
  | { chainType: 'ethereum'; kind: 'embedded' | 'external'; address: string }
  | { chainType: 'solana'; kind: 'embedded' | 'external'; nativeAddress: string }

/** Null for what the token does not have or says in an unusable form. */
export type IdentityProfile = {
  name: string | null
  /** Verified by the provider; in lower case. */
  email: string | null
}

export type IdentityClaims = {
  issuer: string
  subject: string
  wallets: LinkedWallet[]
  profile: IdentityProfile
}

export type TokenVerdict<Claims> =
  | { outcome: 'valid'; claims: Claims }
  | { outcome: 'invalid'; failed: FailedCheck }

/** `other_realm`: the token is valid in the other realm. */
export type AccessVerdict = TokenVerdict<AccessClaims> | { outcome: 'other_realm' }

/** `unusable`: the URL answers, but without a usable key set. */
export type KeySetState = 'usable' | 'unreachable' | 'unusable'

/** Claims of a fresh sign-in: when, with which methods, and for which request (`nonce`). */
export type FreshAssertion = {
  issuer: string
  subject: string
  authTimeSeconds: number
  methods: string[]
  nonce: string
}

export type IdentityProvider = {
  /** Fetches both key sets, bypassing the cache. */
  checkKeySets(): Promise<Record<Realm, KeySetState>>
  verifyAccessToken(input: { realm: Realm; token: string }): Promise<AccessVerdict>
  verifyIdentityToken(input: { realm: Realm; token: string }): Promise<TokenVerdict<IdentityClaims>>
  /** Valid only with `auth_time`, `amr` and `nonce`. */
  verifyAssertion(input: { realm: Realm; token: string }): Promise<TokenVerdict<FreshAssertion>>
}
