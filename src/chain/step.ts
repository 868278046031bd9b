/** What the kinds of the follower's steps share. */
import type { Context } from '#context.ts'
import type { Tx } from '#platform/database/database.ts'
import type { VaultLog } from '#ports/chain.ts'
import type { Blocks } from './blocks.ts'
import { insertLogs } from './chain.store.ts'
import type { LogHandlers } from './log-handlers.ts'

export type FollowerContext = Pick<Context, 'db' | 'chain' | 'clock' | 'log'>

/** `moved`: there may be more to do. `busy`: a concurrent change interfered; retry soon. */
export type StepOutcome = 'idle' | 'moved' | 'busy'

/** Blocks per request when far behind; a node may accept fewer. */
export const RANGE_MAX = 500

/**
 * Blocks to read at once. Many nodes reject long ranges, each with its own error, so any failure
 * halves the range. Steps at the head count as well, because after an outage most are at the head.
 */
export function rangeAfter(outcome: StepOutcome | 'failed', range: number): number {
  if (outcome === 'failed') return Math.max(1, Math.floor(range / 2))
  return outcome === 'busy' ? range : Math.min(RANGE_MAX, range + Math.ceil(range / 5))
}

export async function applyLogs(
  tx: Tx,
  handlers: LogHandlers,
  { logs, blocks }: { logs: readonly VaultLog[]; blocks: Blocks },
): Promise<void> {
  const timed = logs.map((log) => {
    return { log, timeSeconds: blocks.get(log.blockNumber)?.timeSeconds ?? 0 }
  })
  if (timed.length > 0) insertLogs(tx, timed)
  await handlers.apply(tx, timed)
}
