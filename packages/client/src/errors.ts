/**
 * Errors as values: every error code of the API, what an application does about it, and the
 * failures without an answer of the API. `docs/ERRORS.md` of the service explains each code.
 */

/**
 * What to do about a failure.
 *
 * - `correct`: show the message at the field or above the form; the person changes something
 * - `refresh`: somebody was faster; read again, show what changed, keep what was typed
 * - `not_allowed`: this person may not do it; say who could
 * - `not_ready`: something else comes first; link to the step that is missing
 * - `sign_in`: authenticate again, and keep the page as it is
 * - `wait`: nothing is wrong; repeat after `retryAfterMs`, with the same idempotency key
 * - `report`: a fault of the service or of this program; show the request id for support
 */
export type Treatment =
  | 'correct'
  | 'refresh'
  | 'not_allowed'
  | 'not_ready'
  | 'sign_in'
  | 'wait'
  | 'report'

export const TREATMENTS = {
  validation_failed: 'correct',
  unsupported_chain: 'correct',
  duplicate: 'correct',
  wallet_conflict: 'correct',
  policy_violation: 'correct',
  insufficient_funds: 'correct',
  invalid_signature: 'correct',
  transaction_mismatch: 'correct',
  transaction_failed: 'correct',

  not_found: 'refresh',
  version_conflict: 'refresh',
  state_conflict: 'refresh',
  invalid_transition: 'refresh',
  approval_expired: 'refresh',
  invitation_unusable: 'refresh',
  export_unusable: 'refresh',

  forbidden: 'not_allowed',
  role_required: 'not_allowed',
  operator_required: 'not_allowed',
  approver_wallet_required: 'not_allowed',
  treasury_owner_required: 'not_allowed',
  self_approval: 'not_allowed',
  self_review: 'not_allowed',
  non_production_only: 'not_allowed',

  executor_not_ready: 'not_ready',
  policy_missing: 'not_ready',
  vault_unverified: 'not_ready',
  vault_archived: 'not_ready',
  report_missing: 'not_ready',
  signer_not_ready: 'not_ready',

  unauthenticated: 'sign_in',
  session_required: 'sign_in',
  realm_mismatch: 'sign_in',
  account_disabled: 'sign_in',
  fresh_authentication_required: 'sign_in',

  rate_limited: 'wait',
  idempotency_in_progress: 'wait',
  dependency_unavailable: 'wait',

  internal: 'report',
  malformed_json: 'report',
  idempotency_key_required: 'report',
  idempotency_key_reused: 'report',
  payload_too_large: 'report',
  unsupported_media_type: 'report',
} as const satisfies Record<string, Treatment>

export type ErrorCode = keyof typeof TREATMENTS

/** The API refused the request. */
export type ApiFailure = {
  source: 'api'
  /** A newer service may have codes that this version does not know. */
  code: ErrorCode | (string & {})
  treatment: Treatment
  /** A sentence for people, in English. Branch on `code`. */
  message: string
  status: number
  requestId: string | null
  /** How long the API asks to wait. */
  retryAfterMs: number | null
}

/** No answer of the API arrived. */
export type TransportFailure = {
  source: 'transport'
  /**
   * - `network`: the connection failed
   * - `timeout`: no complete answer in time
   * - `unexpected_response`: an answer that is not the API's, such as a proxy's error page
   * - `aborted`: the caller's signal aborted
   */
  code: 'network' | 'timeout' | 'unexpected_response' | 'aborted'
  treatment: 'wait' | 'report'
  message: string
  status: number | null
  requestId: string | null
  retryAfterMs: number | null
  /**
   * False if the request cannot have changed anything, because it only reads. Otherwise repeat it
   * with the same idempotency key, or read first if the operation has none.
   */
  mayHaveTakenEffect: boolean
  cause: unknown
}

export type Failure = ApiFailure | TransportFailure

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(TREATMENTS, code)

/** An unknown code is treated by its status. */
export function treatmentOf(code: string, status: number): Treatment {
  if (isKnown(code)) return TREATMENTS[code]
  if (status === 401) return 'sign_in'
  if (status === 403) return 'not_allowed'
  if (status === 404 || status === 409) return 'refresh'
  if (status === 429 || status === 503) return 'wait'
  return status >= 500 ? 'report' : 'correct'
}

type ErrorBody = { error: { code: string; message: string; requestId: string } }

function isErrorBody(value: unknown): value is ErrorBody {
  const error = (value as Partial<ErrorBody> | null | undefined)?.error
  return typeof error?.code === 'string' && typeof error.message === 'string'
}

const MESSAGES: Record<TransportFailure['code'], string> = {
  network: 'The service could not be reached. Check the connection and try again.',
  timeout: 'The service did not answer in time. Try again.',
  unexpected_response: 'The answer is not one of this API. Check the address of the service.',
  aborted: 'The request was aborted.',
}

export const transportFailure = (
  code: TransportFailure['code'],
  about: Partial<Omit<TransportFailure, 'source' | 'code' | 'treatment'>> = {},
): TransportFailure => ({
  source: 'transport',
  code,
  treatment: code === 'unexpected_response' && (about.status ?? 0) < 500 ? 'report' : 'wait',
  message: MESSAGES[code],
  status: null,
  requestId: null,
  retryAfterMs: null,
  mayHaveTakenEffect: true,
  cause: undefined,
  ...about,
})

/** Reads an answer with an error status. */
export function failureOf(
  response: Response,
  body: unknown,
  about: { retryAfterMs: number | null; mayHaveTakenEffect: boolean },
): Failure {
  const { status, headers } = response
  const requestId = headers.get('x-request-id')
  if (!isErrorBody(body)) {
    return transportFailure('unexpected_response', { ...about, status, requestId, cause: body })
  }
  const { code, message } = body.error
  return {
    source: 'api',
    code,
    treatment: treatmentOf(code, status),
    message,
    status,
    requestId: body.error.requestId ?? requestId,
    retryAfterMs: about.retryAfterMs,
  }
}
