/**
 * Several statements in one message, whose answers come in one. PostgreSQL runs them in order up to
 * the one Sync at their end, past a failure none of them; outside a transaction block they are one
 * transaction. Each statement is parsed and described once a connection and planned by its name.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import utils from 'pg/lib/utils.js'
import type { Sql } from 'sql-template-tag'

export type Statement = { name: string; text: string; values: readonly unknown[] }

export type Row = Record<string, unknown>

type Column = { name: string; parse(text: string): unknown }
export type ParserOf = (typeOid: number) => (text: string) => unknown

/** What one connection has prepared. Columns are unknown until a statement was described. */
type Session = { columns: Map<string, readonly Column[] | undefined>; parsed: () => void }

const sessions = new WeakMap<pg.Connection, Session>()

function sessionOf(connection: pg.Connection): Session {
  const known = sessions.get(connection)
  if (known) return known
  const session: Session = { columns: new Map(), parsed: () => {} }
  connection.on('parseComplete', () => session.parsed())
  sessions.set(connection, session)
  return session
}

const names = new Map<string, string>()

/** By its text: two statements of one name would be one statement to the database. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
  names.set(text, name)
  return name
}

export const statementOf = ({ text, values }: Pick<Sql, 'text' | 'values'>): Statement => ({
  name: nameOf(text),
  text,
  values,
})

type Wire = { [Message in 'parse' | 'bind' | 'describe' | 'execute']: (about: object) => void } & {
  stream: { cork(): void; uncork(): void }
  sync(): void
}

function write(connection: pg.Connection, session: Session, statements: readonly Statement[]) {
  // Converted before anything is written: what cannot be converted leaves the connection as it is.
  const bound = statements.map(({ values }) => values.map((value) => utils.prepareValue(value)))
  const wire = connection as unknown as Wire
  const parsing: string[] = []
  session.parsed = () => {
    const name = parsing.shift()
    if (name !== undefined) session.columns.set(name, undefined)
  }
  wire.stream.cork()
  for (const [n, { name, text }] of statements.entries()) {
    if (!session.columns.has(name) && !parsing.includes(name)) {
      wire.parse({ name, text })
      parsing.push(name)
    }
    wire.bind({ statement: name, values: bound[n] })
    if (!session.columns.get(name)) wire.describe({ type: 'P' })
    wire.execute({})
  }
  wire.sync()
  wire.stream.uncork()
}

const toRow = (columns: readonly Column[], fields: readonly (string | null)[]): Row => {
  const row: Row = {}
  for (let n = 0; n < columns.length; n += 1) {
    const { name, parse } = columns[n] as Column
    const field = fields[n]
    row[name] = field === null || field === undefined ? null : parse(field)
  }
  return row
}

type Done = (error: Error | null, results?: Row[][]) => void

/** What pg calls back while it reads the answers. */
function pipelineOf(statements: readonly Statement[], parserOf: ParserOf, callback: Done) {
  let session: Session | undefined
  let rows: Row[] = []
  let columns: readonly Column[] | undefined
  let unreadable: Error | undefined
  const results: Row[][] = []
  const current = () => statements[results.length]?.name ?? ''
  const columnsNow = () => {
    columns ??= session?.columns.get(current()) ?? []
    return columns
  }
  return {
    statements,
    callback,
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
      columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
      session?.columns.set(current(), columns)
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      try {
        rows.push(toRow(columnsNow(), fields))
      } catch (error) {
        unreadable ??= error as Error
      }
    },
    handleCommandComplete() {
      session?.columns.set(current(), columnsNow())
      results.push(rows)
      rows = []
      columns = undefined
    },
    handleError(error: Error) {
      this.callback(error)
    },
    handleReadyForQuery() {
      if (unreadable) this.callback(unreadable)
      else this.callback(null, results)
    },
  }
}

/** The rows of each statement. The first failure is the failure of all. */
export async function runTogether(
  client: pg.ClientBase,
  statements: readonly Statement[],
  parserOf: ParserOf,
): Promise<Row[][]> {
  try {
    return await new Promise((resolve, reject) => {
      const done: Done = (error, results = []) => (error ? reject(error) : resolve(results))
      client.query(pipelineOf(statements, parserOf, done))
    })
  } catch (error) {
    // pg's own stack leads to the socket; this one leads to whoever asked.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}
