/** Prepares the typed data of an approval for one wallet, expense version and deadline. */
import { chainPaymentIdOf, organizationHash } from '@countersign/proof/digest.ts'
import { digestOf, type TypedData, typedDataOf } from '@countersign/proof/typed-data.ts'
import { checksummed, secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { findReport } from '#analysis/analysis.store.ts'
import type { Context } from '#context.ts'
import { requireVersion } from '#expenses/expense.ts'
import { type ExpenseRow, findRevision, lockExpense } from '#expenses/expenses.store.ts'
import {
  type Decider,
  isAnotherDecider,
  isPayee,
  isSubmitter,
  mayDecide,
} from '#expenses/four-eyes.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { findOrganizationSalt } from '#organizations/members.store.ts'
import {
  lockSpending,
  requireActiveRecipient,
  requireRoom,
  requireUnpaidElsewhere,
} from '#payments/reserve-payment.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { PolicyRow } from '#treasury/policies.store.ts'
import { requireUsable } from '#treasury/vault.ts'
import { listEverLinked } from '#wallets/wallet-links.store.ts'
import {
  type ApproverWallet,
  insertApproval,
  listApproverIds,
  listApproverWallets,
} from './approvals.store.ts'
import { enqueueExpiry } from './end-approval.ts'
import { recordApproval, supersedeOpen } from './move-approval.ts'

const DEADLINE_SECONDS = 3_600
/** What must be left of a policy for a signature under it. */
export const DEADLINE_SECONDS_MIN = 60

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
}

type ApprovalContext = Pick<Context, 'db' | 'clock' | 'ids'>

/**
 * Locks and checks everything an approval depends on: revision, report, wallet, policy and funds.
 */
export async function lockApprovalContext(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { actor, expense }: { actor: Member; expense: ExpenseRow },
) {
  const { organizationId, accountId } = actor
  const { id: expenseId, currentRevision, currentReportId: reportId } = expense
  const revision = await findRevision(tx, { organizationId, expenseId, revision: currentRevision })
  const report = reportId && (await findReport(tx, { organizationId, reportId, onlyOf: null }))
  if (!report || report.expenseRevision !== currentRevision) throw new AppError('report_missing')
  if (!revision) throw new AppError('state_conflict')
  await requireActiveRecipient(tx, { organizationId, recipientId: revision.recipientId })
  const spending = await lockSpending(ctx, tx, { organizationId, revision, mode: 'approved' })
  requireUsable(spending.vault)
  await requireUnpaidElsewhere(tx, expense, spending.vault)
  if (!spending.policy) throw new AppError('policy_missing')
  const wallet = await chooseWallet(tx, { actor, policy: spending.policy })
  const { submitterAccountId } = expense
  const paidAccountIds = await listEverLinked(tx, revision.recipientAddress)
  const decider = { accountId, submitterAccountId, paidAccountIds }
  const { approverAddresses: addresses } = spending.policy
  await requireIndependentApprover(tx, decider, { organizationId, addresses })
  const isSoleApprover = isSubmitter(decider)
  return { revision, report, wallet, isSoleApprover, room: requireRoom(spending) }
}

/** Rejects payees, and submitters while another approver could sign. */
async function requireIndependentApprover(
  tx: Tx,
  decider: Decider,
  approvers: { organizationId: string; addresses: readonly string[] },
): Promise<void> {
  if (!isPayee(decider) && !isSubmitter(decider)) return
  const approverIds = await listApproverIds(tx, approvers)
  if (mayDecide(decider, approverIds)) return
  if (!isPayee(decider)) throw new AppError('self_approval')
  const advice = isAnotherDecider(decider, approverIds)
    ? 'Ask another approver of the policy to sign it.'
    : "Nobody else can sign it. Assign another member's wallet the approver role, and " +
      'configure a policy that lists it.'
  throw new AppError('self_approval', {
    message: `This expense pays a wallet that is or was yours. ${advice}`,
  })
}

/** The caller's newest approver wallet that the policy on chain lists. */
async function chooseWallet(
  tx: Tx,
  { actor, policy }: { actor: Member; policy: PolicyRow },
): Promise<ApproverWallet> {
  const { organizationId, membershipId } = actor
  const wallets = await listApproverWallets(tx, { organizationId, membershipId })
  if (wallets.length === 0) throw new AppError('approver_wallet_required')
  const own = wallets.filter(({ isServer }) => !isServer)
  if (own.length === 0) throw serverWalletRefusal()
  const known = own.find(({ address }) => policy.approverAddresses.includes(address))
  if (known) return known
  throw new AppError('policy_violation', {
    message: 'The policy on chain does not list your approver wallet. Configure a new policy.',
  })
}

export const serverWalletRefusal = () =>
  new AppError('state_conflict', {
    message:
      'Your approver wallet is a server wallet, and the service could sign for it. ' +
      'Assign another wallet of yours the approver role, and configure a policy that lists it.',
  })

/**
 * The default deadline is an hour or the policy's expiry; a requested deadline is never shortened.
 */
function deadlineOf(
  now: Date,
  policyExpiresAt: string,
  deadlineSeconds: number | undefined,
): string {
  const requested = addSeconds(now, deadlineSeconds ?? DEADLINE_SECONDS).toISOString()
  const end =
    deadlineSeconds === undefined && requested > policyExpiresAt ? policyExpiresAt : requested
  const deadline = secondsToTimestamp(timestampToSeconds(end))
  if (deadline > policyExpiresAt) {
    throw new AppError('policy_violation', {
      message: `The policy expires earlier, at ${policyExpiresAt}. Choose an earlier deadline.`,
    })
  }
  // Whole seconds may cut off a fraction, so the minimum allows one second less.
  const earliest = addSeconds(now, DEADLINE_SECONDS_MIN - 1).toISOString()
  if (deadline < earliest) {
    throw new AppError('policy_violation', {
      message: 'The policy expires in less than a minute. Configure a new policy.',
    })
  }
  return deadline
}

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
    const { room } = approvable
    const deadline = deadlineOf(ctx.clock.now(), room.policy.expiresAt, deadlineSeconds)
    const own = { organizationId, expenseId, accountId }
    await supersedeOpen(ctx, tx, { ...own, actor: asActor(actor) })
    const approvalId = ctx.ids.next()
    const content = await contentOf(tx, { approvalId, expense, deadline, ...approvable })
    const [typedData, digest] = [typedDataOf(content), digestOf(content)]
    await insertApproval(tx, {
      id: approvalId,
      organizationId,
      expenseId,
      expenseRevision: expense.currentRevision,
      vaultId: room.vault.id,
      accountId,
      walletRoleId: approvable.wallet.walletRoleId,
      approverAddress: content.approverAddress,
      policyVersion: content.policyVersion,
      reportHash: content.reportHash,
      expenseVersionHash: content.expenseVersionHash,
      deadline,
      digest,
      typedData,
      at: ctx.clock.now(),
    })
    await recordApproval(ctx, tx, {
      approval: { id: approvalId, organizationId, expenseId, expenseRevision: expectedVersion },
      event: 'prepare',
      to: 'prepared',
      actor: asActor(actor),
      data: { digest, approverAddress: content.approverAddress, deadline },
    })
    const left = timestampToSeconds(deadline) - timestampToSeconds(ctx.clock.now().toISOString())
    await enqueueExpiry(tx, { organizationId, approvalId }, left + 1)
    const approverAddress = checksummed(content.approverAddress)
    return { ...typedData, digest, approvalId, approverAddress }
  })
}

type Approvable = Awaited<ReturnType<typeof lockApprovalContext>>

/** Everything that determines the payment, from the locked rows. */
export async function contentOf(
  tx: Tx,
  {
    approvalId,
    expense,
    deadline,
    revision,
    report,
    wallet,
    room,
  }: Approvable & { approvalId: string; expense: ExpenseRow; deadline: string },
) {
  const { organizationId, paymentId } = expense
  const { vault, policy } = room
  const organization = organizationHash({
    organizationId,
    salt: await findOrganizationSalt(tx, organizationId),
  })
  const { chainId } = vault
  return {
    chainId,
    vaultAddress: vault.address,
    approvalId,
    approverAddress: wallet.address,
    organizationHash: organization,
    chainPaymentId: chainPaymentIdOf({ chainId, organizationHash: organization, paymentId }),
    tokenAddress: vault.tokenAddress,
    recipientAddress: revision.recipientAddress,
    amount: revision.amount,
    policyVersion: policy.version,
    reportHash: report.reportHash,
    expenseVersionHash: revision.versionHash,
    deadlineSeconds: timestampToSeconds(deadline),
  }
}
