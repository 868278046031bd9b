/**
 * Finds the newest rows that match a filter, in two steps with a predictable cost. A frequent match
 * is found among the most recent rows, in the order of the list; a rare one through its own index,
 * which returns few rows. One statement would leave the choice to the planner, whose statistics
 * cover all tenants: it may read all rows of an organization in which nothing matches.
 */

/** Rows that the first step reads. */
const RECENT_ROWS = 500

export type NewestMatches = {
  limit: number
  /** Matches among the `rows` most recent rows, and whether there are no older rows. */
  listRecent(rows: number): Promise<{ ids: string[]; isComplete: boolean }>
  /** Matches among all rows. */
  listAll(): Promise<string[]>
}

export async function listNewestMatches({
  limit,
  listRecent,
  listAll,
}: NewestMatches): Promise<string[]> {
  const { ids, isComplete } = await listRecent(Math.max(RECENT_ROWS, limit))
  return isComplete || ids.length >= limit ? ids : listAll()
}
