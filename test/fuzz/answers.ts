/** What every answer to a generated request must look like. */
import { type ErrorCode, errorCodes, errorStatus } from '#platform/errors.ts'
import { type Request, urlOf } from '#test/fuzz/requests.ts'
import type { Answer } from '#test/support/app.ts'
import { contractProblem, findOperation } from '#test/support/contract.ts'

/** An error is the envelope and nothing else, with a code of the table and its status. */
function errorProblem({ status, body, headers }: Answer): string | undefined {
  const { error, ...besides } = body ?? {}
  const { code, message, requestId, ...more } = error ?? {}
  if (Object.keys(besides).length + Object.keys(more).length > 0) return 'says more than an error'
  if (!errorCodes.includes(code)) return `has the unknown code ${code}`
  const isDowngraded =
    (code === 'account_disabled' && status === 401) ||
    (code === 'idempotency_key_reused' && status === 400)
  if (errorStatus(code as ErrorCode) !== status && !isDowngraded) return `has ${code} as ${status}`
  if (typeof message !== 'string' || message === '') return 'has no message'
  if (/\bat \/|node_modules|select |insert |violates|eyJ[A-Za-z0-9]{20}/.test(message)) {
    return `leaks: ${message}`
  }
  if (requestId !== headers['x-request-id']) return 'has another request id than its header'
  if (!String(headers['content-type']).startsWith('application/json')) return 'is not JSON'
  if (status === 401 && headers['www-authenticate'] === undefined) return 'lacks a challenge'
  if (status === 429 && headers['retry-after'] === undefined) return 'lacks Retry-After'
  return undefined
}

/** The chain is unreachable here: these operations say so, and test/http/ covers them. */
export const needsChain = [
  'confirmLedgerProof',
  'invalidateApproval',
  'registerVault',
  'syncPolicy',
]

/** A deposit and a new control need the chain; a probe and an existing control do not. */
const mayNeedChain = [...needsChain, 'attachFundingControl', 'requestFundingAction']

/** Equal creations wait 5 s for the first, which can be too short on a busy machine. */
const isStillMade = ({ operation }: Request, { status, headers }: Answer): boolean =>
  /^create\w*Wallet$/.test(operation.operationId) &&
  status === 503 &&
  headers['retry-after'] === '1'

/** The router cannot decode it, so no operation is reached and no token is required. */
function isBadPath(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return false
  } catch {
    return true
  }
}

/** 503 because the chain is unavailable here, or because an equal request is in progress. */
export const isExcused = (request: Request, answer: Answer): boolean =>
  answer.status === 503 &&
  (mayNeedChain.includes(request.operation.operationId) || isStillMade(request, answer))

export function problemWith(request: Request, answer: Answer): string | undefined {
  const { method, token, headers } = request
  const { status } = answer
  if (status >= 500 && !isExcused(request, answer)) return `answered ${status}`
  if (headers['x-request-id'] === 'mine-1' && answer.headers['x-request-id'] !== 'mine-1') {
    return 'dropped the request id'
  }
  const known = findOperation(method, urlOf(request))?.operation
  const isOpen = !known || request.operation.realm === 'public' || isBadPath(urlOf(request))
  if (!isOpen && token === undefined && ![401, 429].includes(status)) return 'let a stranger in'
  const contract = contractProblem(method, urlOf(request), answer)
  if (contract !== undefined) return contract
  return status >= 400 && method !== 'HEAD' ? errorProblem(answer) : undefined
}
