/** An owner acknowledges an unrecorded payment, with a reason. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { requireVisibleText } from '#expenses/expense.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { moveUnrecorded } from './move-unrecorded-payment.ts'
import { toUnrecordedPayment, type UnrecordedPaymentRecord } from './unrecorded-payment.ts'

export type AcknowledgeUnrecordedPayment = {
  actor: Member
  unrecordedPaymentId: string
  reason: string
}

export async function acknowledgeUnrecordedPayment(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, unrecordedPaymentId, reason }: AcknowledgeUnrecordedPayment,
): Promise<UnrecordedPaymentRecord> {
  requireVisibleText('reason', reason)
  const { organizationId, accountId } = actor
  return asMember(ctx, actor, async (tx) => {
    const moved = await moveUnrecorded(ctx, tx, {
      organizationId,
      unrecordedPaymentId,
      actor: asActor(actor),
      event: 'acknowledge',
      acknowledgement: { accountId, reason },
    })
    if (!moved) throw new AppError('not_found')
    return toUnrecordedPayment(moved)
  })
}
