/** A limit that the planner knows. */
import { raw, type Sql } from 'sql-template-tag'

/**
 * Only for numbers of the code, since each becomes a statement of its own. If the limit is a
 * parameter, a plan for all values expects a tenth of the rows: it may sort all of them, or be
 * replaced by planning at each execution.
 */
export const fixedLimit = (rows: number): Sql => raw(`limit ${Math.trunc(rows)}`)
