/** Reads payments. Employees see those of their own expenses only. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { checksummed } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { visibleTo } from '#expenses/read-expenses.ts'
import { scopeOf } from '#organizations/actor.ts'
import { findEvidence } from '#payments/evidence/evidence.store.ts'
import { evidenceOf } from '#payments/evidence/evidence.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { LAST_ID, type Page, toPaged } from '#platform/paging.ts'
import { type PaymentRecord, toPaymentRecord } from './payment.ts'
import {
  type AttemptRecord,
  findPayment,
  findReceipt,
  listAttempts,
  listPayments,
  type ReceiptRow,
} from './payments.store.ts'
import { toUnrecordedPayment, type UnrecordedPaymentRecord } from './unrecorded-payment.ts'
import { listUnrecorded } from './unrecorded-payments.store.ts'

export type PaymentDetail = {
  payment: PaymentRecord
  attempts: (Omit<AttemptRecord, 'maxFeePerGas'> & { maxFeePerGas: string | null })[]
  receipt: ReturnType<typeof toReceipt> | null
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
  const row = await findEvidence(tx, { organizationId, paymentId })
  const position = receipt && (await findPosition(tx))
  return {
    payment: toPaymentRecord(payment),
    attempts: attempts.map(toAttempt),
    receipt: receipt ? toReceipt(receipt, position?.number ?? receipt.blockNumber) : null,
    ...(row && { evidence: evidenceOf(payment, row, receipt) }),
  }
}

export type Activity = {
  payments: PaymentRecord[]
  /** Only on the first page, for members who see all payments. */
  unrecordedPayments: UnrecordedPaymentRecord[]
  nextCursor: string | null
}

export async function readActivity(
  ctx: Pick<Context, 'db'>,
  { member, page }: { member: Member; page: Page },
): Promise<Activity> {
  const { organizationId, role } = member
  const hasUnrecorded = role !== 'employee' && page.beforeId === LAST_ID
  const states = ['open', 'acknowledged'] as const
  const [rows, unrecorded] = await ctx.db.transaction(scopeOf(member), (tx) =>
    Promise.all([
      listPayments(tx, { organizationId, onlyOf: visibleTo(member), page }),
      hasUnrecorded ? listUnrecorded(tx, { organizationId, states, page }) : [],
    ]),
  )
  const { items, nextCursor } = toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
  return {
    payments: items.map(toPaymentRecord),
    unrecordedPayments: unrecorded.slice(0, page.limit).map(toUnrecordedPayment),
    nextCursor,
  }
}
