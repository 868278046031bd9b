/**
 * Effects that must follow a change in the same transaction, in modules further downstream.
 * Declared here, implemented by those modules, bound in `compose.ts`. Types only.
 */
import type { Tx } from '#platform/database/database.ts'
import type { VaultLog } from '#ports/chain.ts'
import type { Actor } from './actor.ts'

export type Reactions = {
  /** A revision, review or cancellation voids every prepared or signed approval. */
  expenseLeftApproval(
    tx: Tx,
    input: { organizationId: string; expenseId: string; actor: Actor },
  ): Promise<void>
  /** Locks what ends with them, before the first audit event: others lock the audit head last. */
  walletRolesEnding(
    tx: Tx,
    input: { organizationId: string; walletRoleIds: readonly string[] },
  ): Promise<void>
  walletRoleRevoked(
    tx: Tx,
    input: { organizationId: string; walletRoleId: string; actor: Actor },
  ): Promise<void>
  recipientDeactivated(
    tx: Tx,
    input: { organizationId: string; recipientId: string; actor: Actor },
  ): Promise<void>
  /** The approvals that authorised them are consumed. */
  paymentsConfirmed(
    tx: Tx,
    input: { organizationId: string; approvalIds: readonly string[] },
  ): Promise<void>
  /** The signed transaction can no longer pay; its approvals may have expired in the meantime. */
  paymentFailed(
    tx: Tx,
    input: { organizationId: string; approvalIds: readonly string[] },
  ): Promise<void>
  /** As after a failure; a policy that changed in the meantime applies to the payment again. */
  paymentRequeued(
    tx: Tx,
    input: { organizationId: string; vaultId: string; approvalIds: readonly string[] },
  ): Promise<void>
  /** A reorganisation removed some of the vault's logs. */
  vaultRolledBack(tx: Tx, input: { organizationId: string; vaultId: string }): Promise<void>
  /** In the scope of the vault's organization, after the treasury has applied the logs. */
  vaultLogged(
    tx: Tx,
    input: { organizationId: string; vaultId: string; logs: readonly VaultLog[] },
  ): Promise<void>
}
