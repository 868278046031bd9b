import { isOwnerOrManager, type Role } from '../../../data/organization.tsx'
import type { Expense } from '../expense-types.ts'

/** An approver who is an employee reads an expense in order to sign it, and cannot comment on it. */
export const mayComment = (
  { submitterAccountId }: Pick<Expense, 'submitterAccountId'>,
  { role, accountId }: { role: Role; accountId: string },
): boolean => isOwnerOrManager({ role }) || submitterAccountId === accountId
