/**
 * The open streams of the process: one tail fans out to all of them, and one timer handles
 * keepalives and endings. It starts with the first stream.
 */
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import { createAccessCheck } from './check-access.ts'
import type { Position } from './cursor.ts'
import { deliver } from './deliver.ts'
import { commentFrame } from './frames.ts'
import type { LiveStream, StreamEnding } from './live-stream.ts'
import { createStreamCount, type StreamCount } from './stream-count.ts'
import { createStreamRegistry } from './stream-registry.ts'
import { startTail, type Tail } from './tail.ts'

export type HubContext = Pick<
  Context,
  'config' | 'db' | 'observerDb' | 'tailDb' | 'clock' | 'ids' | 'log' | 'metrics' | 'secrets'
>

export type Hub = Pick<StreamCount, 'claim' | 'release'> & {
  /** Call first. Returns the tail, whose position says how far events were delivered. */
  start(): Promise<{ readonly epoch: string; readonly position: Position }>
  /** Manages the stream from now on. */
  admit(stream: LiveStream): void
  /** From now on the stream receives events, or buffers them while it catches up. */
  join(stream: LiveStream): void
  leave(stream: LiveStream, ending: StreamEnding): void
  stop(): Promise<void>
}

const STREAMS_MAX = 20_000
const TICK_MAX_MS = 250
const KEEPALIVE = commentFrame('keepalive')

export function createHub(ctx: HubContext): Hub {
  const count = createStreamCount(ctx, () => registry)
  const registry = createStreamRegistry(ctx, ({ id }) => count.release(id))
  const access = createAccessCheck(ctx, registry)
  let starting: Promise<Tail> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const tick = () => {
    const now = performance.now()
    const nowSeconds = ctx.clock.now().getTime() / 1_000
    for (const stream of registry.all()) {
      if (now >= stream.endsAt) registry.leave(stream, 'lifetime')
      else if (nowSeconds >= stream.expiresAtSeconds) registry.leave(stream, 'token')
      else if (now >= stream.keepaliveAt) {
        stream.keepaliveAt += ctx.config.streams.keepaliveMs
        stream.outlet.write(KEEPALIVE)
      }
    }
    // While the database is unavailable nothing is sent; the tail checks access before it resumes.
    if (access.isDue()) access.run().catch(() => {})
    void count.settle()
  }
  const endAll = (ending: StreamEnding) => {
    for (const stream of registry.all()) registry.leave(stream, ending)
  }
  const begin = async (): Promise<Tail> => {
    const tail = await startTail(ctx, {
      prepare: async () => (access.isDue() ? access.run() : undefined),
      onRows: (rows) => deliver(ctx, registry, rows),
      onEpochChange: () => endAll('restored'),
    })
    timer = setInterval(tick, Math.min(TICK_MAX_MS, ctx.config.streams.keepaliveMs))
    return tail
  }

  return {
    async start() {
      if (isStopped || registry.size >= STREAMS_MAX) {
        throw new AppError('dependency_unavailable', { retryAfterSeconds: 3 })
      }
      starting ??= begin().catch((error) => {
        starting = undefined
        throw error
      })
      return starting
    },
    claim: count.claim,
    release: count.release,
    admit: registry.add,
    join: registry.join,
    leave: registry.leave,
    async stop() {
      isStopped = true
      endAll('stopping')
      const tail = await starting?.catch(() => undefined)
      clearInterval(timer)
      await tail?.stop()
      await access.run().catch(() => {})
      endAll('stopping')
      await count.settle()
    },
  }
}
