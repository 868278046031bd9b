/** One page of an audit trail, for the organization's owners and for operators. */
import type { Reader } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { LAST_ID, type Page, type Paged, toPaged } from '#platform/paging.ts'
import { readPeriod } from '#platform/period.ts'
import {
  findTrailPlace,
  listTrailEvents,
  type TrailEvent,
  type TrailFilter,
} from './trail.store.ts'

/** The days and moments of a query as moments, which the store compares with. */
export function readTrailFilter({ from: first, to: last, ...equal }: TrailFilter): TrailFilter {
  const given = {
    ...(first !== undefined && { from: first }),
    ...(last !== undefined && { to: last }),
  }
  const { from, before } = readPeriod(given)
  return {
    ...equal,
    ...(from && { from: from.toISOString() }),
    ...(before && { to: before.toISOString() }),
  }
}

export type ReadTrail = {
  /** Null for the service's own trail. */
  organizationId: string | null
  filter: TrailFilter
  page: Page
}

const invalid = (message: string) => new AppError('validation_failed', { message })

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
