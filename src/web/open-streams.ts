/**
 * Live streams that this gateway passes on. Each ends with its session: the API, which knows only
 * tokens, would go on until the token expires.
 */
import { findLivingSessions } from './sessions.ts'
import type { WebContext } from './web-context.ts'

/** For sessions that ended in another process, or expired. */
const CHECK_EVERY_MS = 15_000

type OpenStream = { idHash: Buffer; cut(): void }

const opened = new WeakMap<WebContext, Set<OpenStream>>()

const streamsOf = (ctx: WebContext): Set<OpenStream> => {
  const streams = opened.get(ctx) ?? new Set<OpenStream>()
  opened.set(ctx, streams)
  return streams
}

/** Returns a function to call when the stream has ended. */
export function addStream(ctx: WebContext, stream: OpenStream): () => void {
  const streams = streamsOf(ctx)
  streams.add(stream)
  return () => void streams.delete(stream)
}

async function cut(ctx: WebContext): Promise<void> {
  const streams = [...streamsOf(ctx)]
  if (streams.length === 0) return
  const hashes = streams.map(({ idHash }) => idHash)
  const living = await findLivingSessions(ctx, hashes)
  for (const stream of streams) if (!living.has(stream.idHash.toString('hex'))) stream.cut()
}

/** Never rejects: the next check tries again. */
export const cutEndedStreams = (ctx: WebContext): Promise<void> =>
  cut(ctx).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'cannot check the sessions of live streams'),
  )

/** Returns a function that stops it. */
export function startCuttingStreams(ctx: WebContext): () => void {
  const timer = setInterval(() => void cutEndedStreams(ctx), CHECK_EVERY_MS).unref()
  return () => clearInterval(timer)
}
