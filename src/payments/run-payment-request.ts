/** Job: carries out a member's payment request, or records why it was refused. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { asMember } from '#organizations/actor.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import { announceOutcome } from '#platform/jobs/await-outcome.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import {
  findOpenRequest,
  type OpenRequest,
  updateRequestOutcome,
} from './payment-requests.store.ts'
import { findPayment } from './payments.store.ts'
import { releaseAsAsked } from './queue-payment.ts'
import { reconcileAsAsked } from './reconcile-payment.ts'
import { DONE } from './request-payment.ts'
import { type CheckedSignatures, checkSignatures, type ReviewContext } from './review-release.ts'

export async function runPaymentRequest(
  ctx: ReviewContext,
  key: JobPayloads['run_payment_request'],
): Promise<void> {
  const { organizationId } = key
  const request = await ctx.db.read({ organizationId }, (reader) => findOpenRequest(reader, key))
  if (!request) return
  try {
    await run(ctx, request)
  } catch (error) {
    // A refusal, for the member. Any other error fails the job, which is retried.
    if (!(error instanceof AppError) || isUnavailable(error)) throw error
    const refusal = { outcome: error.code, message: error.message }
    await ctx.db.transaction({ organizationId }, (tx) =>
      updateRequestOutcome(tx, { ...key, ...refusal }),
    )
  }
  // Only shortens the wait: the waiting request also polls.
  await announceOutcome(ctx.db, key.paymentRequestId).catch(() => {})
}

async function run(ctx: ReviewContext, request: OpenRequest): Promise<void> {
  const { id, organizationId, paymentId, expenseId, kind, expectedVersion } = request
  const actor = memberOf(request)
  if (request.isOverdue) {
    throw new AppError('state_conflict', {
      message:
        'No worker carried out this request in time. Read the payment and repeat the request.',
    })
  }
  const checked = kind === 'release' ? await checkedSignatures(ctx, request) : undefined
  await asMember(ctx, actor, async (tx) => {
    if (kind === 'release') {
      await releaseAsAsked(ctx, tx, { actor, expenseId, expectedVersion, checked, request })
    } else {
      await reconcileAsAsked(ctx, tx, { actor, paymentId, expectedVersion })
    }
    const done = { outcome: DONE, message: null }
    updateRequestOutcome(tx, { organizationId, paymentRequestId: id, ...done })
  })
}

/** The role now, not at the time of the request: a revoked member's request is refused. */
function memberOf(request: OpenRequest): Member {
  const { organizationId, accountId, membershipId, role, requestId } = request
  if (membershipId === null || (role !== 'owner' && role !== 'manager')) {
    throw new AppError('forbidden')
  }
  return { organizationId, accountId, membershipId, role, requestId }
}

async function checkedSignatures(
  ctx: Pick<Context, 'db' | 'chain'>,
  { organizationId, paymentId }: OpenRequest,
): Promise<CheckedSignatures | undefined> {
  const payment = await ctx.db.read({ organizationId }, (reader) =>
    findPayment(reader, { organizationId, paymentId, onlyOf: null }),
  )
  return payment && checkSignatures(ctx, payment)
}
