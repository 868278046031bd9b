/** Ends approvals that no longer hold, and blocks the unsent payments that rely on them. */
import type { Context } from '#context.ts'
import { lockExpense, lockExpenses } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import type { Reactions } from '#journal/reactions.ts'
import { blockPaymentsTo, blockUnsentPayment, recheckPayments } from '#payments/block-payment.ts'
import { enqueueMatching, noticeExecutions } from '#payments/match-executions.ts'
import { isForged, mayHavePaid } from '#payments/payment.ts'
import { lockPayment } from '#payments/payments.store.ts'
import { wakeLane } from '#payments/release-payment.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import type { VaultEvent } from '#ports/chain.ts'
import { findVault } from '#treasury/vaults.store.ts'
import type { ApprovalEvent } from './approval.machine.ts'
import {
  type ApprovalRow,
  type Ending,
  findApproval,
  findApprovalByDigest,
  listExpensesEndingWith,
  listOpenApprovals,
  listVoidApprovals,
  lockApproval,
  lockApprovals,
  type OpenApprovals,
} from './approvals.store.ts'
import { moveApproval } from './move-approval.ts'

type EndContext = Pick<Context, 'clock' | 'ids'>

export type EndApproval = {
  approval: ApprovalRow
  event: Exclude<ApprovalEvent, 'sign' | 'consume'>
  /** Becomes the payment's block code. */
  code: BlockCode
  actor: Actor
  transactionHash?: string
  /** The caller moves the expense itself. */
  leavesExpense?: boolean
}

/** Locks expense, approval and payment in this order. An ended approval is left unchanged. */
export async function endApproval(
  ctx: EndContext,
  tx: Tx,
  { approval, event, code, actor, transactionHash, leavesExpense = false }: EndApproval,
): Promise<boolean> {
  const { organizationId, expenseId, id: approvalId } = approval
  const expense = await lockExpense(tx, { organizationId, expenseId })
  const locked = await lockApproval(tx, { organizationId, approvalId })
  if (!expense || (locked?.state !== 'prepared' && locked?.state !== 'signed')) return false
  const { paymentId } = expense
  const payment = await lockPayment(tx, { organizationId, paymentId })
  const isCounted = payment?.signatures.some((one) => one.approvalId === approvalId)
  const relying = locked.state === 'signed' && isCounted ? payment : undefined
  // A signed transaction may be on its way: only the chain decides now whether the approval holds.
  if (relying?.hasOpenAttempt && event !== 'invalidate') return false
  await moveApproval(ctx, tx, {
    approval: locked,
    event,
    actor,
    endCode: code,
    ...(transactionHash !== undefined && { transactionHash }),
  })
  if (!relying || relying.hasOpenAttempt) return true
  const key = { organizationId, paymentId, expenseId }
  const isBlocked = await blockUnsentPayment(ctx, tx, { ...key, code, actor })
  // The payment was blocked before; now it needs a new signature as well, unless it may have been
  // paid or must never be.
  const isOver = mayHavePaid(relying) || isForged(relying)
  if (!isBlocked && !leavesExpense && !isOver && expense.state === 'blocked') {
    await moveExpense(ctx, tx, { expense, event: 'approval_ended', actor, data: { code } })
  }
  return true
}

type EndOpenApprovals = { where: OpenApprovals } & Pick<
  EndApproval,
  'code' | 'actor' | 'leavesExpense'
>

export async function endOpenApprovals(
  ctx: EndContext,
  tx: Tx,
  { where, ...ending }: EndOpenApprovals,
): Promise<void> {
  for (const approval of await listOpenApprovals(tx, where)) {
    await endApproval(ctx, tx, { approval, event: 'supersede', ...ending })
  }
}

async function lockEnding(tx: Tx, where: Ending): Promise<void> {
  const expenseIds = await listExpensesEndingWith(tx, where)
  await lockExpenses(tx, { organizationId: where.organizationId, expenseIds })
}

async function endForRecipient(
  ctx: EndContext,
  tx: Tx,
  { actor, ...where }: { organizationId: string; recipientId: string; actor: Actor },
): Promise<void> {
  await lockEnding(tx, where)
  await blockPaymentsTo(ctx, tx, { ...where, actor })
  const ending = { code: 'recipient_deactivated', actor, leavesExpense: true } as const
  await endOpenApprovals(ctx, tx, { where, ...ending })
}

/** What other modules trigger here, in their own transactions. */
export function approvalReactions(ctx: EndContext): Reactions {
  /** Wakes each lane once per transaction, because a block may contain many of its payments. */
  const woken = new WeakMap<Tx, Set<string>>()
  return {
    expenseLeftApproval: (tx, { organizationId, expenseId, actor }) =>
      endOpenApprovals(ctx, tx, {
        where: { organizationId, expenseId },
        code: 'approval_superseded',
        actor,
        leavesExpense: true,
      }),
    walletRolesEnding: lockEnding,
    walletRoleRevoked: (tx, { organizationId, walletRoleId, actor }) =>
      endOpenApprovals(ctx, tx, {
        where: { organizationId, walletRoleId },
        code: 'approver_revoked',
        actor,
      }),
    recipientDeactivated: (tx, deactivated) => endForRecipient(ctx, tx, deactivated),
    async paymentsConfirmed(tx, { organizationId, approvalIds }) {
      if (approvalIds.length === 0) return
      for (const approval of await lockApprovals(tx, { organizationId, approvalIds })) {
        // The deadline may have passed while the payment settled; the payment counts.
        if (approval.state !== 'signed') continue
        await moveApproval(ctx, tx, { approval, event: 'consume', actor: SYSTEM })
      }
    },
    async paymentFailed(tx, { organizationId, approvalIds }) {
      for (const approvalId of approvalIds) enqueueExpiry(tx, { organizationId, approvalId })
    },
    async paymentRequeued(tx, { approvalIds, ...vault }) {
      const { organizationId } = vault
      for (const approvalId of approvalIds) enqueueExpiry(tx, { organizationId, approvalId })
      enqueuePolicyChange(tx, vault)
    },
    async vaultRolledBack(tx, vault) {
      enqueuePolicyChange(tx, vault)
      enqueueMatching(tx, vault)
    },
    async vaultLogged(tx, { organizationId, vaultId, logs }) {
      const chainPaymentIds: string[] = []
      for (const { event, transactionHash } of logs) {
        if (mayVoidApprovals(event)) enqueuePolicyChange(tx, { organizationId, vaultId })
        if (event.name === 'ApprovalInvalidated') {
          const { digest, invalidator } = event
          const payload = { organizationId, vaultId, digest, invalidator, transactionHash }
          enqueue(tx, 'apply_invalidation', payload)
        }
        if (event.name === 'PaymentExecuted') chainPaymentIds.push(event.chainPaymentId)
      }
      if (chainPaymentIds.length === 0) return
      const lanes = woken.get(tx) ?? new Set()
      woken.set(tx, lanes)
      const logged = { organizationId, vaultId, chainPaymentIds }
      for (const laneId of await noticeExecutions(tx, logged)) {
        if (lanes.has(laneId)) continue
        lanes.add(laneId)
        wakeLane(tx, { organizationId, laneId })
      }
    },
  }
}

/** The vault may refuse signatures from then on that it would have taken before. */
const mayVoidApprovals = (event: VaultEvent): boolean =>
  event.name === 'PolicyConfigured' ||
  event.name === 'ApproverRevoked' ||
  event.name === 'RecipientBlocked' ||
  (event.name === 'RecipientsChanged' && event.removed.length > 0)

const enqueuePolicyChange = (tx: Tx, vault: JobPayloads['apply_policy_change']): void =>
  enqueue(tx, 'apply_policy_change', vault, { key: `apply_policy_change:${vault.vaultId}` })

/** Job: expires an approval that was not used before its deadline. */
export async function expireApproval(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'secrets' | 'log'>,
  { organizationId, approvalId }: JobPayloads['expire_approval'],
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const approval = await findApproval(tx, { organizationId, approvalId })
    if (!approval) return
    // The database clock decides; a job that ran early is rescheduled.
    if (approval.secondsLeft >= 0) {
      enqueueExpiry(tx, { organizationId, approvalId }, approval.secondsLeft + 1)
      return
    }
    await endApproval(ctx, tx, {
      approval,
      event: 'expire',
      code: 'approval_expired',
      actor: SYSTEM,
    })
  })
}

/** Runs a second after the deadline, because the approval is valid up to it. */
export const enqueueExpiry = (
  tx: Tx,
  approval: JobPayloads['expire_approval'],
  delaySeconds = 0,
): void =>
  enqueue(tx, 'expire_approval', approval, {
    key: `expire_approval:${approval.approvalId}`,
    delaySeconds,
  })

/** Job: ends the approvals that the vault refuses after a change of its policy or recipients. */
export async function applyPolicyChange(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'secrets' | 'log'>,
  { organizationId, vaultId }: JobPayloads['apply_policy_change'],
): Promise<void> {
  const open = await ctx.db.transaction({ organizationId }, (tx) =>
    listVoidApprovals(tx, { organizationId, vaultId }),
  )
  for (const { id: approvalId, code } of open) {
    await ctx.db.transaction({ organizationId }, async (tx) => {
      const approval = await findApproval(tx, { organizationId, approvalId })
      if (!approval) return
      await endApproval(ctx, tx, { approval, event: 'supersede', code, actor: SYSTEM })
    })
  }
  await recheckPayments(ctx, { organizationId, vaultId })
}

/** Anyone can emit an invalidation; the contract honours only the approver and the vault owner. */
export const mayInvalidate = (
  invalidator: string,
  { approverAddress }: ApprovalRow,
  vault: { ownerAddress: string } | undefined,
): boolean => invalidator === approverAddress || invalidator === vault?.ownerAddress

/** Job: applies an invalidation that the follower saw on chain. */
export async function applyInvalidation(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'secrets' | 'log'>,
  payload: JobPayloads['apply_invalidation'],
): Promise<void> {
  const { organizationId, vaultId, digest, invalidator, transactionHash } = payload
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const approval = await findApprovalByDigest(tx, { organizationId, digest })
    // An invalidation at another vault has no effect on this one.
    if (approval?.vaultId !== vaultId) return
    const vault = await findVault(tx, { organizationId, vaultId: approval.vaultId })
    if (!mayInvalidate(invalidator, approval, vault)) return
    const ending = { event: 'invalidate', code: 'approval_invalidated', actor: SYSTEM } as const
    await endApproval(ctx, tx, { approval, ...ending, transactionHash })
  })
}
