/** Prepares the typed data of an approval for one wallet, expense version and deadline. */
import { digestOf, type TypedData, typedDataOf } from '@countersign/proof/typed-data.ts'
import { checksummed, timestampToSeconds } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { requireVersion } from '#expenses/expense.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { findWaitingProposal } from '#treasury/proposals.store.ts'
import { contentOf, lockApprovalContext } from './approval-context.ts'
import { deadlineOf } from './approval-deadline.ts'
import { insertApproval } from './approvals.store.ts'
import { endOpenApprovals, enqueueExpiry } from './end-approval.ts'
import { recordApproval } from './move-approval.ts'
import { listStanding, requireFirstSignature } from './standing-approvals.ts'

export type PrepareApproval = {
  actor: Member
  expenseId: string
  expectedVersion: number
  deadlineSeconds: number | undefined
}

export type PreparedApproval = TypedData & {
  digest: string
  approvalId: string
  approverAddress: string
  /** How many different approvers must sign, and how many have. */
  requiredApprovals: number
  signedApprovals: number
}

type ApprovalContext = Pick<Context, 'db' | 'clock' | 'ids'>

export async function prepareApproval(
  ctx: ApprovalContext,
  { actor, expenseId, expectedVersion, deadlineSeconds }: PrepareApproval,
): Promise<PreparedApproval> {
  const { organizationId, accountId } = actor
  return asMember(ctx, actor, async (tx) => {
    const expense = await lockExpense(tx, { organizationId, expenseId })
    if (!expense) throw new AppError('not_found')
    requireVersion(expense, expectedVersion)
    if (expense.state !== 'awaiting_approval') throw new AppError('state_conflict')
    const approvable = await lockApprovalContext(ctx, tx, { actor, expense })
    const { room, required, wallet } = approvable
    const now = ctx.clock.now()
    const standing = await listStanding(tx, { expense, policyVersion: room.policy.version, now })
    if (required > 1) requireFirstSignature(standing, { accountId })
    const waiting = await findWaitingProposal(tx, { organizationId, vaultId: room.vault.id })
    const deadline = deadlineOf({
      now,
      policyExpiresAt: room.policy.expiresAt,
      replacedFrom: waiting?.activatesAt ?? null,
      deadlineSeconds,
      isShared: required > 1,
      fixed: standing.find((one) => one.accountId !== accountId)?.deadline,
    })
    const own = { organizationId, expenseId, accountId }
    // A signed one can still be open for a moment after its deadline; its reservation ends with it.
    const ending = { code: 'approval_superseded', actor: asActor(actor) } as const
    await endOpenApprovals(ctx, tx, { where: own, ...ending })
    const approvalId = ctx.ids.next()
    const { address: approverAddress } = wallet
    const terms = { approvalId, expense, deadline, approverAddress, ...approvable }
    const content = await contentOf(tx, terms)
    const [typedData, digest] = [typedDataOf(content), digestOf(content)]
    insertApproval(tx, {
      id: approvalId,
      organizationId,
      expenseId,
      expenseRevision: expense.currentRevision,
      vaultId: room.vault.id,
      accountId,
      walletRoleId: wallet.walletRoleId,
      approverAddress,
      policyVersion: content.policyVersion,
      reportHash: content.reportHash,
      expenseVersionHash: content.expenseVersionHash,
      deadline,
      digest,
      typedData,
      at: now,
    })
    await recordApproval(ctx, tx, {
      approval: { id: approvalId, organizationId, expenseId, expenseRevision: expectedVersion },
      event: 'prepare',
      to: 'prepared',
      actor: asActor(actor),
      data: { digest, approverAddress, deadline },
    })
    const left = timestampToSeconds(deadline) - timestampToSeconds(now.toISOString())
    enqueueExpiry(tx, { organizationId, approvalId }, left + 1)
    return {
      ...typedData,
      digest,
      approvalId,
      approverAddress: checksummed(approverAddress),
      requiredApprovals: required,
      signedApprovals: standing.filter(({ state }) => state === 'signed').length,
    }
  })
}
