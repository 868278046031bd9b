/** Withdraws an approval: cancels it before signing, or records its invalidation on chain. */
import { isHash } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { requireVersion } from '#expenses/expense.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import type { ChainReceipt } from '#ports/chain.ts'
import { findVault, type VaultRow } from '#treasury/vaults.store.ts'
import { type ApprovalRow, findApproval, lockApproval, markCancelled } from './approvals.store.ts'
import { endApproval, mayInvalidate } from './end-approval.ts'
import { recordApproval } from './move-approval.ts'

type WithdrawContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain'>

export type CancelSigning = {
  actor: Member
  expenseId: string
  expectedVersion: number
  approvalId: string
}
export type CancelledSigning = { approvalId: string; state: 'prepared'; cancelled: true }

/** The approval stays `prepared` but can no longer be signed. Cancelling is idempotent. */
export async function cancelSigning(
  ctx: WithdrawContext,
  { actor, expenseId, expectedVersion, approvalId }: CancelSigning,
): Promise<CancelledSigning> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const expense = await lockExpense(tx, { organizationId, expenseId })
    const approval = await lockApproval(tx, { organizationId, approvalId })
    if (!expense || approval?.expenseId !== expenseId) throw new AppError('not_found')
    if (approval.accountId !== actor.accountId) throw new AppError('forbidden')
    requireVersion(expense, expectedVersion)
    if (approval.state !== 'prepared') throw new AppError('state_conflict')
    if (!approval.isCancelled) {
      const at = ctx.clock.now()
      markCancelled(tx, { organizationId, approvalId, at })
      const by = asActor(actor)
      const change = { approval, event: 'cancel', to: 'prepared', actor: by } as const
      await recordApproval(ctx, tx, { ...change, data: { cancelled: true } })
    }
    return { approvalId, state: 'prepared', cancelled: true }
  })
}

export type InvalidateApproval = { actor: Member; approvalId: string; transactionHash: string }
export type InvalidatedApproval = {
  approvalId: string
  state: 'invalidated'
  transactionHash: string
}

/** Reads the chain first: only a final transaction that invalidates the approval counts. */
export async function invalidateApproval(
  ctx: WithdrawContext,
  { actor, approvalId, transactionHash: given }: InvalidateApproval,
): Promise<InvalidatedApproval> {
  const { organizationId } = actor
  if (!isHash(given)) {
    throw new AppError('validation_failed', {
      message: '`transactionHash` must be 0x and 64 hex digits.',
    })
  }
  const transactionHash = given.toLowerCase()
  const { approval, vault } = await ctx.db.read(scopeOf(actor), async (reader) => {
    const found = await findApproval(reader, { organizationId, approvalId })
    if (!found) throw new AppError('not_found')
    return {
      approval: found,
      vault: await findVault(reader, { organizationId, vaultId: found.vaultId }),
    }
  })
  if (actor.role !== 'owner' && approval.accountId !== actor.accountId) {
    throw new AppError('forbidden', {
      message: 'Only an owner or the approver may invalidate this approval.',
    })
  }
  if (!vault) throw new AppError('forbidden')
  if (!isInvalidatedBy(approval, transactionHash)) {
    await requireInvalidation(ctx, { approval, vault, transactionHash })
  }
  return asMember(ctx, actor, async (tx) => {
    const ending = { event: 'invalidate', code: 'approval_invalidated' } as const
    const by = asActor(actor)
    await endApproval(ctx, tx, { approval, ...ending, actor: by, transactionHash })
    const now = await findApproval(tx, { organizationId, approvalId })
    if (!now || !isInvalidatedBy(now, transactionHash)) throw new AppError('state_conflict')
    return { approvalId, state: 'invalidated', transactionHash }
  })
}

/** The follower may have recorded it first; a repeated request gets the same answer. */
const isInvalidatedBy = (approval: ApprovalRow, transactionHash: string): boolean =>
  approval.state === 'invalidated' && approval.invalidationTransactionHash === transactionHash

async function requireInvalidation(
  { chain }: WithdrawContext,
  {
    approval,
    vault,
    transactionHash,
  }: { approval: ApprovalRow; vault: VaultRow; transactionHash: string },
): Promise<void> {
  const transaction = await chain.findTransaction(transactionHash)
  const receipt = transaction?.receipt
  const head = await chain.latestBlock()
  const isDeep = receipt && head.number - receipt.blockNumber + 1 >= chain.confirmations
  const block = receipt && (await chain.findBlock(receipt.blockNumber))
  if (!receipt || !isDeep || block?.hash !== receipt.blockHash) {
    throw new AppError('state_conflict', {
      message: 'The transaction is unknown or not final yet. Retry once it is final.',
    })
  }
  if (receipt.status === 'reverted') throw new AppError('transaction_failed')
  if (!invalidates(receipt, { approval, vault })) throw new AppError('transaction_mismatch')
}

const invalidates = (
  { events }: ChainReceipt,
  { approval, vault }: { approval: ApprovalRow; vault: VaultRow },
): boolean =>
  events.some(
    ({ address, event }) =>
      event.name === 'ApprovalInvalidated' &&
      address === vault.address &&
      event.digest === approval.digest &&
      mayInvalidate(event.invalidator, approval, vault),
  )
