/** Lets other modules add an address to the follower. */
import type { Tx } from '#platform/database/database.ts'
import { insertWatch } from './chain.store.ts'

/** Starts at the deployment block, so the follower reads the address's history first. */
export const watchAddress = (tx: Tx, watch: { address: string; fromBlock: number }): void =>
  insertWatch(tx, watch)
