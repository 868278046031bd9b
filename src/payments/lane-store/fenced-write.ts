/**
 * The engine's writes: one short transaction that first locks the lane under its fencing token. A
 * later claim of the lane has another token, so a stale writer changes no row. Locks are taken in
 * one order: lane, expenses, payments.
 */
import type { Context } from '#context.ts'
import { type LaneRow, lockLane } from '#executor/lane.ts'
import { lockExpensesOf } from '#expenses/expenses.store.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { FencingToken, LanePayment, WriteOutcome } from '#payments/engine/lane.ts'
import { movePayment } from '#payments/move-payment.ts'
import type { PaymentEvent } from '#payments/payment.machine.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { Sign } from '#ports/executor-provider.ts'
import { type LanePaymentRow, lockLanePayments } from './lane.store.ts'

export type LaneStoreContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'chain' | 'reactions' | 'log' | 'secrets'
>

/** `sign` is undefined where the service does not hold the executor's key. */
export type LaneStoreDeps = {
  ctx: LaneStoreContext
  organizationId: string
  sign?: Sign | undefined
}
export type Locked = { tx: Tx; lane: LaneRow; payment: LanePaymentRow }
/** The items whose payment has not changed since it was loaded, each with its row. */
export type Batch<Item> = { tx: Tx; lane: LaneRow; items: (Item & { row: LanePaymentRow })[] }

type OfPayment = { payment: LanePayment }
type Write<Item> = {
  token: FencingToken
  items: readonly Item[]
  putAside?: (item: Item) => Promise<unknown>
}
type Work<Item, T> = (batch: Batch<Item>) => Promise<T>

/**
 * Writes several payments in one transaction. Payments whose state, epoch or lane has changed are
 * skipped. If the transaction fails, each payment gets its own, and those that fail again are put
 * aside with `putAside`; without it, the next pass retries them.
 */
export async function writeAll<Item extends OfPayment, T>(
  deps: LaneStoreDeps,
  { token, items, putAside }: Write<Item>,
  work: Work<Item, T[]>,
): Promise<T[] | 'stale'> {
  try {
    return await writeTogether(deps, { token, items }, work)
  } catch (error) {
    if (isOutage(error)) throw error
    deps.ctx.log.error(
      { err: error },
      'a batch of payments could not be written; writing them one by one',
    )
  }
  const done: T[] = []
  for (const item of items) {
    try {
      const one = await writeTogether(deps, { token, items: [item] }, work)
      if (one === 'stale') return 'stale'
      done.push(...one)
    } catch (error) {
      if (isOutage(error)) throw error
      deps.ctx.log.error(
        { err: error, paymentId: item.payment.id },
        'a payment could not be written',
      )
      await putAside?.(item)
    }
  }
  return done
}

const isOutage = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'dependency_unavailable'

async function writeTogether<Item extends OfPayment, T>(
  { ctx, organizationId }: LaneStoreDeps,
  { token, items }: { token: FencingToken; items: readonly Item[] },
  work: Work<Item, T[]>,
): Promise<T[] | 'stale'> {
  const key = { organizationId, paymentIds: items.map(({ payment }) => payment.id) }
  return ctx.db.transaction({ organizationId }, async (tx) => {
    // One round trip, in lock order. A stale writer releases its locks when it returns here.
    const [lane, , rows] = await Promise.all([
      lockLane(tx, { organizationId, token }),
      lockExpensesOf(tx, key),
      lockLanePayments(tx, key),
    ])
    if (!lane) return 'stale'
    const same = items.flatMap((item) => {
      const { id, epoch, state } = item.payment
      const row = rows.find((one) => one.id === id && one.epoch === epoch && one.state === state)
      // A policy that names another executor moves an unsent payment to its lane.
      return row?.laneId === lane.id ? [{ ...item, row }] : []
    })
    return same.length > 0 ? work({ tx, lane, items: same }) : []
  })
}

/** Writes one payment; `stale` if it has changed since it was loaded. */
export async function write<T>(
  deps: LaneStoreDeps,
  { token, payment }: { token: FencingToken; payment: LanePayment },
  work: (locked: Locked) => Promise<T>,
): Promise<T | 'stale'> {
  const items = [{ payment }]
  const written = await writeTogether(deps, { token, items }, async ({ tx, lane, items }) =>
    Promise.all(items.map(({ row }) => work({ tx, lane, payment: row }))),
  )
  const [only = 'stale'] = written === 'stale' ? [] : written
  return only
}

export async function move(
  { ctx }: LaneStoreDeps,
  { tx, payment }: Locked,
  event: PaymentEvent,
  { code, data }: { code?: BlockCode; data?: Record<string, unknown> } = {},
): Promise<WriteOutcome> {
  const moved = await movePayment(ctx, tx, {
    payment,
    event,
    actor: SYSTEM,
    ...(code !== undefined && { code }),
    ...(data && { data }),
  })
  return moved ? 'done' : 'stale'
}
