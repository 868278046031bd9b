/**
 * The error answers of an operation in the document: which codes each status has, and when. Codes
 * that follow from the route itself (its token, role, body and key) are computed; a route names its
 * own.
 */

import type { Access } from '#access/permissions.ts'
import { AppError, type ErrorCode } from '#platform/errors.ts'
import { type TSchema, Type } from '#platform/schema.ts'
import { oneOf } from '#platform/values.ts'
import { fitToRoute } from './error-handler.ts'
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

/** Also where no body is expected: one that comes is parsed. */
const withWrite: Errors = {
  ...withInput,
  malformed_json: 'The body is not valid JSON.',
}

const withBody: Errors = {
  ...withWrite,
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

const withoutSession: Errors = {
  session_required: 'The account has no session yet: call `PUT /v1/consumer/session` first.',
}

const whenDisabled: Errors = { account_disabled: 'The account is disabled.' }

const byRealm: Errors = { realm_mismatch: "The token belongs to the other realm's application." }

function ofAccess(access: Access | undefined): Errors {
  if (!access || access.realm === 'public') return {}
  if (access.realm === 'admin') {
    const operator_required = 'The caller is not an active operator.'
    return { ...withToken, ...byRealm, operator_required, ...whenDisabled }
  }
  if ('needs' in access) {
    return {
      ...withToken,
      ...byRealm,
      ...(access.needs !== 'token' && withoutSession),
      ...(access.needs === 'active_account' && whenDisabled),
    }
  }
  const allowed = access.roles.map((role) => articles[role]).join(' or ')
  return {
    ...withToken,
    ...byRealm,
    ...withoutSession,
    ...whenDisabled,
    forbidden: 'The caller is not an active member of the organization, or it does not exist.',
    ...(access.roles.length < 3 && { role_required: `The caller is not ${allowed}.` }),
    ...(access.walletRole && {
      approver_wallet_required: 'The caller has no wallet with the role `approver`.',
    }),
  }
}

const articles = { owner: 'an owner', manager: 'a manager', employee: 'an employee' }

type Shape = { access: Access | undefined; writes: boolean; hasBody: boolean; hasKey: boolean }

/** Health checks ignore what they do not know. */
const isHealth = (access: Access | undefined): boolean =>
  access?.realm === 'public' && !access.isLimited

const computed = ({ access, writes, hasBody, hasKey }: Shape): Errors => ({
  ...(hasBody ? withBody : writes ? withWrite : isHealth(access) ? {} : withInput),
  ...(hasKey && withKey),
  ...ofAccess(access),
  ...anywhere,
})

/** The error handler decides which status a code gets, and whether it becomes another code. */
function fittedStatus(code: ErrorCode, declared: ReadonlySet<number>): string | undefined {
  const fitted = fitToRoute(new AppError(code), declared)
  if (fitted.code !== code) return undefined
  return declared.has(fitted.status) ? String(fitted.status) : 'default'
}

const bullet = (code: string, when: string): string => `- \`${code}\`: ${when}`

const codeText = { description: 'What went wrong, for programs' }

const envelope = (code: TSchema, { id, title }: { id?: string; title?: string } = {}) =>
  Type.Object(
    {
      error: Type.Object(
        {
          code,
          message: Type.String({
            minLength: 1,
            description: 'What went wrong and what to do, for people. May change.',
          }),
          requestId: Type.String({
            minLength: 1,
            description: 'Also in the `X-Request-Id` header and in the logs',
          }),
        },
        {
          ...(title && { title }),
          description: 'Why the request failed',
          additionalProperties: false,
        },
      ),
    },
    { ...(id && { $id: id }), additionalProperties: false },
  )

export const ErrorEnvelopeSchema = envelope(Type.String({ minLength: 1, ...codeText }), {
  id: 'Error',
  title: 'ErrorDetail',
})

/** The envelope with the codes of one answer. */
const envelopeOf = (codes: readonly string[]): Schema =>
  envelope(oneOf(codes, codeText)) as unknown as Schema

type Documented = Operation & { description?: string }
type Response = { description?: string; content?: Record<string, { schema?: Schema }> }

/** Writes the codes into the responses, and the operation's own ones into its description. */
export function writeErrors(
  operation: Documented,
  { access, own, writes }: { access: Access | undefined; own: Errors; writes: boolean },
): void {
  const { parameters = [], requestBody, responses = {} } = operation
  const declared = new Set(Object.keys(responses).map(Number))
  const shape = {
    access,
    writes,
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
