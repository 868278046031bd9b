/** Requests to the API. Redirects are never followed, and nothing is buffered. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { AppError } from '#platform/errors.ts'
import { http } from '#platform/node-http.ts'

/** An export may take the API this long before its first byte. */
const ANSWERS_WITHIN_MS = 60_000
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

export function createUpstream(apiUrl: string): Upstream {
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
      const timer = setTimeout(() => asked.destroy(new Error('No answer')), ANSWERS_WITHIN_MS)
      asked.once('response', (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      // After the answer, only its own stream matters.
      asked.on('error', (error) => {
        clearTimeout(timer)
        reject(unavailable(error))
      })
      if (body === undefined || Buffer.isBuffer(body)) return void asked.end(body)
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
