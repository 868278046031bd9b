/**
 * A recorded request, to be run again and again by somebody else: ids that the service made are
 * made anew each time, everything else stays as it was recorded.
 */
import type { Client } from 'pg'
import type { Statement } from './recording.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.flatMap(textsOf) : []
}

/** The ids in it that were there before, and are not made anew. */
export const freshIds = (script: readonly Statement[], known: readonly string[]): string[] => {
  const all = script.flatMap(({ values }) =>
    values.flatMap(textsOf).flatMap((text) => [...text.matchAll(UUID)].map(([id]) => id)),
  )
  return [...new Set(all)].filter((id) => !known.includes(id))
}

const replaced = (value: unknown, ids: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') return value.replace(UUID, (id) => ids.get(id) ?? id)
  return Array.isArray(value) ? value.map((one) => replaced(one, ids)) : value
}

export const withIds = (
  script: readonly Statement[],
  ids: ReadonlyMap<string, string>,
): Statement[] =>
  script.map(({ text, values }) => ({ text, values: values.map((value) => replaced(value, ids)) }))

/** pgbench takes a colon and a name for a variable, even between quotes. */
const quoted = (text: string): string =>
  `('${text.replaceAll("'", "''").replaceAll(':', ":' || '")}')`

function literal(value: unknown, variables: ReadonlyMap<string, string>): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return `array[${value.map((one) => literal(one, variables))}]`
  if (value instanceof Uint8Array) return quoted(`\\x${Buffer.from(value).toString('hex')}`)
  if (value instanceof Date) return quoted(value.toISOString())
  const text = String(value)
  const variable = variables.get(text)
  if (variable === undefined) return quoted(text)
  return `('00000000-0000-7000-8000-' || lpad(to_hex(:${variable}::bigint), 12, '0'))`
}

/** What the database makes of `$1`, `$2` and so on. */
async function parameterTypes(client: Client, text: string): Promise<string[]> {
  if (!/\$1\b/.test(text)) return []
  await client.query(`prepare probe as ${text}`)
  const { rows } = await client.query(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'probe'",
  )
  await client.query('deallocate probe')
  return rows[0]?.types ?? []
}

/** For one of several tenants, by its number: the same statement serves them all. */
function choice(values: readonly unknown[], variables: readonly ReadonlyMap<string, string>[]) {
  const literals = values.map((value, n) => literal(value, variables[n] ?? new Map()))
  if (new Set(literals).size === 1) return literals[0]
  if (!values.some(Array.isArray)) return `(array[${literals}])[:tenant]`
  const branches = literals.map((one, n) => `when ${n + 1} then ${one}`)
  return `case :tenant::integer ${branches.join(' ')} end`
}

/**
 * The same for pgbench, as one script: it prepares all of a script's statements on each connection,
 * and eight scripts would be eight times that. Its variables are numbers: each id is made of one.
 */
export async function pgbenchScript(
  client: Client,
  scripts: readonly (readonly Statement[])[],
  known: readonly string[],
): Promise<string> {
  const fresh = scripts.map((script) => freshIds(script, known))
  const variables = fresh.map((ids) => new Map(ids.map((id, n) => [id, `id${n}`])))
  const names = new Set(variables.flatMap((each) => [...each.values()]))
  const lines = [`\\set tenant random(1, ${scripts.length})`]
  for (const name of names) lines.push(`\\set ${name} random(1, ${2 ** 47 - 1})`)
  for (const [at, { text }] of (scripts[0] ?? []).entries()) {
    const same = scripts.map((script) => script[at])
    if (same.some((one) => one?.text !== text)) throw new Error(`Not the same for all: ${text}`)
    const types = await parameterTypes(client, text)
    const filled = text.replace(/\$(\d+)/g, (_all, place: string) => {
      const n = Number(place) - 1
      const values = same.map((one) => one?.values[n])
      return `(${choice(values, variables)})::${types[n]}`
    })
    lines.push(`${filled.replace(/\s+/g, ' ').trim()};`)
  }
  return `${lines.join('\n')}\n`
}
