/**
 * JSON that PostgreSQL renders, for answers that the service passes on as they are. `concat` looks
 * up the types of its arguments once per statement, `row_to_json` those of its columns in each row.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag'

/** What `concat` prints for it, between constants. */
export type JsonValue = { before: string; value: Sql; after: string }

/** A number, or JSON already. Never null. */
export const json = (value: Sql): JsonValue => ({ before: '', value, after: '' })

/** Text without characters that JSON escapes: ids, codes, hashes. Never null. */
export const plain = (value: Sql): JsonValue => ({ before: '"', value, after: '"' })

export const plainOrNull = (value: Sql): JsonValue =>
  json(sql`coalesce('"' || ${value} || '"', 'null')`)

/** What people wrote, or null. */
export const text = (value: Sql): JsonValue => json(sql`coalesce(to_json(${value})::text, 'null')`)

export const boolean = (value: Sql): JsonValue =>
  json(sql`case when ${value} then 'true' else 'false' end`)

/** In the API's format, truncated to milliseconds, as `toTimestamp` has it. */
const timestamp = (value: Sql): Sql =>
  sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS')`

export const time = (value: Sql): JsonValue => ({
  before: '"',
  value: timestamp(value),
  after: 'Z"',
})

export const timeOrNull = (value: Sql): JsonValue =>
  json(sql`coalesce('"' || ${timestamp(value)} || 'Z"', 'null')`)

/** From a query of one text column, in its order. */
export const list = (query: Sql): JsonValue => ({
  before: '[',
  value: sql`array_to_string(array(${query}), ',')`,
  after: ']',
})

export type Fields = Record<string, JsonValue>

/** The fields without braces, to be continued by others. */
export function fieldsText(fields: Fields, { open = '', close = '' } = {}): Sql {
  const parts: Sql[] = []
  let constant = open
  for (const [n, [key, { before, value, after }]] of Object.entries(fields).entries()) {
    parts.push(raw(`'${constant}${n > 0 ? ',' : ''}"${key}":${before}'`), value)
    constant = after
  }
  return sql`concat(${join([...parts, raw(`'${constant}${close}'`)])})`
}

export const objectText = (fields: Fields): Sql => fieldsText(fields, { open: '{', close: '}' })
