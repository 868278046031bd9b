/** Requests to the API. Redirects are never followed, and nothing is buffered. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { AppError } from '#platform/errors.ts'
import { http } from '#platform/node-http.ts'

export type UpstreamLimits = {
  /** From the end of the request to the headers of the answer. */
  answerMs: number
  /** For a body that is sent as it arrives. */
  bodyMs: number
}

/** An export may take the API a minute before its first byte, and an upload two to arrive. */
const LIMITS: UpstreamLimits = { answerMs: 60_000, bodyMs: 150_000 }
const RETRY_AFTER_SECONDS = 1

type UpstreamRequest = {
  method: string
  /** Path and query, as the API gets them. */
  path: string
  headers: OutgoingHttpHeaders
  /** A stream is sent as it arrives. */
  body?: Buffer | Readable | undefined
  signal?: AbortSignal | undefined
}

export type Upstream = {
  /** Resolves with the headers. Throws `dependency_unavailable` if the API does not answer. */
  send(request: UpstreamRequest): Promise<IncomingMessage>
  close(): void
}

export function createUpstream(apiUrl: string, limits: UpstreamLimits = LIMITS): Upstream {
  const base = new URL(apiUrl)
  const client = base.protocol === 'https:' ? https : http
  const agent = new client.Agent({ keepAlive: true, maxFreeSockets: 64 })
  const prefix = base.pathname.replace(/\/+$/, '')

  const send = ({ method, path, headers, body, signal }: UpstreamRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const asked = client.request(base, {
        method,
        path: prefix + path,
        headers,
        agent,
        ...(signal && { signal }),
      })
      let timer: NodeJS.Timeout | undefined
      let isSettled = false
      const expectWithin = (ms: number) => {
        clearTimeout(timer)
        // The body of a refused upload ends after the answer.
        if (!isSettled) timer = setTimeout(() => asked.destroy(new Error('No answer')), ms)
      }
      const settle = () => {
        isSettled = true
        clearTimeout(timer)
      }
      asked.once('response', (answer) => {
        settle()
        resolve(answer)
      })
      // After the answer, only its own stream matters.
      asked.on('error', (error) => {
        settle()
        reject(unavailable(error))
      })
      if (body === undefined || Buffer.isBuffer(body)) {
        expectWithin(limits.answerMs)
        return void asked.end(body)
      }
      expectWithin(limits.bodyMs)
      body.once('end', () => expectWithin(limits.answerMs))
      body.once('error', () => asked.destroy())
      body.pipe(asked)
    })

  return { send, close: () => agent.destroy() }
}

const unavailable = (cause: unknown) =>
  new AppError('dependency_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause })

const ANSWER_MAX_BYTES = 1_000_000

/** For answers that the gateway reads itself. */
export async function readBytes(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > ANSWER_MAX_BYTES) throw unavailable(new Error('The answer is too large'))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Undefined if it is not JSON. */
export function parseAnswer(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** The code of the API's error envelope. */
export function errorCodeOf(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { code?: unknown } }
  return typeof error?.code === 'string' ? error.code : undefined
}
