/** Locks and checks everything that an approval depends on. */
import { chainPaymentIdOf, organizationHash } from '@countersign/proof/digest.ts'
import { requiredApprovals } from '@countersign/proof/execution.ts'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { findReport } from '#analysis/analysis.store.ts'
import type { Context } from '#context.ts'
import { type ExpenseRow, findRevision } from '#expenses/expenses.store.ts'
import {
  type Decider,
  isAnotherDecider,
  isPayee,
  isSubmitter,
  mayDecide,
} from '#expenses/four-eyes.ts'
import { findOrganizationSalt } from '#organizations/members.store.ts'
import { lockPayment } from '#payments/payments.store.ts'
import {
  lockSpending,
  requireActiveRecipient,
  requireRoom,
  requireUnpaidElsewhere,
} from '#payments/reserve-payment.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { PolicyRow } from '#treasury/policies.store.ts'
import { requireUsable } from '#treasury/vault.ts'
import { listEverLinked } from '#wallets/wallet-links.store.ts'
import { type ApproverWallet, listApproverIds, listApproverWallets } from './approvals.store.ts'

/** Revision, report, wallet, policy and funds; and how many approvers must sign. */
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
  const own = await lockPayment(tx, { organizationId, paymentId: expense.paymentId })
  const spending = await lockSpending(ctx, tx, { organizationId, revision, mode: 'approved', own })
  requireUsable(spending.vault)
  await requireUnpaidElsewhere(tx, expense, spending.vault)
  if (!spending.policy) throw new AppError('policy_missing')
  const wallet = await chooseWallet(tx, { actor, policy: spending.policy })
  const { submitterAccountId } = expense
  const paidAccountIds = await listEverLinked(tx, revision.recipientAddress)
  const decider = { accountId, submitterAccountId, paidAccountIds }
  const { approverAddresses: addresses, tiers } = spending.policy
  const required = requiredApprovals(tiers, revision.amount)
  const approverIds = await listApproverIds(tx, { organizationId, addresses })
  requireIndependentApprover(decider, approverIds, required)
  const isSoleApprover = isSubmitter(decider)
  const room = requireRoom(spending)
  return { revision, report, wallet, isSoleApprover, room, required, approverIds, paidAccountIds }
}

/** Rejects payees, and submitters while enough other approvers could sign. */
function requireIndependentApprover(
  decider: Decider,
  approverIds: readonly string[],
  required: number,
): void {
  if (mayDecide(decider, approverIds, required)) return
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

export type Approvable = Awaited<ReturnType<typeof lockApprovalContext>>

/** Everything that determines the payment, from the locked rows. */
export async function contentOf(
  tx: Tx,
  {
    approvalId,
    expense,
    deadline,
    revision,
    report,
    approverAddress,
    room,
  }: Pick<Approvable, 'revision' | 'report' | 'room'> & {
    approvalId: string
    approverAddress: string
    expense: ExpenseRow
    deadline: string
  },
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
    approverAddress,
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
