/** Rule 10: verifies the authorization of payments under lock, before their attempts are stored. */
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import { SYSTEM } from '#journal/actor.ts'
import { acceptedKeys } from '#payments/accepted-keys.ts'
import type { FencingToken, LanePayment, WriteOutcome } from '#payments/engine/lane.ts'
import { listAuthorities } from '#payments/evidence/authority.store.ts'
import { authorityRefusal } from '#payments/evidence/authority.ts'
import type { MovePayment } from '#payments/move-payment.ts'
import { reportForgery } from '#payments/review-release.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import type { Batch, LaneStoreDeps } from './fenced-write.ts'
import type { LanePaymentRow } from './lane.store.ts'
import { callOf } from './lane-rows.ts'
import { postpone } from './postpone-payments.ts'

type Item = { payment: LanePayment }

export type Reviewed = {
  refused: { row: LanePaymentRow; code: BlockCode }[]
  admitted: { payment: LanePayment; row: LanePaymentRow; call: VaultCall }[]
}

/** A payment whose call has changed since the preflight is neither admitted nor refused. */
export async function reviewAll(
  { ctx, organizationId }: LaneStoreDeps,
  { tx, lane, items }: Batch<Item>,
): Promise<Reviewed> {
  const paymentIds = items.map(({ row }) => row.id)
  const authorities = await listAuthorities(tx, { organizationId, paymentIds })
  // Database time, because a worker's clock may be wrong.
  const now = secondsToTimestamp(lane.nowMs / 1000)
  const executorAddress = lane.address
  const accepted = await acceptedKeys(ctx, tx)
  const reviewed: Reviewed = { refused: [], admitted: [] }
  for (const { payment, row } of items) {
    const authority = authorities.find(({ paymentId }) => paymentId === row.id)
    if (!authority) continue
    const about = { payment: row, authority, executorAddress, now }
    const code = authorityRefusal({ ...about, acceptedKeys: accepted })
    const call = callOf(ctx.chain, row)
    if (code !== undefined) {
      reviewed.refused.push({ row, code })
      reportForgery(ctx, { payment: row, code })
    }
    if (code === undefined && call.data === payment.call.data)
      reviewed.admitted.push({ payment, row, call })
  }
  return reviewed
}

export const blocksOf = (refused: Reviewed['refused']): MovePayment[] =>
  refused.map(({ row, code }) => ({ payment: row, event: 'block', actor: SYSTEM, code }))

/** Postpones a payment that makes the transaction fail, so that the others can continue. */
export const putAside =
  (deps: LaneStoreDeps, token: FencingToken) =>
  ({ payment }: Item): Promise<WriteOutcome> =>
    postpone(deps, { token, payment, reason: 'cannot_be_written' })
