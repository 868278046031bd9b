/** The effects of logs on other modules, which implement them in the follower's transaction. */
import type { Tx } from '#platform/database/database.ts'
import type { VaultLog } from '#ports/chain.ts'

export type TimedLog = { log: VaultLog; timeSeconds: number }

export type LogHandlers = {
  /** A vault is followed from now on. Tokens may have reached its address before its deployment. */
  open(tx: Tx, input: { vaultAddress: string; openingBalance: bigint }): Promise<void>
  /** In chain order. */
  apply(tx: Tx, logs: readonly TimedLog[]): Promise<void>
  /** Reverts everything above the block. `vaultAddresses` had logs there. */
  rollBack(tx: Tx, input: { toBlock: number; vaultAddresses: readonly string[] }): Promise<void>
}
