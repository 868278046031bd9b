/**
 * Follows the end of the live events of all tenants: one reader a process, whatever the number of
 * streams. It looks when it is told to, and every second in case it was not told.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { startListener } from '#platform/database/listener.ts'
import { isBefore, type Position } from './cursor.ts'
import { findLiveEnd, type LiveEventRow } from './live.store.ts'
import { readTail, settleEpoch } from './streams.store.ts'

export type Tail = {
  readonly epoch: string
  /** Everything up to here was handed on. */
  readonly position: Position
  stop(): Promise<void>
}

export type TailHandlers = {
  /** Before anything is handed on. */
  prepare(): Promise<void>
  onRows(rows: LiveEventRow[]): void
  /** The order has started anew: nothing that was handed on before can be continued. */
  onAnew(): void
}

type TailContext = Pick<Context, 'config' | 'db' | 'tailDb' | 'log'>

const PAGE = 1_000
const REST_MS = 1_000
const REST_AFTER_TROUBLE_MS = 250
/** An older transaction is still running; the longer it takes, the less often we look. */
const WITHHELD_MS = { first: 10, max: 100 }

/** A rest that a wake ends, also one that came just before it. */
function createRest() {
  let isWoken = false
  let waking = new AbortController()
  return {
    wake() {
      isWoken = true
      waking.abort()
    },
    async rest(ms: number) {
      if (!isWoken) await wait(ms, undefined, { signal: waking.signal }).catch(() => {})
      isWoken = false
      waking = new AbortController()
    },
  }
}

type Outcome = 'more' | 'withheld' | 'done'
type Following = {
  look(): Promise<Outcome>
  rest(ms: number): Promise<void>
  isStopping(): boolean
  onTrouble(): void
  log: Context['log']
}

async function follow({ look, rest, isStopping, onTrouble, log }: Following): Promise<void> {
  let withheldMs = WITHHELD_MS.first
  let troubles = 0
  while (!isStopping()) {
    try {
      const outcome = await look()
      troubles = 0
      if (outcome === 'withheld') {
        await rest(withheldMs)
        withheldMs = Math.min(WITHHELD_MS.max, withheldMs * 2)
      } else {
        withheldMs = WITHHELD_MS.first
        if (outcome === 'done') await rest(REST_MS)
      }
    } catch (error) {
      troubles += 1
      onTrouble()
      if (troubles === 1 && !isStopping()) log.warn({ err: error }, 'live events cannot be read')
      await rest(REST_AFTER_TROUBLE_MS)
    }
  }
}

export async function startTail(ctx: TailContext, handlers: TailHandlers): Promise<Tail> {
  const { tailDb } = ctx
  const everybody = { realm: 'admin', organizationId: null } as const
  const findEnd = () => tailDb.transaction({}, (tx) => findLiveEnd(tx, everybody))
  await settleEpoch(ctx.db)
  let { epoch, position } = await findEnd()
  let isStopping = false
  let isUnsettled = false
  const { wake, rest } = createRest()

  const look = async (): Promise<Outcome> => {
    if (isUnsettled) {
      await settleEpoch(ctx.db)
      isUnsettled = false
    }
    await handlers.prepare()
    const seen = await readTail(tailDb, { after: position, limit: PAGE })
    if (seen.epoch !== epoch || isBefore(position, seen.horizon)) {
      ;({ epoch, position } = await findEnd())
      handlers.onAnew()
      return 'more'
    }
    const last = seen.rows.at(-1)
    if (last) {
      handlers.onRows(seen.rows)
      position = { transactionId: last.transactionId, seq: last.seq }
    }
    if (seen.rows.length === PAGE) return 'more'
    return seen.isWithheld ? 'withheld' : 'done'
  }

  // After a lost connection it may be another server, or an earlier moment of this one.
  const unsettle = () => {
    isUnsettled = true
  }
  const state = { look, rest, isStopping: () => isStopping, onTrouble: unsettle, log: ctx.log }
  const running = follow(state)
  const listener = startListener({
    url: ctx.config.databaseUrl,
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
