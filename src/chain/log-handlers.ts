/** The effects of logs on other modules, which implement them in the follower's transaction. */
import type { Tx } from '#platform/database/database.ts'
import type { VaultLog } from '#ports/chain.ts'

export type TimedLog = { log: VaultLog; timeSeconds: number }

export type LogHandlers = {
  /** The vault's history has been applied, and its totals count from now on. */
  open(tx: Tx, input: { vaultAddress: string }): Promise<void>
  /** In chain order. */
  apply(tx: Tx, logs: readonly TimedLog[]): Promise<void>
  /** Reverts everything above the block. `vaultAddresses` had logs there. */
  rollBack(tx: Tx, input: { toBlock: number; vaultAddresses: readonly string[] }): Promise<void>
}
