/**
 * Requests to a provider's HTTP API, bounded in size and time. The outcome is done, refused or
 * unknown. Errors contain nothing of the request or response body, which can contain keys.
 */

import { AppError } from '#platform/errors.ts'
import { fits, type Static, type TSchema, Type } from '#platform/schema.ts'
import { ANSWER_BYTES_MAX, readBody, tryParseJson } from './read-body.ts'

const RETRY_AFTER_DEFAULT_SECONDS = 5
const RETRY_AFTER_MAX_SECONDS = 3_600

const JsonObject = Type.Record(Type.String(), Type.Unknown())
type JsonObject = Static<typeof JsonObject>

/** Ids assigned by providers. They become parts of URL paths, so the characters are restricted. */
export const ProviderId = Type.String({ pattern: '^[\\w-]{1,64}$' })

/** Providers omit an empty field or send null. */
export const optional = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

export type ProviderAnswer =
  | { outcome: 'done'; body: JsonObject }
  | { outcome: 'refused'; status: number; code: string }

export type ProviderClientOptions = {
  /** For the log. */
  name: string
  /** For the caller. */
  message: string
  /** The provider's reason code in the body of a refusal. */
  codeOf(body: JsonObject): unknown
  timeoutMs: number
}

export type ProviderClient = {
  /** Rejects with `dependency_unavailable` if the outcome of the request is unknown. */
  request(url: string, init?: RequestInit): Promise<ProviderAnswer>
}

/** Statuses after which the same request may succeed, or may have succeeded. */
const isUnsure = (status: number): boolean =>
  status >= 500 || status < 200 || [408, 409, 425, 429].includes(status)

/** Undefined unless the value is a short code, since free text can repeat the request. */
export const reasonCode = (value: unknown): string | undefined => {
  const code = String(value ?? '')
  return /^[a-z0-9_]{1,60}$/.test(code) ? code : undefined
}

export type Unavailable = (reason: string, retryAfter?: string | null) => AppError

export const unavailableBy =
  ({ name, message }: Pick<ProviderClientOptions, 'name' | 'message'>): Unavailable =>
  (reason, retryAfter = null) => {
    const asked = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
    return new AppError('dependency_unavailable', {
      message,
      retryAfterSeconds: Math.min(asked || RETRY_AFTER_DEFAULT_SECONDS, RETRY_AFTER_MAX_SECONDS),
      cause: new Error(`${name} ${reason}`),
    })
  }

export function createProviderClient(provider: ProviderClientOptions): ProviderClient {
  const unavailable = unavailableBy(provider)
  return {
    async request(url, init = {}) {
      const response = await fetchBounded(url, init, provider.timeoutMs)
      if (!response) throw unavailable('gave no answer')
      const { status, text, retryAfter } = response
      if (isUnsure(status)) throw unavailable(`answered ${status}`, retryAfter)
      const parsed = tryParseJson(text)
      const body = fits(JsonObject, parsed) ? parsed : undefined
      if (status < 300 && body) return { outcome: 'done', body }
      if (status < 400) throw unavailable(`answered ${status} in an unknown format`)
      return {
        outcome: 'refused',
        status,
        code: reasonCode(provider.codeOf(body ?? {})) ?? 'unknown',
      }
    },
  }
}

/** Undefined without a complete response. Redirects are not followed. */
async function fetchBounded(url: string, { signal, ...init }: RequestInit, timeoutMs: number) {
  const inTime = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, inTime]) : inTime,
    })
    const text = await readBody(response.body, ANSWER_BYTES_MAX)
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') }
  } catch {
    return undefined
  }
}
