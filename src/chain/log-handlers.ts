/** What is done with a log is named here, and done by rooms below in the follower's transaction. */
import type { Tx } from '#platform/database/database.ts'
import type { VaultLog } from '#ports/chain.ts'

export type TimedLog = { log: VaultLog; timeSeconds: number }

export type LogHandlers = {
  /** A vault is followed from now on; tokens may have come to its address before it was there. */
  open(tx: Tx, input: { vaultAddress: string; openingBalance: bigint }): Promise<void>
  /** In the order of the chain. */
  apply(tx: Tx, logs: readonly TimedLog[]): Promise<void>
  /** Everything above the block never happened; `vaultAddresses` had logs there. */
  rollBack(tx: Tx, input: { toBlock: number; vaultAddresses: readonly string[] }): Promise<void>
}
