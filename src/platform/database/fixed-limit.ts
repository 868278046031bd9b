/** A limit that the planner knows. */
import { raw, type Sql } from 'sql-template-tag'

/**
 * Only for constants, since each value becomes a separate statement. If the limit is a parameter, a
 * generic plan assumes a tenth of the rows: it may sort all of them, or be too expensive to use, so
 * that each execution is planned again.
 */
export const fixedLimit = (rows: number): Sql => raw(`limit ${Math.trunc(rows)}`)
