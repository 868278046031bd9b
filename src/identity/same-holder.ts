/** The identity token must be valid and name the same issuer and subject as the access token. */
import { AppError, type FailedCheck } from '#platform/errors.ts'
import type { IdentityClaims, TokenVerdict } from '#ports/identity-provider.ts'

type Holder = { issuer: string; subject: string }

const mismatch = (claim: 'iss' | 'sub', expected: string, found: string): FailedCheck => ({
  credential: 'identity_token',
  claim,
  expected: `${expected}, as in the access token`,
  found,
})

function failedCheck(
  verdict: TokenVerdict<IdentityClaims>,
  { issuer, subject }: Holder,
): FailedCheck | undefined {
  if (verdict.outcome === 'invalid') return verdict.failed
  const { claims } = verdict
  if (claims.issuer !== issuer) return mismatch('iss', issuer, claims.issuer)
  return claims.subject === subject ? undefined : mismatch('sub', subject, claims.subject)
}

export function requireSameHolder(
  verdict: TokenVerdict<IdentityClaims>,
  holder: Holder,
  options: { message?: string } = {},
): IdentityClaims {
  const failed = failedCheck(verdict, holder)
  if (verdict.outcome === 'valid' && !failed) return verdict.claims
  throw new AppError('unauthenticated', { ...options, failed })
}
