/**
 * viem transport for one node over `node:http` with keep-alive connections. `fetch` takes twice the
 * CPU time per request, and viem's own time-out covers only the response headers; this one covers
 * the whole response.
 */
import { request as requestOverTls } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import {
  type CustomTransport,
  custom,
  HttpRequestError,
  ResponseBodyTooLargeError,
  RpcRequestError,
  TimeoutError,
} from 'viem'
import { BodyTooLarge, readBody, tryParseJson } from '#platform/http-client/read-body.ts'
import type { RpcOutcome } from '#platform/metrics.ts'
import { http } from '#platform/node-http.ts'
import { fits, type Static, Type } from '#platform/schema.ts'
import { currentTracer } from '#platform/tracing.ts'

const RESPONSE_BYTES_MAX = 10 * 1024 * 1024
/** For JSON-RPC errors without a code. */
const UNKNOWN_CODE = -1
// Some RPC gateways reject requests without a User-Agent header.
const HEADERS = { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'countersign' }

type HttpResponse = { status: number; text: string }
type RpcRequest = { jsonrpc: '2.0'; id: number; method: string; params: unknown }

export type NodeObserver = (seen: { outcome: RpcOutcome; seconds: number }) => void

/** Unique in the process, so that a late response is never matched to another request. */
let lastId = 0

export function nodeTransport(
  url: string,
  {
    timeoutMs,
    retryCount,
    onAnswer = () => {},
  }: { timeoutMs: number; retryCount: number; onAnswer?: NodeObserver | undefined },
): CustomTransport {
  const post = createPost(url)
  const safeUrl = withoutCredentials(url)
  const ask = async ({ method, params }: { method: string; params?: unknown }) => {
    lastId += 1
    const body: RpcRequest = { jsonrpc: '2.0', id: lastId, method, params }
    const timeout = () => new TimeoutError({ body, url: safeUrl })
    const response = await post(JSON.stringify(body), { timeoutMs, timeout }).catch((cause) => {
      if (cause instanceof TimeoutError) throw cause
      if (cause instanceof BodyTooLarge) {
        throw new ResponseBodyTooLargeError({ maxSize: RESPONSE_BYTES_MAX, size: cause.size })
      }
      throw new HttpRequestError({ body, cause, url: safeUrl })
    })
    return resultOf(response, body, safeUrl)
  }
  const observed = async (asked: { method: string; params?: unknown }) => {
    const startedAt = performance.now()
    const ended = (outcome: RpcOutcome) =>
      onAnswer({ outcome, seconds: (performance.now() - startedAt) / 1_000 })
    try {
      const result = await ask(asked)
      ended('answered')
      return result
    } catch (error) {
      ended(outcomeOf(error))
      throw error
    }
  }
  const traced = (asked: { method: string; params?: unknown }) => {
    const tracer = currentTracer()
    if (!tracer) return observed(asked)
    const attributes = { 'rpc.system.name': 'jsonrpc', 'rpc.method': asked.method }
    const span = { name: `chain ${asked.method}`, kind: 'client', attributes } as const
    return tracer.inside(span, () => observed(asked))
  }
  return custom({ request: traced }, { retryCount })
}

function outcomeOf(error: unknown): RpcOutcome {
  if (error instanceof TimeoutError) return 'timeout'
  if (error instanceof RpcRequestError) return 'error'
  const isAnswer = error instanceof HttpRequestError ? error.cause === undefined : true
  return isAnswer ? 'unusable' : 'unreachable'
}

function withoutCredentials(url: string): string {
  const safeUrl = new URL(url)
  safeUrl.username = ''
  safeUrl.password = ''
  return safeUrl.href
}

type Post = (
  body: string,
  limit: { timeoutMs: number; timeout: () => Error },
) => Promise<HttpResponse>

/** Redirects are not followed: only the configured node may answer. */
function createPost(url: string): Post {
  const { protocol, ...target } = urlToHttpOptions(new URL(url))
  const send = protocol === 'https:' ? requestOverTls : http.request
  return (body, { timeoutMs, timeout }) =>
    new Promise((resolve, reject) => {
      const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) }
      const sent = send({ ...target, method: 'POST', headers }, (response) => {
        readBody(response, RESPONSE_BYTES_MAX).then((text) => {
          clearTimeout(timer)
          resolve({ status: response.statusCode ?? 0, text })
        }, giveUp)
      })
      // Covers every phase: connection, headers and body.
      const timer = setTimeout(() => giveUp(timeout()), timeoutMs)
      const giveUp = (reason: Error) => {
        clearTimeout(timer)
        reject(reason)
        sent.destroy()
      }
      sent.on('error', giveUp)
      sent.on('upgrade', () => giveUp(new Error('The node switched to another protocol')))
      sent.end(body)
    })
}

const RpcAnswer = Type.Object({
  id: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
})
type RpcAnswer = Static<typeof RpcAnswer>

const RpcError = Type.Object({
  code: Type.Optional(Type.Unknown()),
  message: Type.Optional(Type.Unknown()),
  data: Type.Optional(Type.Unknown()),
})

/** A JSON-RPC error counts under any HTTP status; every other failure is an HTTP error. */
function resultOf({ status, text }: HttpResponse, body: RpcRequest, url: string): unknown {
  const isSuccess = status >= 200 && status < 300
  const parsed = tryParseJson(text)
  const answer = fits(RpcAnswer, parsed) ? parsed : undefined
  const hasOurId = answer?.id === body.id
  // A node that could not parse the request answers without an id.
  const hasNoId = (answer?.id ?? null) === null
  const error = hasOurId || hasNoId ? nodeErrorIn(answer, isSuccess) : undefined
  if (error) throw new RpcRequestError({ body, error, url })
  if (isSuccess && hasOurId && !answer.error && 'result' in answer) return answer.result
  const details = `no JSON-RPC answer to the request, status ${status}`
  // A success status is left out, because viem would not retry it.
  throw new HttpRequestError({ body, url, details, ...(!isSuccess && { status }) })
}

/** An error status can come from a gateway: only an error with code and message is the node's. */
function nodeErrorIn(answer: RpcAnswer | undefined, isSuccess: boolean) {
  if (!fits(RpcError, answer?.error)) return undefined
  const error = answer.error
  const code = typeof error.code === 'number' ? error.code : undefined
  const message = typeof error.message === 'string' ? error.message : undefined
  const [hasCode, hasMessage] = [code !== undefined, message !== undefined]
  const isOfNode = isSuccess ? hasCode || hasMessage : hasCode && hasMessage
  if (!isOfNode) return undefined
  return { code: code ?? UNKNOWN_CODE, message: message ?? '', data: error.data }
}
