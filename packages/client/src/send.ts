/** One call: attempts until an answer stands, with time-outs, delays and the caller's signal. */
import { type Failure, failureOf, transportFailure } from './errors.ts'
import { delayBefore, type RetryPolicy, retryAfterMs } from './retry.ts'
import { sleep, type Timers } from './timers.ts'

/** Called before each attempt. `rejected` is a token that the API has just refused. */
export type TokenSource = (about: {
  rejected: string | null
}) => string | null | Promise<string | null>

export type Transport = {
  fetch: (request: Request) => Promise<Response>
  token: TokenSource
  timers: Timers
  random: () => number
  retry: RetryPolicy
  timeoutMs: number
}

export type Sending = {
  /** The same answer can be had again: the request only reads, or it carries an idempotency key. */
  isRepeatable: boolean
  /** Hand over the body while it arrives. Its loss is not repeated. */
  isStream: boolean
  signal: AbortSignal | undefined
}

export type Sent = { response: Response; attempts: number } | { failure: Failure; attempts: number }

const READING = ['GET', 'HEAD']

/** Sends until there is an answer that does not ask for another attempt. */
export async function send(
  transport: Transport,
  request: Request,
  sending: Sending,
): Promise<Sent> {
  const { timers, random, retry } = transport
  const { signal } = sending
  let rejected: Rejected | null = null
  if (signal?.aborted) return { failure: aborted(request, signal), attempts: 0 }
  for (let attempts = 1; ; attempts += 1) {
    const tried = await attempt(transport, request.clone(), sending, rejected)
    if ('response' in tried) return { response: tried.response, attempts }
    const { failure, token } = tried
    if (signal?.aborted) return { failure: aborted(request, signal), attempts }
    // A refused token changed nothing, so any request may be sent again, once, with another one.
    if (failure.code === 'unauthenticated' && token !== null && rejected === null) {
      rejected = { token, failure }
      continue
    }
    const delay = sending.isRepeatable
      ? delayBefore(failure, { attempts, random, policy: retry })
      : null
    if (delay === null) return { failure, attempts }
    if (!(await sleep(timers, delay, signal))) {
      return { failure: aborted(request, signal), attempts }
    }
  }
}

const aborted = ({ method }: Request, signal: AbortSignal | undefined): Failure =>
  transportFailure('aborted', {
    mayHaveTakenEffect: !READING.includes(method),
    cause: signal?.reason,
  })

/** A token that the API refused, and the refusal. */
type Rejected = { token: string; failure: Failure }

type Attempt = { response: Response } | { failure: Failure; token: string | null }

/**
 * Requests, for as long as their signals can abort. Node passes an abort on through the request
 * object alone: once that is collected, no time-out and no `stop` reaches the connection. Bodies
 * need more, see `endedBy`.
 */
const kept = new WeakMap<AbortSignal, Request>()

async function attempt(
  transport: Transport,
  request: Request,
  { isStream, signal }: Sending,
  rejected: Rejected | null,
): Promise<Attempt> {
  const { timers, timeoutMs } = transport
  const mayHaveTakenEffect = !READING.includes(request.method)
  const deadline = new AbortController()
  let isLate = false
  const timer = timers.setTimeout(() => {
    isLate = true
    deadline.abort()
  }, timeoutMs)
  const onAbort = () => deadline.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  let isHandedOver = false
  try {
    const token = await transport.token({ rejected: rejected?.token ?? null })
    if (rejected && (token === null || token === rejected.token)) {
      return { failure: rejected.failure, token }
    }
    if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
    const abortable = new Request(request, { signal: deadline.signal })
    kept.set(deadline.signal, abortable)
    const response = endedBy(deadline.signal, await transport.fetch(abortable))
    isHandedOver = isStream && response.ok
    if (isHandedOver) return { response }
    const complete = await readWhole(response)
    if (response.ok || response.status === 304) return { response: complete }
    const { headers } = response
    // A date is one of the service's clock, which may differ from ours.
    const now = Date.parse(headers.get('date') ?? '') || timers.now()
    const about = {
      retryAfterMs: retryAfterMs(headers.get('retry-after'), now),
      mayHaveTakenEffect,
    }
    return { failure: failureOf(response, await jsonOf(complete), about), token }
  } catch (cause) {
    const code = isLate ? 'timeout' : 'network'
    return { failure: transportFailure(code, { mayHaveTakenEffect, cause }), token: null }
  } finally {
    timers.clearTimeout(timer)
    if (!isHandedOver) signal?.removeEventListener('abort', onAbort)
  }
}

/** Node 20 forgets the request once its answer has begun: the signal must end the body as well. */
function endedBy(signal: AbortSignal, response: Response): Response {
  if (response.body === null) return response
  const { status, statusText, headers } = response
  const body = response.body.pipeThrough(new TransformStream(), { signal })
  return new Response(body, { status, statusText, headers })
}

/** The body must arrive completely before the answer counts: a connection may break within it. */
async function readWhole(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer()
  const { status, statusText, headers } = response
  const body = status === 204 || status === 304 ? null : bytes
  return new Response(body, { status, statusText, headers })
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
