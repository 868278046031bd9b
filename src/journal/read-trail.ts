/** One page of an audit trail, for the organization's owners and for operators. */
import { timestampToMilliseconds } from '#platform/clock.ts'
import type { Reader } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { LAST_ID, type Page, type Paged, toPaged } from '#platform/paging.ts'
import {
  findTrailPlace,
  listTrailEvents,
  type TrailEvent,
  type TrailFilter,
} from './trail.store.ts'

export type ReadTrail = {
  /** Null for the service's own trail. */
  organizationId: string | null
  filter: TrailFilter
  page: Page
}

const invalid = (message: string) => new AppError('validation_failed', { message })

/** Call it before the transaction is opened. */
export function requireTimeSpan({ from, to }: TrailFilter): void {
  if (from === undefined || to === undefined) return
  if (timestampToMilliseconds(from) < timestampToMilliseconds(to)) return
  throw invalid('`from` in the query must be before `to`.')
}

/** Newest first. The cursor is the id of the last event, whose place in time is looked up. */
export async function readTrail(
  reader: Reader,
  { organizationId, filter, page: { beforeId, limit } }: ReadTrail,
): Promise<Paged<TrailEvent>> {
  const isFirst = beforeId === LAST_ID
  const before = isFirst
    ? undefined
    : await findTrailPlace(reader, { organizationId, eventId: beforeId })
  if (!isFirst && !before) {
    throw invalid('`cursor` in the query must be a cursor from an earlier answer.')
  }
  const rows = await listTrailEvents(reader, { organizationId, filter, before, limit: limit + 1 })
  return toPaged(rows, { limit, idOf: ({ id }) => id })
}
