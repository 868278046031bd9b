/**
 * The error answers of an operation in the document: which codes each status has, and when. Codes
 * that follow from the route itself (its token, role, body and key) are computed; a route names its
 * own.
 */
import type { Access } from '#access/permissions.ts'
import { type ErrorCode, errorStatus } from '#platform/errors.ts'
import type { Operation, Schema } from './openapi-names.ts'

/** When an operation answers a code, as a sentence. */
export type Errors = { [Code in ErrorCode]?: string }

/** Any operation may answer these. */
const anywhere: Errors = {
  rate_limited:
    'Too many requests of this account or address. `Retry-After` says how long to wait.',
  internal: 'Something went wrong on our side. Tell support the `requestId`.',
  dependency_unavailable: 'The database, the chain or a provider is unavailable. Retry.',
}

const withInput: Errors = {
  validation_failed: 'A field, parameter or header does not match this page. `message` names it.',
}

const withBody: Errors = {
  ...withInput,
  malformed_json: 'The body is not valid JSON.',
  payload_too_large: 'The body is larger than this operation takes.',
  unsupported_media_type: 'The body is not `application/json`.',
}

const withKey: Errors = {
  idempotency_key_required: 'The `Idempotency-Key` is missing or not 1 to 255 visible characters.',
  idempotency_key_reused: 'The key was used with another body.',
  idempotency_in_progress: 'The first request with this key is still running. Retry shortly.',
}

const withToken: Errors = {
  unauthenticated: 'There is no valid access token of this realm.',
}

const ofAccount: Errors = {
  session_required: 'The account has no session yet: call `PUT /v1/consumer/session` first.',
  account_disabled: 'The account is disabled.',
}

const byRealm: Errors = { realm_mismatch: "The token belongs to the other realm's application." }

function ofAccess(access: Access | undefined): Errors {
  if (!access || access.realm === 'public') return {}
  if (access.realm === 'admin') {
    return {
      ...withToken,
      ...byRealm,
      operator_required: 'The caller is not an active operator.',
      account_disabled: 'The account is disabled.',
    }
  }
  if ('needs' in access) {
    if (access.needs === 'token') return { ...withToken, ...byRealm }
    const { account_disabled, ...session } = ofAccount
    return access.needs === 'account'
      ? { ...withToken, ...byRealm, ...session }
      : { ...withToken, ...byRealm, ...ofAccount }
  }
  const allowed = access.roles.map((role) => articles[role]).join(' or ')
  return {
    ...withToken,
    ...byRealm,
    ...ofAccount,
    forbidden: 'The caller is not an active member of the organization, or it does not exist.',
    ...(access.roles.length < 3 && {
      role_required: `The caller is not ${allowed}.`,
    }),
    ...(access.walletRole && {
      approver_wallet_required: 'The caller has no wallet with the role `approver`.',
    }),
  }
}

const articles = { owner: 'an owner', manager: 'a manager', employee: 'an employee' }

type Shape = { access: Access | undefined; hasBody: boolean; hasKey: boolean }

/** Health checks ignore what they do not know. */
const isHealth = (access: Access | undefined): boolean =>
  access?.realm === 'public' && !access.isLimited

const computed = ({ access, hasBody, hasKey }: Shape): Errors => ({
  ...(hasBody ? withBody : isHealth(access) ? {} : withInput),
  ...(hasKey && withKey),
  ...ofAccess(access),
  ...anywhere,
})

/** Where a status is not declared, the error handler uses another (`fitToRoute`). */
function fittedStatus(code: ErrorCode, declared: ReadonlySet<string>): string | undefined {
  const status = String(errorStatus(code))
  if (declared.has(status)) return status
  const isConflict = code === 'idempotency_key_reused' || code === 'state_conflict'
  if (isConflict && declared.has('400')) return '400'
  if (code === 'account_disabled') return declared.has('401') ? '401' : 'default'
  return ['400', '401', '413', '415', '429', '500', '503'].includes(status) ? 'default' : undefined
}

const bullet = (code: string, when: string): string => `- \`${code}\`: ${when}`

/** The envelope with the codes of one answer. */
const envelopeOf = (codes: readonly string[]): Schema => ({
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'Why the request failed',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { type: 'string', enum: [...codes], description: 'What went wrong, for programs' },
        message: {
          type: 'string',
          minLength: 1,
          description: 'What went wrong and what to do, for people. May change.',
        },
        requestId: {
          type: 'string',
          minLength: 1,
          description: 'Also in the `X-Request-Id` header and in the logs',
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
})

type Documented = Operation & { description?: string }
type Response = { description?: string; content?: Record<string, { schema?: Schema }> }

/** Writes the codes into the responses, and the operation's own ones into its description. */
export function writeErrors(
  operation: Documented,
  { access, own }: { access: Access | undefined; own: Errors },
): void {
  const { parameters = [], requestBody, responses = {} } = operation
  const declared = new Set(Object.keys(responses))
  const shape = {
    access,
    hasBody: requestBody?.content?.['application/json'] !== undefined,
    hasKey: parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
  }
  const all: Errors = { ...computed(shape), ...own }
  const byStatus = new Map<string, [ErrorCode, string][]>()
  for (const [code, when] of Object.entries(all) as [ErrorCode, string][]) {
    const status = fittedStatus(code, declared)
    if (status) byStatus.set(status, [...(byStatus.get(status) ?? []), [code, when]])
  }
  for (const [status, codes] of byStatus) {
    const response: Response = responses[status] ?? {}
    const json = response.content?.['application/json']
    if (!json?.schema?.$ref?.endsWith('/Error')) continue
    // What any operation may answer has the general envelope.
    if (status !== 'default') json.schema = envelopeOf(codes.map(([code]) => code))
    response.description = codes.map(([code, when]) => bullet(code, when)).join('\n')
  }
  const listed = Object.entries(own).map(([code, when]) => bullet(code, when ?? ''))
  if (listed.length > 0) {
    operation.description = `${operation.description ?? ''}\n\nErrors:\n${listed.join('\n')}`
  }
}
