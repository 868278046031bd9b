/** Rule 10 in the books: what is about to be written ahead is reviewed under lock. */
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import { SYSTEM } from '#journal/actor.ts'
import { acceptedKeys } from '#payments/accepted-keys.ts'
import type { FencingToken, LanePayment, WriteOutcome } from '#payments/engine/lane.ts'
import { listAuthorities } from '#payments/evidence/authority.store.ts'
import { authorityRefusal } from '#payments/evidence/authority.ts'
import type { MovePayment } from '#payments/move-payment.ts'
import { reportForgery } from '#payments/report-forgery.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import type { Batch, LaneStoreDeps } from './fenced-write.ts'
import type { LanePaymentRow } from './lane.store.ts'
import { callOf } from './lane-rows.ts'
import { postpone } from './postpone-payments.ts'

type Asked = { payment: LanePayment }

export type Reviewed = {
  refused: { row: LanePaymentRow; code: BlockCode }[]
  admitted: { payment: LanePayment; row: LanePaymentRow; call: VaultCall }[]
}

/** Rule 10, for each of them. Neither: what was tried out on the chain is not what it is now. */
export async function reviewAll(
  { ctx, organizationId }: LaneStoreDeps,
  { tx, lane, items }: Batch<Asked>,
): Promise<Reviewed> {
  const paymentIds = items.map(({ row }) => row.id)
  const authorities = await listAuthorities(tx, { organizationId, paymentIds })
  // The database's time: a worker's clock may be wrong.
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

/** One that makes the transaction fail waits for a while, so that the others can go on. */
export const putAside =
  (deps: LaneStoreDeps, token: FencingToken) =>
  ({ payment }: Asked): Promise<WriteOutcome> =>
    postpone(deps, { token, payment, reason: 'cannot_be_written' })
