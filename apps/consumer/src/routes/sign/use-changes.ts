import { useRead } from '@countersign/app-kit/data/queries.ts'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import type { Asked } from './belonging.ts'
import { type Change, expenseChanges, policyChanges } from './overtaken.ts'

/** The expense as it is now, and what others changed while the page was open. */
export function useChanges(
  { organizationId, expenseId }: Asked,
  { expense, vault }: ShownApproval,
): { live: ShownApproval['expense']; changes: Change[] } {
  // The live stream makes these reads new.
  const nowExpense = useRead('getExpense', { path: { organizationId, expenseId } })
  const nowVault = useRead('getVault', { path: { organizationId, vaultId: vault.id } })
  return {
    live: nowExpense.data ?? expense,
    changes: [
      ...(nowExpense.data ? expenseChanges(expense, nowExpense.data) : []),
      ...(nowVault.data ? policyChanges(vault, nowVault.data) : []),
    ],
  }
}
