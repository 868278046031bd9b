/**
 * The client: one function per operation of the API, by its operation id.
 *
 * A call goes through three steps. `call` builds the request and fixes its idempotency key. `send`
 * repeats the attempt, with that key, until there is an answer or a reason to stop. openapi-fetch
 * serialises and reads the body in between. `call` never rejects: a token source that throws is a
 * failure of the transport, like a lost connection.
 */
import createFetchClient from 'openapi-fetch'
import { transportFailure } from './errors.ts'
import type { CallArguments, CallData, CallInput, OperationId } from './operation-types.ts'
import { OPERATIONS } from './operations.ts'
import { randomKey } from './random-key.ts'
import type { Result } from './result.ts'
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts'
import { type Sent, send, type TokenSource, type Transport } from './send.ts'
import { systemTimers, type Timers } from './timers.ts'

export type ClientOptions = {
  /** The origin of the service, such as `https://api.example.com`. */
  baseUrl: string
  /** Omit it where a gateway adds the token to requests of the same origin. */
  token?: string | TokenSource
  fetch?: (request: Request) => Promise<Response>
  retry?: Partial<RetryPolicy>
  /** For one attempt, its body included. 30 seconds by default. */
  timeoutMs?: number
  timers?: Timers
  /** Between 0 and 1; spreads the delays of retries. */
  random?: () => number
  newIdempotencyKey?: () => string
}

export type Client = {
  call<Id extends OperationId, const Input extends CallInput<Id>>(
    id: Id,
    ...args: CallArguments<Id, Input>
  ): Promise<Result<CallData<Id, Input>>>
  /** What `call` sends with; live streams share it. */
  readonly transport: Transport
}

/** An input with every member that some operation has. */
type AnyInput = {
  path?: Record<string, unknown>
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
  contentType?: string
  idempotencyKey?: string
  signal?: AbortSignal
  as?: 'text' | 'blob' | 'stream'
}

type Operation = { method: string; path: string; key?: 'header' | 'body' }

export function createClient(options: ClientOptions): Client {
  const transport = transportOf(options)
  const api = createFetchClient<Record<string, never>>({ baseUrl: options.baseUrl })
  const newKey = options.newIdempotencyKey ?? randomKey
  const request = api.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; response: Response }>

  const call = async (id: OperationId, input: AnyInput = {}): Promise<Result<unknown>> => {
    const { method, path, key }: Operation = OPERATIONS[id]
    const init = initOf(input, key, newKey)
    const isRepeatable = method === 'GET' || key !== undefined
    const { signal, as } = input
    let sent: Sent | undefined
    const fetch = async (prepared: Request): Promise<Response> => {
      sent = await send(transport, prepared, { isRepeatable, isStream: as === 'stream', signal })
      return 'response' in sent ? sent.response : Response.error()
    }
    try {
      const { data, response } = await request(method.toLowerCase(), path, { ...init, fetch })
      return resultOf(sent, data, response)
    } catch (cause) {
      const attempts = sent?.attempts ?? 0
      if (sent && 'failure' in sent) return { ok: false, failure: sent.failure, attempts }
      const mayHaveTakenEffect = method !== 'GET' && attempts > 0
      const about = { cause, mayHaveTakenEffect }
      return { ok: false, failure: transportFailure('unexpected_response', about), attempts }
    }
  }
  return { call: call as Client['call'], transport }
}

function transportOf(options: ClientOptions): Transport {
  const { token, fetch, retry = {}, timeoutMs = 30_000 } = options
  return {
    // Called through the global object each time: browsers refuse a detached `fetch`.
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
    token: typeof token === 'function' ? token : () => token ?? null,
    timers: options.timers ?? systemTimers,
    random: options.random ?? Math.random,
    retry: { ...DEFAULT_RETRY, ...retry },
    timeoutMs,
  }
}

const isBytes = (body: unknown): boolean =>
  body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body)

/** What openapi-fetch takes. The key is decided here, once, for all attempts. */
function initOf(input: AnyInput, place: Operation['key'], newKey: () => string): object {
  const { path, query, headers = {}, body, contentType, as } = input
  const key = place === undefined ? undefined : (input.idempotencyKey ?? newKey())
  const own = typeof body === 'object' ? { ...body, idempotencyKey: key } : body
  return {
    params: { path, query },
    headers: {
      ...headers,
      ...(place === 'header' ? { 'idempotency-key': key } : {}),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    body: place === 'body' ? own : body,
    bodySerializer: (value: unknown) => (isBytes(value) ? value : JSON.stringify(value)),
    parseAs: as ?? 'json',
    // Credentials are tokens, and an API that redirects is not the one that was configured.
    redirect: 'error',
  }
}

function resultOf(sent: Sent | undefined, data: unknown, response: Response): Result<unknown> {
  if (sent && 'failure' in sent) {
    return { ok: false, failure: sent.failure, attempts: sent.attempts }
  }
  const { status, headers } = response
  const attempts = sent?.attempts ?? 0
  return { ok: true, data: status === 304 ? null : data, status, headers, attempts }
}
