/**
 * A worker's review of a reserved payment before it is queued: the approvers' signatures, the
 * rows and the MACs. The API role can write a reservation, but not one that passes here without
 * the signatures that the policy asks for.
 */
import { isDeepStrictEqual } from 'node:util'
import { signerOf } from '@countersign/proof/typed-data.ts'
import type { Context } from '#context.ts'
import { findNamedBinding } from '#executor/executor.store.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import { findAuthority } from '#payments/evidence/authority.store.ts'
import { authorityRefusal } from '#payments/evidence/authority.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import { announceOutcome } from '#platform/jobs/await-outcome.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { acceptedKeys } from './accepted-keys.ts'
import { movePayment } from './move-payment.ts'
import { FORGERY_CODES, isFullySigned } from './payment.ts'
import {
  findPayment,
  lockPayment,
  type PaymentKey,
  type PaymentRow,
  type PaymentSignature,
} from './payments.store.ts'
import { enqueueRelease, releasePayment } from './release-payment.ts'
import { isSealedAuthorization } from './worker-mac.ts'

export type ReviewContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'chain' | 'log' | 'secrets' | 'config'
>

const RETRY_AFTER_SECONDS = 2

/** The result for exactly these signatures, checked outside a transaction. */
export type CheckedSignatures = {
  epoch: number
  signatures: readonly PaymentSignature[]
  areValid: boolean
}

/** Before the transaction, because a contract wallet's signature is checked on the chain. */
export async function checkSignatures(
  { chain }: Pick<Context, 'chain'>,
  { epoch, mode, signatures }: PaymentRow,
): Promise<CheckedSignatures> {
  const checks = signatures.map(
    async ({ digest, signature, approverAddress: address }) =>
      (await signerOf(digest, signature)) === address ||
      (await chain.isValidSignature({ address, digest, signature })),
  )
  const isSigned = mode === 'automatic' || signatures.length > 0
  const areValid = isSigned && (await Promise.all(checks)).every(Boolean)
  return { epoch, signatures, areValid }
}

/**
 * Queues the payment, or blocks it if a check fails. The caller has locked expense and payment. An
 * automatic payment carries a worker's MAC, which is verified before anything is signed; until
 * then a policy change may still renew it.
 */
export async function reviewRelease(
  ctx: ReviewContext,
  tx: Tx,
  { payment, checked, actor }: { payment: PaymentRow; checked: CheckedSignatures; actor: Actor },
): Promise<PaymentRow> {
  const { organizationId, id: paymentId } = payment
  const isChecked =
    payment.epoch === checked.epoch && isDeepStrictEqual(payment.signatures, checked.signatures)
  if (!isChecked) throw new AppError('state_conflict')
  if (payment.mode === 'automatic') return releasePayment(ctx, tx, { payment, actor })
  const authority = await findAuthority(tx, { organizationId, paymentId })
  if (!authority) throw new AppError('state_conflict')
  const policy = { executorAddress: authority.policyExecutor }
  const executor = await findNamedBinding(tx, { organizationId, policy })
  if (!executor) throw new AppError('executor_not_ready')
  const asked = {
    payment,
    authority,
    executorAddress: executor.address,
    now: authority.readAt,
    acceptedKeys: await acceptedKeys(ctx, tx),
  }
  const code = checked.areValid ? authorityRefusal(asked) : 'signature_not_authentic'
  // Paid already, but not in the restored backup: the lane finds the proof and confirms it.
  const isPaid = code === 'payment_already_executed'
  if (code === undefined || isPaid) return releasePayment(ctx, tx, { payment, actor })
  await movePayment(ctx, tx, { payment, event: 'block', actor: SYSTEM, code })
  reportForgery(ctx, { payment, code })
  return { ...payment, state: 'blocked', blockCode: code }
}

/** Alerts operators that rows of a payment were not written by the service. Owners get a task. */
export function reportForgery(
  { log }: Pick<Context, 'log'>,
  { payment, code }: { payment: Pick<PaymentRow, 'id' | 'organizationId'>; code: BlockCode },
): void {
  if (!FORGERY_CODES.includes(code)) return
  const { organizationId, id: paymentId } = payment
  log.error({ organizationId, paymentId, code }, 'a forged payment was blocked')
}

/** Whether the MAC of an automatic payment still covers its row. */
export async function isStillSealed(
  ctx: Pick<Context, 'secrets'>,
  tx: Tx,
  payment: PaymentRow,
): Promise<boolean> {
  const { organizationId, id: paymentId } = payment
  const authority = await findAuthority(tx, { organizationId, paymentId })
  if (!authority) return false
  const { expenseRevision: revision, expenseVersionHash: versionHash } = payment
  const seal = { mac: authority.paymentMac, keyId: authority.paymentMacKeyId }
  const accepted = await acceptedKeys(ctx, tx)
  return isSealedAuthorization(accepted, { ...payment, revision, versionHash }, seal)
}

const findReserved = async (
  { db }: Pick<Context, 'db'>,
  { organizationId, paymentId }: PaymentKey,
): Promise<PaymentRow | undefined> => {
  const payment = await db.read({ organizationId }, (reader) =>
    findPayment(reader, { organizationId, paymentId, onlyOf: null }),
  )
  return payment?.state === 'reserved' && isFullySigned(payment) ? payment : undefined
}

/** Job: queues a reserved payment that every required approver has signed. */
export async function releaseReserved(
  ctx: ReviewContext,
  key: JobPayloads['release_payment'],
): Promise<void> {
  const { organizationId, paymentId } = key
  const found = await findReserved(ctx, key)
  if (!found) return
  const checked = await checkSignatures(ctx, found).catch((error) => {
    if (isUnavailable(error)) return undefined
    throw error
  })
  await ctx.db.transaction({ organizationId }, async (tx) => {
    // The chain was unavailable to check a contract wallet's signature: retry soon.
    if (!checked) return enqueueRelease(tx, key, RETRY_AFTER_SECONDS)
    await lockExpense(tx, { organizationId, expenseId: found.expenseId })
    const payment = await lockPayment(tx, { organizationId, paymentId })
    // Blocked or reserved again meanwhile: that transaction has queued its own job.
    if (payment?.state !== 'reserved' || payment.epoch !== found.epoch) return
    await reviewRelease(ctx, tx, { payment, checked, actor: SYSTEM })
  })
  // Only shortens the wait: the waiting request also polls.
  await announceOutcome(ctx.db, paymentId).catch(() => {})
}
