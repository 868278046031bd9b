/** How other rooms have an address followed. */
import type { Tx } from '#platform/database/database.ts'
import { insertWatch } from './chain.store.ts'

/** From the block in which it was made; what it did before now is read first. */
export const watchAddress = (
  tx: Tx,
  watch: { address: string; fromBlock: number },
): Promise<void> => insertWatch(tx, watch)
