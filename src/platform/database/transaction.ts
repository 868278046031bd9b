/**
 * Transactions in as few round trips as there are answers to wait for: what is asked at the same
 * time travels together, the beginning travels with the first question, and what nobody waits for
 * travels with the next question or the commit. A transaction names the scope it may see.
 */
import type pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import {
  type Failure,
  type ParserOf,
  type PreparedStatement,
  type Row,
  runOne,
  runTogether,
  statementOf,
} from './pipeline.ts'

/** What the rows of a transaction must belong to. An empty scope sees no tenant's rows. */
export type Scope = {
  organizationId?: string
  accountId?: string
  /** Hex SHA-256 of an invitation token: whoever holds the token may see that one invitation. */
  invitationTokenHash?: string
  /** Lower case: whoever reads a log of the chain may see the one vault whose log it is. */
  vaultAddress?: string
}

export type ReadingScope = Pick<Scope, 'organizationId' | 'accountId'>

/** Questions that are asked without waiting for each other travel together, in their order. */
export type Reader = { query<Row extends object = object>(statement: Sql): Promise<Row[]> }

export type Tx = Reader & {
  /** Runs before whatever is asked next, or with the commit. Its failure fails that one. */
  write(statement: Sql): void
  /** Those who wait for live events are woken once this has committed. */
  announce(): void
}

/** `snapshot`: every statement reads the same moment, and none writes. */
export type TransactionOptions = { isolation?: 'snapshot' }

const quick = (statement: Pick<Sql, 'text' | 'values'>): PreparedStatement => ({
  ...statementOf(statement),
  isQuick: true,
  isUnheard: true,
})
const plain = (text: string): PreparedStatement => quick({ text, values: [] })
const BEGIN = plain('begin')
const BEGIN_SNAPSHOT = plain('begin isolation level repeatable read, read only')
const COMMIT = plain('commit')
const ROLLBACK = plain('rollback')

const scopeStatement = (scope: Scope): Sql => sql`
    select set_config('app.organization', ${scope.organizationId ?? ''}, true),
      set_config('app.account', ${scope.accountId ?? ''}, true),
      set_config('app.invitation', ${scope.invitationTokenHash ?? ''}, true),
      set_config('app.vault', ${scope.vaultAddress ?? ''}, true)`

/**
 * Held to reading by the database itself: each message is a transaction of its own. Reads go by
 * keys, so that one plan suits every caller; left to itself PostgreSQL plans those of large tables
 * anew each time, which takes as long as to run them.
 */
const readingScopeStatement = (scope: ReadingScope): Sql => sql`
    select set_config('transaction_read_only', 'on', true),
      set_config('plan_cache_mode', 'force_generic_plan', true),
      set_config('app.organization', ${scope.organizationId ?? ''}, true),
      set_config('app.account', ${scope.accountId ?? ''}, true)`

type Waiting = { resolve(rows: Row[]): void; reject(error: unknown): void }
type Queued = { statement: PreparedStatement; waiting?: Waiting }

/**
 * Another statement of the same message failed, and this one was never run. So that nobody takes
 * the failure for their own: what a lock or a key that is taken means, only its own asker knows.
 */
class NotRun extends Error {
  override readonly name = 'NotRun'
}

const whatFailed = (error: unknown): unknown => (error instanceof NotRun ? error.cause : error)

/** Whose failure it is hears of it first; the others, who only went along, a moment later. */
function rejectAll(sent: readonly Queued[], { error, at }: Failure, before: number): void {
  const isOwn = (n: number) => at === -1 || at === before + n
  for (const [n, { waiting }] of sent.entries()) if (isOwn(n)) waiting?.reject(error)
  setImmediate(() => {
    const other = new NotRun('Another statement of the same message failed', { cause: error })
    for (const [n, { waiting }] of sent.entries()) if (!isOwn(n)) waiting?.reject(other)
  })
}

type Frame = { opening: () => PreparedStatement[]; parserOf: ParserOf; announce: () => void }

/** Gathers what is asked in one turn of the event loop, and sends it as one message. */
function conversation(client: pg.ClientBase, { opening, parserOf, announce }: Frame) {
  let queue: Queued[] = []
  let underWay: Promise<void> = Promise.resolve()
  let isDue = false
  let isOver = false

  const send = async (closing: PreparedStatement[] = []) => {
    const sent = queue
    queue = []
    const before = opening()
    const statements = [...before, ...sent.map(({ statement }) => statement), ...closing]
    const outcome = await runTogether(client, statements, parserOf)
    if ('failure' in outcome) {
      rejectAll(sent, outcome.failure, before.length)
      if (closing.length > 0) throw outcome.failure.error
      return
    }
    for (const [n, { waiting }] of sent.entries()) {
      waiting?.resolve(outcome.results[before.length + n] ?? [])
    }
  }
  /** One message at a time: what is asked meanwhile goes with the next one. */
  const sendDue = async () => {
    await underWay
    isDue = false
    if (isOver || queue.length === 0) return
    underWay = send()
  }
  const sendSoon = () => {
    if (isDue) return
    isDue = true
    process.nextTick(sendDue)
  }
  const requireOpen = () => {
    if (isOver) throw new Error('The transaction is over')
  }

  const tx: Tx = {
    query: <Row extends object>(statement: Sql) =>
      new Promise<Row[]>((resolve, reject) => {
        requireOpen()
        sendSoon()
        const waiting = { resolve: resolve as Waiting['resolve'], reject }
        queue.push({ statement: statementOf(statement), waiting })
      }),
    write(statement) {
      requireOpen()
      queue.push({ statement: { ...statementOf(statement), isUnheard: true } })
    },
    announce,
  }
  return {
    tx,
    hasMore: () => queue.length > 0,
    async end(closing: PreparedStatement[]) {
      await underWay
      isOver = true
      await send(closing)
    },
    async abandon() {
      isOver = true
      for (const { waiting } of queue) waiting?.reject(new Error('The transaction is over'))
      queue = []
      await underWay
    },
  }
}

type About = { scope: Scope; parserOf: ParserOf }
type AboutWriting = About & { options: TransactionOptions | undefined; announce: () => void }

export async function inTransaction<T>(
  client: pg.ClientBase,
  { scope, options, parserOf, announce }: AboutWriting,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let hasBegun = false
  const opening = () => {
    if (hasBegun) return []
    hasBegun = true
    const begin = options?.isolation === 'snapshot' ? BEGIN_SNAPSHOT : BEGIN
    return [begin, quick(scopeStatement(scope))]
  }
  const { tx, hasMore, end, abandon } = conversation(client, { opening, parserOf, announce })
  try {
    const result = await work(tx)
    if (hasBegun || hasMore()) await end([COMMIT])
    return result
  } catch (error) {
    await abandon()
    if (hasBegun) await runOne(client, ROLLBACK, parserOf).catch(() => {})
    throw whatFailed(error)
  }
}

/** Every message is one transaction by itself, in the scope, and can write nothing. */
export async function inScope<T>(
  client: pg.ClientBase,
  { scope, parserOf }: About & { scope: ReadingScope },
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const opening = () => [quick(readingScopeStatement(scope))]
  const { tx, abandon } = conversation(client, { opening, parserOf, announce: () => {} })
  try {
    return await work({ query: tx.query })
  } catch (error) {
    throw whatFailed(error)
  } finally {
    await abandon()
  }
}

/** Leaves the scope for another one: for the follower, whose logs belong to many tenants. */
export async function rescope(tx: Tx, scope: Scope): Promise<void> {
  tx.write(scopeStatement(scope))
}
