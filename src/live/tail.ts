/**
 * Follows the end of all tenants' live events: one reader per process, whatever the number of
 * streams. Notifications wake it; it polls every second in case one is lost.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { startListener } from '#platform/database/listener.ts'
import { isBefore, type Position } from './cursor.ts'
import { findLiveEnd, type LiveEventRow } from './live.store.ts'
import { settleEpoch } from './settle-epoch.ts'
import { readTail } from './streams.store.ts'

export type Tail = {
  readonly epoch: string
  /** Every event up to here was delivered. */
  readonly position: Position
  stop(): Promise<void>
}

export type TailHandlers = {
  /** Runs before events are delivered. */
  prepare(): Promise<void>
  onRows(rows: LiveEventRow[]): void
  /** The order has started anew, so no open stream can continue. */
  onEpochChange(): void
}

type TailContext = Pick<Context, 'config' | 'db' | 'tailDb' | 'log'>

const PAGE = 1_000
const REST_MS = 1_000
const REST_AFTER_FAILURE_MS = 250
/** An older transaction is still running; the interval doubles while it lasts. */
const WITHHELD_MS = { first: 10, max: 100 }

/** A rest that a wake-up ends, including one that came just before it. */
function createRest() {
  let isWoken = false
  let wakeUp = new AbortController()
  return {
    wake() {
      isWoken = true
      wakeUp.abort()
    },
    async rest(ms: number) {
      if (!isWoken) await wait(ms, undefined, { signal: wakeUp.signal }).catch(() => {})
      isWoken = false
      wakeUp = new AbortController()
    },
  }
}

type Outcome = 'more' | 'withheld' | 'done'
type Following = {
  poll(): Promise<Outcome>
  rest(ms: number): Promise<void>
  isStopping(): boolean
  onFailure(): void
  log: Context['log']
}

async function follow({ poll, rest, isStopping, onFailure, log }: Following): Promise<void> {
  let withheldMs = WITHHELD_MS.first
  let failures = 0
  while (!isStopping()) {
    try {
      const outcome = await poll()
      failures = 0
      if (outcome === 'withheld') {
        await rest(withheldMs)
        withheldMs = Math.min(WITHHELD_MS.max, withheldMs * 2)
      } else {
        withheldMs = WITHHELD_MS.first
        if (outcome === 'done') await rest(REST_MS)
      }
    } catch (error) {
      failures += 1
      onFailure()
      if (failures === 1 && !isStopping()) log.warn({ err: error }, 'cannot read live events')
      await rest(REST_AFTER_FAILURE_MS)
    }
  }
}

export async function startTail(ctx: TailContext, handlers: TailHandlers): Promise<Tail> {
  const { tailDb } = ctx
  const everybody = { realm: 'admin', organizationId: null } as const
  const findEnd = () => tailDb.transaction({}, (tx) => findLiveEnd(tx, everybody))
  await settleEpoch(ctx)
  let { epoch, position } = await findEnd()
  let isStopping = false
  let isUnsettled = false
  const { wake, rest } = createRest()

  const poll = async (): Promise<Outcome> => {
    if (isUnsettled) {
      await settleEpoch(ctx)
      isUnsettled = false
    }
    await handlers.prepare()
    const tail = await readTail(tailDb, { after: position, limit: PAGE })
    if (tail.epoch !== epoch || isBefore(position, tail.horizon)) {
      ;({ epoch, position } = await findEnd())
      handlers.onEpochChange()
      return 'more'
    }
    const last = tail.rows.at(-1)
    if (last) {
      handlers.onRows(tail.rows)
      position = { transactionId: last.transactionId, seq: last.seq }
    }
    if (tail.rows.length === PAGE) return 'more'
    return tail.isWithheld ? 'withheld' : 'done'
  }

  // After a reconnect this may be another server, or an earlier state of the same one.
  const unsettle = () => {
    isUnsettled = true
  }
  const state = { poll, rest, isStopping: () => isStopping, onFailure: unsettle, log: ctx.log }
  const running = follow(state)
  const listener = startListener({
    url: ctx.config.directUrl,
    channel: 'countersign_live',
    onNotice: wake,
    onConnected() {
      unsettle()
      wake()
    },
  })
  return {
    get epoch() {
      return epoch
    },
    get position() {
      return position
    },
    async stop() {
      isStopping = true
      wake()
      await Promise.all([listener.stop(), running])
    },
  }
}
