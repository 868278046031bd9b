/**
 * The error table: every error code of the API, with its status and a sentence that says what to do
 * next. Errors are thrown as `AppError`, and `http/error-handler.ts` turns them into responses.
 */
const table = {
  validation_failed: [400, 'The request does not match the contract. Correct it and try again.'],
  malformed_json: [400, 'The body is not valid JSON. Correct it and try again.'],
  idempotency_key_required: [
    400,
    'Send an Idempotency-Key header of 1 to 255 visible ASCII characters.',
  ],
  unsupported_chain: [400, 'This deployment does not serve that chain. Use its configured chain.'],
  invalid_transition: [
    400,
    'This change is not possible in the current state. Read the state again.',
  ],

  unauthenticated: [401, 'Send a valid access token of this realm as a bearer token.'],
  session_required: [401, 'Open a session first: PUT /v1/consumer/session.'],

  account_disabled: [403, 'This account is disabled. Ask support to enable it.'],
  forbidden: [403, 'You have no access to this, or it does not exist.'],
  role_required: [403, 'Your role does not allow this. Ask an owner of the organization.'],
  realm_mismatch: [403, 'This token belongs to the other realm. Use a token of this realm.'],
  operator_required: [403, 'Only an active operator may do this.'],
  approver_wallet_required: [403, 'Only the holder of an approver wallet may do this.'],
  self_approval: [403, 'You submitted this expense. Another approver must sign it.'],
  self_review: [403, 'You submitted this expense. Another owner or manager must review it.'],
  non_production_only: [403, 'This is only available outside production. Use another deployment.'],
  fresh_authentication_required: [
    403,
    'Authenticate again with two factors, with the id of this request as nonce, and sign its ' +
      'payload with the recipient key.',
  ],

  not_found: [404, 'This does not exist. Check the id.'],

  version_conflict: [409, 'This has changed since you read it. Read it again and repeat.'],
  state_conflict: [409, 'The current state does not allow this. Read it again.'],
  duplicate: [409, 'This already exists. Use the existing one.'],
  wallet_conflict: [
    409,
    'A wallet of this identity is linked to another account. Sign in with it.',
  ],
  idempotency_key_reused: [
    409,
    'This Idempotency-Key was used with another request. Use a new key.',
  ],
  idempotency_in_progress: [
    409,
    'The first request with this key is still running. Retry shortly.',
  ],
  transaction_mismatch: [
    409,
    'This transaction is not the prepared one. Submit the hash of the right one.',
  ],
  transaction_failed: [
    409,
    'This transaction was reverted on the chain. Find out why, and send a new one.',
  ],
  vault_unverified: [409, 'This vault is not verified. Wait until it is, or register another one.'],
  vault_archived: [409, 'This vault is archived. Use another one.'],
  treasury_owner_required: [
    409,
    'Give one of your own wallets the role treasury_owner first. A server wallet cannot own a ' +
      'vault, because the service could sign for it.',
  ],
  executor_not_ready: [409, 'Provision the executor first, and wait until it is active.'],
  policy_missing: [409, 'The vault has no policy yet. Configure one first.'],
  policy_violation: [409, 'The policy does not allow this. Change the request or the policy.'],
  insufficient_funds: [
    409,
    "The vault's balance minus its reserve and pending payments is too low. Deposit first, or " +
      'lower the amount.',
  ],
  approval_expired: [409, 'This approval is past its deadline. Prepare a new one.'],
  invalid_signature: [
    409,
    "This is not the approver's signature of this approval. Sign the typed data as returned.",
  ],
  report_missing: [409, 'This revision has no report yet. Submit it, or wait for its analysis.'],
  invitation_unusable: [
    409,
    'This invitation cannot be used. If it was sent to an e-mail address, sign in with an ' +
      'account that has that address, verified; otherwise ask for a new one.',
  ],
  export_unusable: [409, 'This export request cannot be completed. Make a new one.'],
  signer_not_ready: [
    409,
    'The funding signer is not ready. GET provider-signer says what blocks it.',
  ],

  payload_too_large: [413, 'The body is larger than this operation accepts. Send a smaller one.'],
  unsupported_media_type: [415, 'Send the body as application/json.'],
  rate_limited: [429, 'Too many requests. Wait as long as Retry-After says.'],
  internal: [500, 'Something went wrong on our side. Tell support the request id.'],
  dependency_unavailable: [503, 'A service that this request needs is unavailable. Retry shortly.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof table

export const errorCodes = Object.keys(table) as ErrorCode[]

export const errorStatus = (code: ErrorCode): number => table[code][0]
export const errorMessage = (code: ErrorCode): string => table[code][1]

export type Credential =
  | 'authorization_header'
  | 'access_token'
  | 'identity_token'
  | 'mfa_assertion'
  | 'authorization_signature'

/** The failed authentication check. For the log, never for the caller. */
export type FailedCheck = {
  credential: Credential
  claim: string
  expected: string
  /** Truncated, because callers choose it; never a whole token. */
  found: string
}

export type AppErrorOptions = {
  /** Replaces the table's sentence; must be safe to show to the caller. */
  message?: string
  retryAfterSeconds?: number
  cause?: unknown
  failed?: FailedCheck | undefined
}

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly failed: FailedCheck | undefined

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const { message, retryAfterSeconds, cause, failed } = options
    super(message ?? errorMessage(code), cause === undefined ? undefined : { cause })
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.failed = failed
  }
}

/** An external service is unavailable or overloaded; the request may be retried. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'dependency_unavailable'

/** The process cannot start or continue. The message is one line for the operator. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
  /** Exit code of the process; 1 unless a command documents another. */
  readonly exitCode: number

  constructor(message: string, { exitCode = 1, ...options }: StartupErrorOptions = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}

type StartupErrorOptions = ErrorOptions & { exitCode?: number }
