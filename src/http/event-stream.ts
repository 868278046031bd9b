/**
 * Transport for Server-Sent Events: headers, backpressure and closing. A client whose unread
 * backlog grows too large is disconnected and resumes with the id of its last event.
 */
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#context.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import { recordRequest } from './requests.ts'

export type EventStream = {
  write(bytes: Buffer): void
  /** Writes the last bytes and ends the stream. */
  end(bytes: Buffer): void
  /** Resolves when the client has read everything written so far, or has disconnected. */
  drained(): Promise<void>
  readonly isOpen: boolean
}

export type EventStreamOptions = {
  backlogMaxBytes: number
  /**
   * `slow`: we disconnected a client that fell behind. `left`: the client closed, or the connection
   * broke.
   */
  onClose(how: 'slow' | 'left'): void
}

const RECONNECT_AFTER_MS = 3_000
/** A client that reads nothing for two keepalive intervals is considered gone. */
const STALE_AFTER_MS = TRANSPORT_POLICY.staleAfterSeconds * 1_000
const END_WITHIN_MS = 3_000

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** A `preHandler` for stream routes: HEAD gets the headers and opens no stream. */
export async function answerHead(request: FastifyRequest, reply: FastifyReply) {
  if (request.method === 'HEAD') return reply.headers(headers).send()
}

export function openEventStream(
  ctx: Pick<Context, 'log' | 'metrics'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { backlogMaxBytes, onClose }: EventStreamOptions,
): EventStream {
  const response = reply.raw
  const { socket } = response
  let isOpen = !response.destroyed && !response.closed && socket?.destroyed === false
  let isEnded = false
  let isSlow = false

  reply.hijack()
  // The connection ends with the body. Without chunked encoding a write costs half as much.
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers })
  if (socket instanceof Socket) socket.setTimeout(STALE_AFTER_MS)

  response.once('close', () => {
    isOpen = false
    // An aborted response never emits `finish`, so it would be missing from the access log.
    if (!response.writableFinished) recordRequest(ctx, request, reply)
    onClose(isSlow ? 'slow' : 'left')
  })
  const write = (bytes: Buffer) => {
    if (!isOpen || isEnded) return
    response.write(bytes)
    if (response.writableLength <= backlogMaxBytes) return
    isSlow = true
    isOpen = false
    response.destroy()
  }
  write(Buffer.from(`retry: ${RECONNECT_AFTER_MS}\n\n`))

  return {
    write,
    end(bytes) {
      if (!isOpen || isEnded) return
      isEnded = true
      response.end(bytes)
      setTimeout(() => response.destroy(), END_WITHIN_MS).unref()
    },
    async drained() {
      if (!isOpen || isEnded || !response.writableNeedDrain) return
      const { promise, resolve } = Promise.withResolvers<void>()
      response.once('drain', resolve).once('close', resolve)
      await promise
      response.off('drain', resolve).off('close', resolve)
    },
    get isOpen() {
      return isOpen && !isEnded
    },
  }
}
