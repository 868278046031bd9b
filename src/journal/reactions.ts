/**
 * What must follow, in the same transaction, in rooms that stand below the one where something
 * happened. Named here, filled by those rooms, bound in `compose.ts`. Types only.
 */
import type { Tx } from '#platform/database/database.ts'
import type { VaultLog } from '#ports/chain.ts'
import type { Actor } from './actor.ts'

export type Reactions = {
  /** A new revision, a review or a cancellation: whatever was prepared to be signed is void. */
  expenseLeftApproval(
    tx: Tx,
    input: { organizationId: string; expenseId: string; actor: Actor },
  ): Promise<void>
  walletRoleRevoked(
    tx: Tx,
    input: { organizationId: string; walletRoleId: string; actor: Actor },
  ): Promise<void>
  recipientDeactivated(
    tx: Tx,
    input: { organizationId: string; recipientId: string; actor: Actor },
  ): Promise<void>
  /** Whatever authorised them is used up. */
  paymentsConfirmed(
    tx: Tx,
    input: { organizationId: string; approvalIds: readonly string[] },
  ): Promise<void>
  /** What was signed for it can pay no more; its approval may have ended meanwhile. */
  paymentFailed(tx: Tx, input: { organizationId: string; approvalId: string | null }): Promise<void>
  /** Some of the vault's logs never happened. */
  vaultRolledBack(tx: Tx, input: { organizationId: string; vaultId: string }): Promise<void>
  /** In the vault's organization's scope, after the treasury has applied them. */
  vaultLogged(
    tx: Tx,
    input: { organizationId: string; vaultId: string; logs: readonly VaultLog[] },
  ): Promise<void>
}
