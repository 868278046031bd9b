/** Reads how one payment came to be: its expense, the analysis, approvals, attempts and receipt. */
import { checksummed } from '@countersign/proof/values.ts'
import { findPosition } from '#chain/chain.store.ts'
import { toRevisionRecord } from '#expenses/expense.ts'
import { findExpenseOrPayment, findRevision } from '#expenses/expenses.store.ts'
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import { type ShownPayment, toPaymentRecord } from '#payments/payment.ts'
import { toReceipt } from '#payments/read-payments.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { toCaseRecord } from '#support/support-case.ts'
import { toVaultRecord } from '#treasury/vault.ts'
import { findVault } from '#treasury/vaults.store.ts'
import type { FailedAttemptRow } from './failures.store.ts'
import {
  listAttemptsAhead,
  listAuditAbout,
  listOrganizationApprovals,
  listOrganizationAttempts,
  listOrganizationCases,
  listOrganizationPayments,
  listOrganizationReceipts,
  listOrganizationReports,
  listOrganizationRuns,
} from './organization-detail.store.ts'
import { listOrganizationNames } from './organizations.store.ts'
import { toAdminAttempt } from './read-failures.ts'
import type { AdminContext } from './read-organizations.ts'

/** Limit per kind. No payment comes near it. */
const SHOWN = 100

type Wanted = { organizationId: string; id: string }

async function readRows(tx: Tx, { organizationId, id }: Wanted) {
  const expense = await findExpenseOrPayment(tx, { organizationId, id })
  if (!expense) return undefined
  const { id: expenseId, paymentId, currentRevision: revision } = expense
  const terms = await findRevision(tx, { organizationId, expenseId, revision })
  const [organization] = await listOrganizationNames(tx, [organizationId])
  if (!terms || !organization) return undefined
  const vault = await findVault(tx, { organizationId, vaultId: terms.vaultId })
  const of = { organizationId, limit: SHOWN, expenseId, paymentId }
  const approvals = await listOrganizationApprovals(tx, of)
  const [payment] = await listOrganizationPayments(tx, of)
  const [receipt] = await listOrganizationReceipts(tx, of)
  const attempts = await listOrganizationAttempts(tx, of)
  const headNumber = (await findPosition(tx))?.number ?? 0
  const ids = [expenseId, paymentId, ...approvals.map((approval) => approval.id)]
  return {
    organization,
    expense: { ...expense, revision: toRevisionRecord(terms) },
    vault: vault ? toVaultRecord(vault) : null,
    payment: payment ? toPaymentRecord(payment) : null,
    agentRuns: await listOrganizationRuns(tx, of),
    reports: await listOrganizationReports(tx, of),
    approvals: approvals.map((approval) => ({
      ...approval,
      approverAddress: checksummed(approval.approverAddress),
    })),
    attempts: attempts.map(toAdminAttempt),
    attemptsAhead: (await readAhead(tx, { organizationId, payment, attempts })).map(toAdminAttempt),
    receipt: receipt ? { paymentId: receipt.paymentId, ...toReceipt(receipt, headNumber) } : null,
    supportCases: (await listOrganizationCases(tx, of)).map(toCaseRecord),
    auditEvents: await listAuditAbout(tx, { organizationId, limit: SHOWN, ids }),
  }
}

type Sending = {
  organizationId: string
  payment: ShownPayment | undefined
  attempts: readonly FailedAttemptRow[]
}

/** The chain mines the transactions of an executor in the order of their nonces. */
async function readAhead(
  tx: Tx,
  { organizationId, payment, attempts: [last] }: Sending,
): Promise<FailedAttemptRow[]> {
  const laneId = payment?.executorBindingId
  if (!payment || !laneId || !last || last.nonce === null) return []
  if (last.state !== 'written' && last.state !== 'sent') return []
  return listAttemptsAhead(tx, { organizationId, paymentId: payment.id, laneId, nonce: last.nonce })
}

/** `paymentId` may also be the id of the expense, which is all that a failed analysis names. */
export async function readPaymentStory(
  ctx: AdminContext,
  {
    operator,
    organizationId,
    paymentId,
  }: { operator: Actor; organizationId: string; paymentId: string },
) {
  const read = (tx: Tx) => readRows(tx, { organizationId, id: paymentId })
  // One snapshot, so that the parts of the story fit together.
  const found = await ctx.observerDb.transaction({}, read, { isolation: 'snapshot' })
  const operation = 'getAdminPayment'
  if (!found) {
    const data = { organizationId, paymentId }
    await recordRead(ctx, { operator, operation, organizationId: null, data })
    throw new AppError('not_found')
  }
  await recordRead(ctx, { operator, operation, organizationId, data: { paymentId } })
  return found
}
