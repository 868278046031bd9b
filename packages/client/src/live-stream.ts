/** Reads one connection of a live stream, from its first byte to its end. */
import { createParser } from 'eventsource-parser'
import type { LiveEvent } from './live-event.ts'

/** What the last comment of a stream says, or `lost` if it ended without one. */
export type StreamEnd =
  | 'lifetime'
  | 'token'
  | 'access'
  | 'replaced'
  | 'slow'
  | 'restored'
  | 'trouble'
  | 'stopping'
  | 'lost'

const ENDS: readonly string[] = [
  'lifetime',
  'token',
  'access',
  'replaced',
  'slow',
  'restored',
  'trouble',
  'stopping',
] satisfies StreamEnd[]

export type StreamHandlers = {
  onEvent(event: LiveEvent): void
  /** Bytes arrived, if only a keep-alive. */
  onActivity?(): void
  /** The delay before reconnecting that the stream asks for. */
  onRetry?(milliseconds: number): void
}

/** An event is far smaller. A stream that sends more without a line break is not one of ours. */
const BUFFER_MAX = 1_048_576

/** Resolves when the stream ends for any reason; never rejects. */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  { onEvent, onActivity, onRetry }: StreamHandlers,
): Promise<StreamEnd> {
  let end: StreamEnd = 'lost'
  const parser = createParser({
    maxBufferSize: BUFFER_MAX,
    ...(onRetry && { onRetry }),
    onEvent: ({ data }) => onEvent(JSON.parse(data)),
    onComment: (comment) => {
      const reason = /^end: (\w+)/.exec(comment)?.[1]
      if (reason !== undefined) end = ENDS.includes(reason) ? (reason as StreamEnd) : 'lost'
    },
  })
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return end
      onActivity?.()
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } catch {
    await reader.cancel().catch(() => undefined)
    return end
  }
}
