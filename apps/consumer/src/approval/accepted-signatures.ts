/**
 * Signatures that the vault would take if somebody handed them over. The service sets a signature
 * aside when an expense is revised, cancelled or rejected; the vault does not know that. Pure.
 */
import type { DataOf } from '@countersign/client/operation-types.ts'

type Expense = DataOf<'getExpense'>
type Approval = NonNullable<Expense['approvals']>[number]
type Vault = Pick<DataOf<'getVault'>, 'id' | 'policy'>

export function acceptedSignatures(
  { approvals = [], revisions }: Pick<Expense, 'approvals' | 'revisions'>,
  vault: Vault | null,
  now: Date,
): Approval[] {
  const vaultOf = ({ expenseRevision }: Approval) =>
    revisions.find(({ revision }) => revision === expenseRevision)?.vaultId
  // The version of another vault is not known here: then the signature is said to count.
  const isUnderPolicy = (one: Approval) =>
    !vault?.policy || vaultOf(one) !== vault.id || one.policyVersion === vault.policy.version
  return approvals.filter(
    (one) =>
      (one.state === 'signed' || (one.state === 'superseded' && one.signedAt !== null)) &&
      new Date(one.deadline) > now &&
      isUnderPolicy(one),
  )
}
