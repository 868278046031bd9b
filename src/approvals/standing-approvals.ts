/** Which approvals of an expense are open, and which signatures count for its payment. */
import { digestOf } from '@countersign/proof/typed-data.ts'
import type { Context } from '#context.ts'
import type { ExpenseRow } from '#expenses/expenses.store.ts'
import { mayDecide } from '#expenses/four-eyes.ts'
import type { Actor } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Approvable, contentOf } from './approval-context.ts'
import { type ApprovalRow, listOpenApprovals } from './approvals.store.ts'
import { endApproval } from './end-approval.ts'

/** Signed, or signable, for the current revision and policy. The caller has locked the expense. */
export async function listStanding(
  tx: Tx,
  { expense, policyVersion, now }: { expense: ExpenseRow; policyVersion: number; now: Date },
): Promise<ApprovalRow[]> {
  const { organizationId, id: expenseId, currentRevision } = expense
  const open = await listOpenApprovals(tx, { organizationId, expenseId })
  return open.filter(
    (one) =>
      one.expenseRevision === currentRevision &&
      one.policyVersion === policyVersion &&
      one.deadline > now.toISOString() &&
      !one.isCancelled,
  )
}

/** The vault counts addresses, and the service counts people: everybody signs once. */
export function requireFirstSignature(
  standing: readonly Pick<ApprovalRow, 'accountId' | 'state'>[],
  { accountId }: { accountId: string },
): void {
  if (!standing.some((one) => one.state === 'signed' && one.accountId === accountId)) return
  throw new AppError('policy_violation', {
    message: 'You have signed this payment already. Another approver must sign it.',
  })
}

/**
 * The other signatures that count together with this approval, the first one first. Ends those
 * that do not: terms, policy or deadline differ, it is a payee's by now, or it is the submitter's
 * and others can fill the number.
 */
export async function settleOthers(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    approval,
    expense,
    approvable,
    actor,
  }: { approval: ApprovalRow; expense: ExpenseRow; approvable: Approvable; actor: Actor },
): Promise<ApprovalRow[]> {
  const { organizationId, id: expenseId } = expense
  const open = await listOpenApprovals(tx, { organizationId, expenseId })
  const signed = open
    .filter(({ state }) => state === 'signed')
    .toSorted((a, b) => ((a.signedAt ?? '') < (b.signedAt ?? '') ? -1 : 1))
  const counted: ApprovalRow[] = []
  for (const other of signed) {
    const isCounted =
      counted.length < approvable.required - 1 &&
      (await countsWith(tx, { other, approval, expense, approvable }))
    if (isCounted) counted.push(other)
    else await endApproval(ctx, tx, { approval: other, ...SUPERSEDED, actor })
  }
  return counted
}

const SUPERSEDED = { event: 'supersede', code: 'approval_superseded' } as const

async function countsWith(
  tx: Tx,
  {
    other,
    approval,
    expense,
    approvable,
  }: { other: ApprovalRow; approval: ApprovalRow; expense: ExpenseRow; approvable: Approvable },
): Promise<boolean> {
  const { id: approvalId, approverAddress, accountId, deadline } = other
  const { room, required, approverIds, paidAccountIds } = approvable
  if (deadline !== approval.deadline) return false
  if (!room.policy.approverAddresses.includes(approverAddress)) return false
  const { submitterAccountId } = expense
  const decider = { accountId, submitterAccountId, paidAccountIds }
  if (!mayDecide(decider, approverIds, required)) return false
  const content = { approvalId, approverAddress, expense, deadline, ...approvable }
  return digestOf(await contentOf(tx, content)) === other.digest
}
