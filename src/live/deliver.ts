/** Delivers new events to the streams that may see them. */
import type { Context } from '#context.ts'
import { timestampToMilliseconds } from '#platform/clock.ts'
import { isBefore } from './cursor.ts'
import type { LiveEventRow } from './live.store.ts'
import { frameOf, type LiveStream, maySee } from './live-stream.ts'
import type { StreamRegistry } from './stream-registry.ts'

/** With a larger backlog the stream ends, and the client resumes from its cursor. */
const HELD_MAX = 20_000

/** Serialises each event once and shares the bytes among all streams of the scope. */
function createFrames(secrets: Context['secrets'], rows: readonly LiveEventRow[]) {
  const frames = new Map<LiveEventRow, Buffer>()
  let whole: Buffer | undefined
  const frame = (row: LiveEventRow, stream: LiveStream): Buffer => {
    const known = frames.get(row)
    if (known) return known
    const bytes = frameOf(secrets, row, stream)
    frames.set(row, bytes)
    return bytes
  }
  const join = (chosen: readonly LiveEventRow[], stream: LiveStream): Buffer =>
    Buffer.concat(chosen.map((row) => frame(row, stream)))
  return {
    all: (stream: LiveStream): Buffer => {
      whole ??= join(rows, stream)
      return whole
    },
    some: join,
  }
}

type Write = { stream: LiveStream; bytes: Buffer; events: number }

/**
 * The writes for each follower of the scope. A stream that is catching up buffers the rows instead.
 */
function prepareScope(
  secrets: Context['secrets'],
  registry: StreamRegistry,
  { organizationId, rows }: { organizationId: string | null; rows: readonly LiveEventRow[] },
): Write[] {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return []
  const frames = createFrames(secrets, rows)
  const writes: Write[] = []
  for (const stream of registry.followers(organizationId)) {
    if (stream.held) {
      for (const row of rows) stream.held.push(row)
      if (stream.held.length > HELD_MAX) registry.leave(stream, 'slow')
      continue
    }
    const isPlain = stream.viewer.seesAll && isBefore(stream.position, first)
    const chosen = isPlain
      ? rows
      : rows.filter((row) => isBefore(stream.position, row) && maySee(stream.viewer, row))
    if (isBefore(stream.position, last)) stream.position = last
    if (chosen.length === 0) continue
    const bytes = isPlain ? frames.all(stream) : frames.some(chosen, stream)
    writes.push({ stream, bytes, events: chosen.length })
  }
  return writes
}

/** Serialises everything first, because writing in one burst is cheaper. */
export function deliver(
  { secrets, metrics, clock }: Pick<Context, 'secrets' | 'metrics' | 'clock'>,
  registry: StreamRegistry,
  rows: readonly LiveEventRow[],
): void {
  const [oldest] = rows
  if (!oldest) return
  const operators = rows.filter(({ audience }) => audience !== 'consumer')
  const writes = prepareScope(secrets, registry, { organizationId: null, rows: operators })
  const consumers = rows.filter(({ audience }) => audience !== 'admin')
  const byOrganization = Map.groupBy(consumers, (row) => row.organizationId)
  byOrganization.delete(null)
  const others = [...byOrganization].map(([organizationId, own]) =>
    prepareScope(secrets, registry, { organizationId, rows: own }),
  )
  let sent = 0
  for (const { stream, bytes, events } of [writes, ...others].flat()) {
    stream.outlet.write(bytes)
    sent += events
  }
  const lagMs = clock.now().getTime() - timestampToMilliseconds(oldest.occurredAt)
  metrics.eventsSent({ sent, lagSeconds: Math.max(0, lagMs / 1_000) })
}
