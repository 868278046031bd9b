/** Why a token is refused: the claim that failed, the expected value and the value found. */
import { decodeProtectedHeader, errors } from 'jose'
import { AppError, type FailedCheck } from '#platform/errors.ts'

export type ClaimCheck = Pick<FailedCheck, 'claim' | 'expected' | 'found'>

export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  readonly check: ClaimCheck

  constructor({ claim, expected, found }: { claim: string; expected: string; found: unknown }) {
    super(`${claim} is not ${expected}`)
    this.check = { claim, expected, found: shown(found) }
  }
}

export type Expectation = {
  issuer: string
  audiences: readonly string[]
  algorithms: readonly string[]
  now: Date
}

const SHOWN_MAX = 120

/** Callers choose these values, so the log shows a bounded part. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`
}

/** Throws `dependency_unavailable` if the key set cannot be reached: the token may be valid. */
export function failedClaimOf(error: unknown, token: string, expectation: Expectation): ClaimCheck {
  if (error instanceof TokenRefused) return error.check
  const isTokenInvalid =
    error instanceof errors.JOSEError &&
    error.code !== 'ERR_JOSE_GENERIC' &&
    !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
  if (isTokenInvalid) return checkOf(error, token, expectation)
  throw new AppError('dependency_unavailable', {
    message: 'The identity provider cannot be reached. Retry shortly.',
    retryAfterSeconds: 5,
    cause: error,
  })
}

function checkOf(error: errors.JOSEError, token: string, expectation: Expectation): ClaimCheck {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    const { claim, payload } = error
    return { claim, expected: expectedOf(claim, expectation), found: shown(payload[claim]) }
  }
  const { alg, kid } = headerOf(token)
  if (error instanceof errors.JOSEAlgNotAllowed) {
    const expected = expectation.algorithms.join(' or ')
    return { claim: 'alg', expected, found: shown(alg) }
  }
  if (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  ) {
    return { claim: 'kid', expected: 'one key of the key set', found: shown(kid) }
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    const found = `a signature that key ${shown(kid)} did not make`
    return { claim: 'signature', expected: 'a signature by a key of the key set', found }
  }
  const found = `${token.length} characters (${error.code})`
  return { claim: 'format', expected: 'a signed JWT in compact form', found }
}

function expectedOf(claim: string, { issuer, audiences, now }: Expectation): string {
  const clock = now.toISOString()
  const known: Record<string, string> = {
    iss: issuer,
    aud: audiences.join(' or '),
    exp: `seconds after ${clock}`,
    nbf: `seconds not after ${clock}`,
  }
  return known[claim] ?? 'a valid value'
}

/** Not verified; for the log only. */
function headerOf(token: string): { alg?: unknown; kid?: unknown } {
  try {
    return decodeProtectedHeader(token)
  } catch {
    return {}
  }
}
