/** Counts open streams together with all other processes, in the table `open_streams`. */
import type { Context } from '#context.ts'
import type { StreamRegistry } from './stream-registry.ts'
import { deleteOpenStreams, insertOpenStream } from './streams.store.ts'

export type StreamCount = {
  /** Counts a stream that is about to open; exceeding the limit ends the account's oldest. */
  claim(stream: { id: string; accountId: string }): Promise<void>
  /** The stream has ended, or was counted and did not open. */
  release(id: string): void
  /** Deletes what was released. What cannot be deleted counts until newer streams replace it. */
  settle(): Promise<void>
}

export function createStreamCount(
  { db, config }: Pick<Context, 'db' | 'config'>,
  registry: () => Pick<StreamRegistry, 'all' | 'leave'>,
): StreamCount {
  const released: string[] = []
  return {
    async claim({ id, accountId }) {
      const { lifetimeMs, perAccount } = config.streams
      const surplus = await db.transaction({ accountId }, (tx) =>
        insertOpenStream(tx, { id, accountId, lifetimeMs, perAccount }),
      )
      const { all, leave } = registry()
      for (const stream of all()) if (surplus.includes(stream.id)) leave(stream, 'replaced')
    },
    release: (id) => void released.push(id),
    async settle() {
      const ids = released.splice(0)
      if (ids.length > 0) await deleteOpenStreams(db, ids).catch(() => {})
    },
  }
}
