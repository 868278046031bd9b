/**
 * Whether everything that was read belongs to the organization and the expense in the address of the
 * page. Somebody who approves for two organizations could otherwise be shown the vault of one under
 * the name of the other, and sign for it.
 */
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { equal, type Finding } from '@countersign/proof/verify-evidence.ts'
import { type Check, checksOf } from './checks.ts'

export type Asked = { organizationId: string; expenseId: string }

export const belongingFindings = (
  { organizationId, expenseId }: Asked,
  { expense, vault, report }: ShownApproval,
): Finding[] => [
  equal('expense that was asked for', expense.id, expenseId),
  equal('organization of the expense', expense.organizationId, organizationId),
  equal('organization of the vault', vault.organizationId, organizationId),
  equal('organization of the report', report.organizationId, organizationId),
]

/** What to refuse it with, before anything else is compared. Null if everything belongs here. */
export function foreignChecks(asked: Asked, shown: ShownApproval): Check[] | null {
  const findings = belongingFindings(asked, shown)
  if (findings.every(({ holds }) => holds)) return null
  return checksOf(findings).filter((check) => check.findings.length > 0)
}
