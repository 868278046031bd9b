/**
 * Sends several statements in one round trip (extended query protocol with a single Sync).
 * PostgreSQL runs them in order and skips the rest after a failure; outside a transaction block
 * they form one transaction. Statements are parsed once per connection, behind a pooler every time.
 * docs/PIPELINE.md states the guarantees, and why pg's own pipeline mode is not enough.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import utils from 'pg/lib/utils.js'
import type { Sql } from 'sql-template-tag'
import { currentTracer, type NewSpan } from '#platform/tracing.ts'

export type PreparedStatement = {
  name: string
  text: string
  values: readonly unknown[]
  /** Its rows are not read. */
  ignoresRows?: boolean
  /** Not counted for the time-out: begin, scope and commit. */
  isQuick?: boolean
}

export type Row = Record<string, unknown>

type Column = { name: string; parse(text: string): unknown }
/** Rows are copies of `empty`, because adding properties one by one is slow in V8. */
type Shape = { columns: readonly Column[]; empty: Row }
export type ParserOf = (typeOid: number) => (text: string) => unknown

/** Statements prepared on one connection. A shape is undefined until it is described. */
type Session = {
  shapes: Map<string, Shape | undefined>
  parsed: () => void
  /** A commit stopped waiting for the standby that has to confirm it. */
  isUnconfirmed: boolean
  isPooled?: true
}

const sessions = new WeakMap<pg.Connection, Session>()

function sessionOf(connection: pg.Connection): Session {
  const known = sessions.get(connection)
  if (known) return known
  const session: Session = { shapes: new Map(), parsed: () => {}, isUnconfirmed: false }
  connection.on('parseComplete', () => session.parsed())
  connection.on('notice', ({ routine }: { routine?: string }) => {
    if (routine === 'SyncRepWaitForLSN') session.isUnconfirmed = true
  })
  sessions.set(connection, session)
  return session
}

export function markPooled(client: pg.ClientBase): void {
  sessionOf((client as unknown as { connection: pg.Connection }).connection).isPooled = true
}

type Text = { name: string; text: string }
type Branch = { next: Map<string, Branch>; found?: Text }

const newBranch = (): Branch => ({ next: new Map() })
const texts = newBranch()

/** The name is derived from the text, because it must identify one statement. */
const namedText = (text: string): Text => ({
  name: createHash('sha256').update(text).digest('base64url').slice(0, 32),
  text,
})

/** Found by the pieces of a template, which are constants, without joining and hashing them. */
function textOf(statement: Pick<Sql, 'text' | 'strings'>): Text {
  let branch = texts
  for (const piece of statement.strings) {
    let next = branch.next.get(piece)
    if (!next) {
      next = newBranch()
      branch.next.set(piece, next)
    }
    branch = next
  }
  branch.found ??= namedText(statement.text)
  return branch.found
}

export function statementOf(statement: Sql): PreparedStatement {
  const { name, text } = textOf(statement)
  return { name, text, values: statement.values }
}

type Wire = { [Message in 'parse' | 'bind' | 'describe' | 'execute']: (about: object) => void } & {
  stream: { cork(): void; uncork(): void }
  sync(): void
}

function write(
  connection: pg.Connection,
  session: Session,
  statements: readonly PreparedStatement[],
) {
  // Converted before anything is written, so that an error leaves the connection clean.
  const bound = statements.map(({ values }) => values.map((value) => utils.prepareValue(value)))
  const wire = connection as unknown as Wire
  const parsing: string[] = []
  session.parsed = () => {
    const name = parsing.shift()
    if (name !== undefined) session.shapes.set(name, undefined)
  }
  wire.stream.cork()
  for (const [n, { name, text }] of statements.entries()) {
    const statement = session.isPooled ? '' : name
    if (session.isPooled || !(session.shapes.has(name) || parsing.includes(name))) {
      wire.parse({ name: statement, text })
      parsing.push(name)
    }
    wire.bind({ statement, values: bound[n] })
    if (session.isPooled || !session.shapes.get(name)) wire.describe({ type: 'P' })
    wire.execute({})
  }
  wire.sync()
  wire.stream.uncork()
}

const shapeOf = (columns: readonly Column[]): Shape => ({
  columns,
  empty: Object.fromEntries(columns.map(({ name }) => [name, null])),
})
const SHAPELESS = shapeOf([])

const toRow = ({ columns, empty }: Shape, fields: readonly (string | null)[]): Row => {
  const row: Row = { ...empty }
  for (let n = 0; n < columns.length; n += 1) {
    const { name, parse } = columns[n] as Column
    const field = fields[n]
    row[name] = field === null || field === undefined ? null : parse(field)
  }
  return row
}

/** The server's `statement_timeout`. */
export const STATEMENT_TIMEOUT_MS = 8_000
const ANSWER_MARGIN_MS = 2_000
const SLOW_MAX = 3

/** Longer than the server's own limits: after it, the connection is considered lost. */
const answerTimeout = (statements: readonly PreparedStatement[]): number => {
  const slow = statements.filter(({ isQuick }) => !isQuick).length
  return ANSWER_MARGIN_MS + STATEMENT_TIMEOUT_MS * Math.min(Math.max(slow, 1), SLOW_MAX)
}

/**
 * With synchronous replication, a commit that is cancelled while it waits (for instance by
 * `statement_timeout`) succeeds with a warning. It is on one server only, so its outcome counts as
 * unknown: nobody is told that it is safe, and a repetition with the same key finds out.
 */
const unconfirmed = (): Error =>
  Object.assign(new Error('The standby has not confirmed the commit'), { code: '08007' })

/** `at` is the index of the failed statement; -1 if no single statement failed. */
export type Failure = { error: Error; at: number }

type Done = (error: Error | null, results?: Row[][]) => void

/** The query object that pg calls while it reads the results. */
function pipelineOf(statements: readonly PreparedStatement[], parserOf: ParserOf, callback: Done) {
  let session: Session | undefined
  let rows: Row[] = []
  let shape: Shape | undefined
  let unreadable: Error | undefined
  const results: Row[][] = []
  const current = () => statements[results.length]?.name ?? ''
  const shapeNow = () => {
    shape ??= session?.shapes.get(current()) ?? SHAPELESS
    return shape
  }
  const complete = () => {
    session?.shapes.set(current(), shapeNow())
    results.push(rows)
    rows = []
    shape = undefined
  }
  return {
    statements,
    callback,
    query_timeout: answerTimeout(statements),
    submit(connection: pg.Connection): Error | null {
      session = sessionOf(connection)
      try {
        write(connection, session, statements)
        return null
      } catch (error) {
        return error as Error
      }
    },
    handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
      shape = shapeOf(fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) })))
      session?.shapes.set(current(), shape)
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      if (statements[results.length]?.ignoresRows) return
      try {
        rows.push(toRow(shapeNow(), fields))
      } catch (error) {
        unreadable ??= error as Error
      }
    },
    handleCommandComplete({ text }: { text: string }) {
      // A commit of a failed transaction rolls back: report it, in case the error was ignored.
      if (statements[results.length]?.text === 'commit' && text !== 'COMMIT') {
        unreadable ??= new Error('The transaction had failed and was rolled back')
      }
      complete()
    },
    handleEmptyQuery: complete,
    handlePortalSuspended: complete,
    handleCopyInResponse(connection: { sendCopyFail(reason: string): void }) {
      connection.sendCopyFail('COPY is not supported')
    },
    handleError(error: Error) {
      this.callback(error, results)
    },
    handleReadyForQuery() {
      if (session?.isUnconfirmed) unreadable ??= unconfirmed()
      if (unreadable) this.callback(unreadable)
      else this.callback(null, results)
    },
  }
}

type Outcome = { results: Row[][] } | { failure: Failure }

/** The rows of each statement, or the first failure; later statements were not run. */
export async function runTogether(
  client: pg.ClientBase,
  statements: readonly PreparedStatement[],
  parserOf: ParserOf,
): Promise<Outcome> {
  const tracer = currentTracer()
  if (!tracer) return sendTogether(client, statements, parserOf)
  return tracer.inside(spanOf(statements), async (span) => {
    const outcome = await sendTogether(client, statements, parserOf)
    if ('failure' in outcome) span.fail(outcome.failure.error)
    return outcome
  })
}

const SPAN_TEXT_MAX = 2_000

const tidyTexts = new Map<string, string>()

/** Remembered by name: a process knows a limited number of statements. */
function tidyTextOf({ name, text }: PreparedStatement): string {
  const known = tidyTexts.get(name)
  if (known !== undefined) return known
  const tidy = text.trim().replace(/\s+/g, ' ')
  tidyTexts.set(name, tidy)
  return tidy
}

/** The texts only: parameters are never part of a span. */
function spanOf(statements: readonly PreparedStatement[]): NewSpan {
  const told = statements.filter(({ isQuick }) => !isQuick)
  const texts = (told.length > 0 ? told : statements).map(tidyTextOf)
  const [verb = ''] = texts[0]?.split(' ') ?? []
  return {
    name: texts.length > 1 ? 'SQL batch' : `SQL ${verb}`,
    kind: 'client',
    attributes: {
      'db.system.name': 'postgresql',
      'db.query.text': texts.join('; ').slice(0, SPAN_TEXT_MAX),
      'db.operation.batch.size': texts.length,
    },
  }
}

async function sendTogether(
  client: pg.ClientBase,
  statements: readonly PreparedStatement[],
  parserOf: ParserOf,
): Promise<Outcome> {
  const outcome = await new Promise<Outcome>((resolve) => {
    const done: Done = (error, results) => {
      if (error) resolve({ failure: { error, at: results?.length ?? -1 } })
      else resolve({ results: results ?? [] })
    }
    client.query(pipelineOf(statements, parserOf, done))
  })
  // pg's stack trace ends at the socket; this one includes the caller.
  if ('failure' in outcome) Error.captureStackTrace(outcome.failure.error)
  return outcome
}

/** Runs a single statement and throws its error. */
export async function runOne(
  client: pg.ClientBase,
  statement: PreparedStatement,
  parserOf: ParserOf,
): Promise<Row[]> {
  const outcome = await runTogether(client, [statement], parserOf)
  if ('failure' in outcome) throw outcome.failure.error
  return outcome.results[0] ?? []
}
