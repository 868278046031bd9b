/**
 * Disconnects clients that are too slow or do not speak HTTP. Node bounds how long headers and
 * uploads may take to arrive; this file bounds other bodies and how long a client may take to read
 * a response, and answers input that is not a valid request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import { envelope } from './error-handler.ts'

export type ClientLimits = {
  /** For the headers of a request, and again for its body. */
  requestMs: number
  /** For the body of an upload, once its sender is known to be a member. */
  uploadMs: number
  /** From the moment a response is ready until the client has read all of it. */
  answerMs: number
  /** Time without a byte in either direction during a request. */
  idleMs: number
  /** How long a rejected client may keep its half of the connection open. */
  lingerMs: number
}

export const CLIENT_LIMITS: ClientLimits = {
  requestMs: 15_000,
  uploadMs: 120_000,
  answerMs: 60_000,
  idleMs: 20_000,
  lingerMs: 1_000,
}

/** What the client of a streamed response must read in every `answerMs`. */
const STREAMED_BYTES_MIN = 64 * 1024

const exchanges = new WeakMap<Socket, ServerResponse>()
const arrivals = new WeakMap<IncomingMessage, NodeJS.Timeout>()

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Like Node's own limit, which is one value for all requests: reported as `clientError`. */
function expectWithin(app: FastifyInstance, request: IncomingMessage, ms: number): void {
  clearTimeout(arrivals.get(request))
  const cut = () => {
    if (request.complete) return
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    app.server.emit('clientError', late, request.socket)
  }
  arrivals.set(request, setTimeout(cut, ms).unref())
  request.once('end', () => clearTimeout(arrivals.get(request)))
}

/**
 * Gives uploads more time. Register it after the access guard: nobody else may send slowly. What
 * remains of an upload that was refused gets the time of any other request.
 */
export function registerUploadLimit(
  app: FastifyInstance,
  { requestMs, uploadMs }: Pick<ClientLimits, 'requestMs' | 'uploadMs'>,
): void {
  // Only for the routes that need them: a hook costs every request time.
  app.addHook('onRoute', (route) => {
    if (!route.config?.takesBytes) return
    route.onRequest = [route.onRequest ?? []].flat().concat(async ({ raw }) => {
      if (arrivals.has(raw)) expectWithin(app, raw, uploadMs)
    })
    route.onSend = [route.onSend ?? []].flat().concat(async ({ raw }) => {
      if (arrivals.has(raw) && !raw.complete) expectWithin(app, raw, requestMs)
    })
  })
}

/**
 * `idleMs` alone does not stop a client that reads one byte at a time. Event streams bypass
 * `onSend` and have their own limits (`event-stream.ts`).
 */
export function registerSlowClients(
  app: FastifyInstance,
  { requestMs, answerMs }: Pick<ClientLimits, 'requestMs' | 'answerMs'>,
): void {
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    exchanges.set(request.socket, response)
    if (hasBody(request)) expectWithin(app, request, requestMs)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    const response = reply.raw
    const limit = payload instanceof Readable ? limitRate : limitTime
    const clear = limit(response, answerMs)
    response.once('finish', clear).once('close', clear)
    done(null, payload)
  })
}

function limitTime(response: ServerResponse, answerMs: number): () => void {
  const timer = setTimeout(() => response.socket?.destroy(), answerMs).unref()
  return () => clearTimeout(timer)
}

/** A file of any size takes as long as it must, while the client keeps reading. */
function limitRate(response: ServerResponse, answerMs: number): () => void {
  const written = () => response.socket?.bytesWritten ?? 0
  let before = written()
  const timer = setInterval(() => {
    if (written() - before < STREAMED_BYTES_MIN) response.socket?.destroy()
    before = written()
  }, answerMs).unref()
  return () => clearInterval(timer)
}

/** Whether the client would read bytes written now as the answer to its invalid input. */
function isAnswerable(socket: Socket): boolean {
  const response = exchanges.get(socket)
  if (!response) return true
  // The body of this request is invalid; its answer may have been sent before the body ended.
  if (!response.req.complete) return !response.headersSent
  return response.writableFinished
}

/** Answers invalid input (malformed HTTP, oversized headers, too slow) directly on the socket. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  { ids, lingerMs }: Pick<Context, 'ids'> & Pick<ClientLimits, 'lingerMs'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || !isAnswerable(socket)) {
    return void socket.destroy()
  }
  const requestId = ids.next()
  const { code, message } = new AppError('validation_failed', { message: messageFor(error.code) })
  const body = JSON.stringify(envelope(code, message, requestId))
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\n' +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  // Closing our half does not close theirs, and the client could send for ever; destroying the
  // socket at once could reset the connection before the client has read the answer.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

const messageFor = (code: string | undefined): string => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return 'The request headers are larger than 16 KiB. Send fewer or shorter headers.'
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return 'The request did not arrive in time. Send it again.'
  }
  return 'This is not a valid HTTP request.'
}
