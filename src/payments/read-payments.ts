/** Reads payments. Employees see those of their own expenses only. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { checksummed } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { isFiltered } from '#expenses/expense-filter.ts'
import { findSearchWords } from '#expenses/lists.store.ts'
import { visibleTo } from '#expenses/read-expenses.ts'
import { scopeOf } from '#organizations/actor.ts'
import { findEvidence } from '#payments/evidence/evidence.store.ts'
import { evidenceOf } from '#payments/evidence/evidence.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { LAST_ID, type Page, toPaged } from '#platform/paging.ts'
import { type ActivityRow, listActivity, listPaymentIds } from './activity.store.ts'
import type { ActivityFilter } from './activity-filter.ts'
import { type PaymentRecord, toPaymentRecord } from './payment.ts'
import {
  type AttemptRecord,
  findPayment,
  findReceipt,
  listAttempts,
  listPaymentApprovals,
  type ReceiptRow,
  type ShownSignature,
} from './payments.store.ts'
import { toUnrecordedPayment, type UnrecordedPaymentRecord } from './unrecorded-payment.ts'
import { listUnrecorded } from './unrecorded-payments.store.ts'

export type PaymentDetail = {
  payment: PaymentRecord
  attempts: (Omit<AttemptRecord, 'maxFeePerGas'> & { maxFeePerGas: string | null })[]
  receipt: ReturnType<typeof toReceipt> | null
  approvals: ShownSignature[]
  evidence?: Evidence
}

/** `confirmations` counts from the newest block that the follower has read. */
export const toReceipt = (
  receipt: Omit<ReceiptRow, 'logIndex' | 'execution'>,
  headNumber: number,
) => ({
  transactionHash: receipt.transactionHash,
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash,
  status: receipt.status,
  gasUsed: receipt.gasUsed === null ? null : receipt.gasUsed.toString(),
  effectiveGasPrice: receipt.effectiveGasPrice?.toString() ?? null,
  confirmations: Math.max(1, headNumber - receipt.blockNumber + 1),
  confirmedAt: receipt.confirmedAt,
})

export const toAttempt = (attempt: AttemptRecord) => ({
  ...attempt,
  executorAddress: checksummed(attempt.executorAddress),
  maxFeePerGas: attempt.maxFeePerGas?.toString() ?? null,
})

export async function readPayment(
  ctx: Pick<Context, 'db'>,
  { member, paymentId }: { member: Member; paymentId: string },
): Promise<PaymentDetail> {
  // One snapshot: a confirmed payment has its receipt and evidence, an open one has neither.
  return ctx.db.transaction(scopeOf(member), (tx) => paymentAt(tx, { member, paymentId }), {
    isolation: 'snapshot',
  })
}

async function paymentAt(
  tx: Tx,
  { member, paymentId }: { member: Member; paymentId: string },
): Promise<PaymentDetail> {
  const { organizationId } = member
  const payment = await findPayment(tx, { organizationId, paymentId, onlyOf: visibleTo(member) })
  if (!payment) throw new AppError('not_found')
  const attempts = await listAttempts(tx, { organizationId, paymentId })
  const receipt = await findReceipt(tx, { organizationId, paymentId })
  const approvals = await listPaymentApprovals(tx, { organizationId, paymentId })
  const row = await findEvidence(tx, { organizationId, paymentId })
  const position = receipt && (await findPosition(tx))
  return {
    payment: toPaymentRecord(payment),
    attempts: attempts.map(toAttempt),
    receipt: receipt ? toReceipt(receipt, position?.number ?? receipt.blockNumber) : null,
    approvals: approvals.map((approval) => ({
      ...approval,
      approverAddress: checksummed(approval.approverAddress),
    })),
    ...(row && { evidence: evidenceOf(payment, row, receipt) }),
  }
}

type ActivityItem = PaymentRecord &
  Pick<
    ActivityRow,
    'purpose' | 'recipientLabel' | 'category' | 'reference' | 'confirmedAt' | 'approvers'
  >

const toActivityItem = (row: ActivityRow): ActivityItem => ({
  ...toPaymentRecord(row),
  purpose: row.purpose,
  recipientLabel: row.recipientLabel,
  category: row.category,
  reference: row.reference,
  confirmedAt: row.confirmedAt,
  approvers: row.approvers,
})

export type Activity = {
  payments: ActivityItem[]
  /** Only on the first page without filters, for members who see all payments. */
  unrecordedPayments: UnrecordedPaymentRecord[]
  nextCursor: string | null
}

export async function readActivity(
  ctx: Pick<Context, 'db'>,
  { member, page, filter }: { member: Member; page: Page; filter: ActivityFilter },
): Promise<Activity> {
  const { organizationId, role } = member
  const hasUnrecorded = role !== 'employee' && page.beforeId === LAST_ID && !isFiltered(filter)
  const states = ['open', 'acknowledged'] as const
  const { limit, beforeId } = page
  const search = { organizationId, onlyOf: visibleTo(member), filter, beforeId }
  return ctx.db.transaction(scopeOf(member), async (tx) => {
    const words = await findSearchWords(tx, filter.q)
    const [found, unrecorded] = await Promise.all([
      listPaymentIds(tx, { ...search, words, limit: limit + 1 }),
      hasUnrecorded ? listUnrecorded(tx, { organizationId, states, page }) : [],
    ])
    const { items: ids, nextCursor } = toPaged(found, { limit, idOf: (id) => id })
    const rows = await listActivity(tx, { organizationId, ids })
    return {
      payments: rows.map(toActivityItem),
      unrecordedPayments: unrecorded.slice(0, limit).map(toUnrecordedPayment),
      nextCursor,
    }
  })
}
