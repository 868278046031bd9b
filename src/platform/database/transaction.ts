/**
 * Transactions with few round trips. Concurrent queries are sent together, BEGIN is sent with the
 * first query, and writes without a result are sent with the next query or with COMMIT. A
 * transaction names the scope it may see.
 */
import type pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { isConnectionLost } from './lost-connections.ts'
import {
  type Failure,
  type ParserOf,
  type PreparedStatement,
  type Row,
  runOne,
  runTogether,
  statementOf,
} from './pipeline.ts'

/** Which tenant rows a transaction sees. An empty scope sees none. */
export type Scope = {
  organizationId?: string
  accountId?: string
  /** Hex SHA-256 of an invitation token; gives access to that invitation. */
  invitationTokenHash?: string
  /** Lower case; gives the follower access to the vault of a log. */
  vaultAddress?: string
}

export type ReadingScope = Pick<Scope, 'organizationId' | 'accountId'>

/** Concurrent queries are sent together, in their order. */
export type Reader = { query<Row extends object = object>(statement: Sql): Promise<Row[]> }

export type Tx = Reader & {
  /** Sent before the next query or with the commit. If it fails, that one fails. */
  write(statement: Sql): void
  /** Notifies readers of live events after the commit. */
  announce(): void
}

/** `snapshot`: all statements read the same snapshot, and none may write. */
export type TransactionOptions = { isolation?: 'snapshot' }

export const quick = (statement: Sql): PreparedStatement => ({
  ...statementOf(statement),
  isQuick: true,
  ignoresRows: true,
})
const BEGIN = quick(sql`begin`)
const BEGIN_SNAPSHOT = quick(sql`begin isolation level repeatable read, read only`)
const COMMIT = quick(sql`commit`)
const ROLLBACK = quick(sql`rollback`)

const scopeStatement = (scope: Scope): Sql => sql`
    select set_config('app.organization', ${scope.organizationId ?? ''}, true),
      set_config('app.account', ${scope.accountId ?? ''}, true),
      set_config('app.invitation', ${scope.invitationTokenHash ?? ''}, true),
      set_config('app.vault', ${scope.vaultAddress ?? ''}, true)`

/**
 * Read-only, enforced by the database; each round trip is its own transaction. Reads go by key, so
 * one generic plan suits every caller. Otherwise PostgreSQL plans queries of large tables every
 * time, which takes as long as running them.
 */
const readingScopeStatement = (scope: ReadingScope): Sql => sql`
    select set_config('transaction_read_only', 'on', true),
      set_config('plan_cache_mode', 'force_generic_plan', true),
      set_config('app.organization', ${scope.organizationId ?? ''}, true),
      set_config('app.account', ${scope.accountId ?? ''}, true)`

type Waiting = { resolve(rows: Row[]): void; reject(error: unknown): void }
type Queued = { statement: PreparedStatement; waiting?: Waiting }

/**
 * Another statement of the same batch failed, and this one was not run. It is a separate error so
 * that callers do not interpret the failure of another statement, such as a unique violation.
 */
class NotRun extends Error {
  override readonly name = 'NotRun'
}

const rootError = (error: unknown): unknown => (error instanceof NotRun ? error.cause : error)

/** Rejects the statement that failed first, then the statements batched with it. */
function rejectAll(sent: readonly Queued[], { error, at }: Failure, before: number): void {
  const isOwn = (n: number) => at === -1 || at === before + n
  for (const [n, { waiting }] of sent.entries()) if (isOwn(n)) waiting?.reject(error)
  setImmediate(() => {
    const other = new NotRun('Another statement of the same batch failed', { cause: error })
    for (const [n, { waiting }] of sent.entries()) if (!isOwn(n)) waiting?.reject(other)
  })
}

type Frame = { opening: () => PreparedStatement[]; parserOf: ParserOf; announce: () => void }

/** One message has one time-out, so a long queue is sent in several. */
const STATEMENTS_AT_ONCE = 100

/** Tells every caller how it ended, once the last message is answered. */
async function sendAll(
  client: pg.ClientBase,
  all: readonly Queued[],
  {
    opening,
    parserOf,
    closing,
  }: Pick<Frame, 'opening' | 'parserOf'> & { closing: readonly PreparedStatement[] },
): Promise<Failure | undefined> {
  const results: Row[][] = []
  do {
    const sent = all.slice(results.length, results.length + STATEMENTS_AT_ONCE)
    const before = opening()
    const statements = [...before, ...sent.map(({ statement }) => statement)]
    if (results.length + sent.length === all.length) statements.push(...closing)
    const outcome = await runTogether(client, statements, parserOf)
    if ('failure' in outcome) {
      rejectAll(all, outcome.failure, before.length - results.length)
      return outcome.failure
    }
    results.push(...outcome.results.slice(before.length, before.length + sent.length))
  } while (results.length < all.length)
  for (const [n, { waiting }] of all.entries()) waiting?.resolve(results[n] ?? [])
  return undefined
}

/** Batches the statements of one turn of the event loop. */
function createBatcher(client: pg.ClientBase, { opening, parserOf, announce }: Frame) {
  let queue: Queued[] = []
  let inProgress: Promise<void> = Promise.resolve()
  let isScheduled = false
  let isEnded = false

  const send = async (closing: readonly PreparedStatement[] = []) => {
    const all = queue
    queue = []
    const failure = await sendAll(client, all, { opening, parserOf, closing })
    if (failure && closing.length > 0) throw failure.error
  }
  /** One batch at a time; later statements go with the next one. */
  const sendQueued = async () => {
    await inProgress
    isScheduled = false
    if (isEnded || queue.length === 0) return
    inProgress = send()
  }
  const scheduleSend = () => {
    if (isScheduled) return
    isScheduled = true
    process.nextTick(sendQueued)
  }
  const requireOpen = () => {
    if (isEnded) throw new Error('The transaction has ended')
  }

  const tx: Tx = {
    query: <Row extends object>(statement: Sql) =>
      new Promise<Row[]>((resolve, reject) => {
        requireOpen()
        scheduleSend()
        const waiting = { resolve: resolve as Waiting['resolve'], reject }
        queue.push({ statement: statementOf(statement), waiting })
      }),
    write(statement) {
      requireOpen()
      queue.push({ statement: { ...statementOf(statement), ignoresRows: true } })
    },
    announce,
  }
  return {
    tx,
    hasMore: () => queue.length > 0,
    async end(closing: readonly PreparedStatement[]) {
      await inProgress
      isEnded = true
      await send(closing)
    },
    async abandon() {
      isEnded = true
      for (const { waiting } of queue) waiting?.reject(new Error('The transaction has ended'))
      queue = []
      await inProgress
    },
  }
}

type Settings = {
  scope: Scope
  parserOf: ParserOf
  /** Sent before everything else of a transaction. */
  setup: readonly PreparedStatement[]
}
type TransactionSettings = Settings & {
  options: TransactionOptions | undefined
  announce: () => void
}

export async function inTransaction<T>(
  client: pg.ClientBase,
  { scope, options, parserOf, setup, announce }: TransactionSettings,
  work: (tx: Tx) => T | Promise<T>,
): Promise<T> {
  let hasBegun = false
  const opening = () => {
    if (hasBegun) return []
    hasBegun = true
    const begin = options?.isolation === 'snapshot' ? BEGIN_SNAPSHOT : BEGIN
    return [begin, ...setup, quick(scopeStatement(scope))]
  }
  const { tx, hasMore, end, abandon } = createBatcher(client, { opening, parserOf, announce })
  try {
    const result = await work(tx)
    if (hasBegun || hasMore()) await end([COMMIT])
    return result
  } catch (error) {
    await abandon()
    const cause = rootError(error)
    // On a lost connection, the rollback would wait as long as the statement before it did.
    if (hasBegun && !isConnectionLost(cause)) {
      await runOne(client, ROLLBACK, parserOf).catch(() => {})
    }
    throw cause
  }
}

/** Each batch is its own read-only transaction in the scope. */
export async function inScope<T>(
  client: pg.ClientBase,
  { scope, parserOf, setup }: Settings & { scope: ReadingScope },
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const opening = () => [...setup, quick(readingScopeStatement(scope))]
  const { tx, abandon } = createBatcher(client, { opening, parserOf, announce: () => {} })
  try {
    return await work({ query: tx.query })
  } catch (error) {
    throw rootError(error)
  } finally {
    await abandon()
  }
}

/** Changes the scope, for the follower, whose logs belong to many tenants. */
export async function rescope(tx: Tx, scope: Scope): Promise<void> {
  tx.write(scopeStatement(scope))
}
