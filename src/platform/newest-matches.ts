/**
 * Finds the newest rows that match a filter at a predictable cost, without relying on statistics:
 * they cover all tenants, and the planner may read all rows of an organization in which nothing
 * matches. A frequent match is found among the most recent rows. A rare one is found through the
 * smallest index range among the filter's. If every range is large, the answer ends with the recent
 * rows, and says where the next one continues.
 */
import sql, { join, type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

const RECENT_ROWS = 500
const MARGIN_ROWS = 30
/** A range with fewer rows is small. */
export const RANGE_ROWS = 2_000

export type FilteredRows = {
  limit: number
  /**
   * How many of the recent rows match: all where they come from an index with the whole filter,
   * most where the index also has rows of earlier revisions, otherwise any number.
   */
  matching: 'all' | 'most' | 'any'
  /** The most recent rows as `id` and `matches`, newest first. */
  recent: (rows: number) => Sql
  /**
   * The filter's index ranges. Each contains every match, as a column `id`, and is ordered as its
   * index, so that no other plan is cheaper.
   */
  ranges: readonly Sql[]
  /** The ids of the newest matches among these ids. */
  among: (ids: Sql) => Sql
  /** The ids of the newest matches, at any cost. Without it the answer may be short. */
  all?: Sql
}

export type NewestMatches = {
  ids: string[]
  /** The row after which there may be more matches although the limit is not reached. */
  stoppedAt: string | null
}

type Found = { id: string }

export async function listNewestMatches(
  tx: Tx,
  { limit, matching, recent, ranges, among, all }: FilteredRows,
): Promise<NewestMatches> {
  let [ids, lastSeen]: [string[], string | null] = [[], null]
  for (const rows of stepsOf(limit, matching)) {
    const seen = await tx.query<Found & { matches: boolean }>(recent(rows))
    const recentIds = seen.filter(({ matches }) => matches).map(({ id }) => id)
    ids = [...new Set(recentIds)].slice(0, limit)
    if (ids.length === limit || seen.length < rows) return { ids, stoppedAt: null }
    lastSeen = seen.at(-1)?.id ?? null
  }
  const range = await findSmallestRange(tx, ranges)
  const statement = range ? among(range) : all
  if (!statement) return { ids, stoppedAt: lastSeen }
  const found = await tx.query<Found>(statement)
  return { ids: found.map(({ id }) => id), stoppedAt: null }
}

/** How many recent rows are read, and how many if those were not enough. */
function stepsOf(limit: number, matching: FilteredRows['matching']): number[] {
  const many = Math.max(RECENT_ROWS, limit)
  if (matching === 'all') return [limit]
  return matching === 'most' ? [2 * limit + MARGIN_ROWS, many] : [many]
}

/** A statement for the ids of the smallest range; undefined if all ranges are large. */
async function findSmallestRange(tx: Tx, ranges: readonly Sql[]): Promise<Sql | undefined> {
  if (ranges.length === 0) return undefined
  const limited = ranges.map((range) => sql`${range} limit ${RANGE_ROWS}`)
  const counts = limited.map((range) => sql`(select count(*)::integer from (${range}) x)`)
  const [row] = await tx.query<{ sizes: number[] }>(sql`select array[${join(counts)}] as sizes`)
  const sizes = row?.sizes ?? []
  const smallest = Math.min(...sizes)
  const range = limited[sizes.indexOf(smallest)]
  return range && smallest < RANGE_ROWS ? sql`select distinct id from (${range}) x` : undefined
}

/** The condition of a filter that is given, and nothing for one that is not. */
export const when = <T>(value: T | null | undefined, condition: (value: T) => Sql): Sql[] =>
  value === undefined || value === null ? [] : [condition(value)]

export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : join(conditions, ' and ')
