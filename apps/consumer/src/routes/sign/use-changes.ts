import { useRead } from '@countersign/app-kit/data/queries.ts'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import type { Asked } from './belonging.ts'
import { type Change, expenseChanges, policyChanges } from './overtaken.ts'

/** What others changed while the page was open. The live stream makes these reads new. */
export function useChanges(
  { organizationId, expenseId }: Asked,
  { expense, vault }: ShownApproval,
): Change[] {
  const nowExpense = useRead('getExpense', { path: { organizationId, expenseId } })
  const nowVault = useRead('getVault', { path: { organizationId, vaultId: vault.id } })
  return [
    ...(nowExpense.data ? expenseChanges(expense, nowExpense.data) : []),
    ...(nowVault.data ? policyChanges(vault, nowVault.data) : []),
  ]
}
