/** Reads the audit trail of events that belong to no organization, for operators. */
import type { Actor } from '#journal/actor.ts'
import { readTrail, readTrailFilter } from '#journal/read-trail.ts'
import { recordRead } from '#journal/record-read.ts'
import type { TrailEvent, TrailFilter } from '#journal/trail.store.ts'
import type { Page, Paged } from '#platform/paging.ts'
import type { AdminContext } from './read-organizations.ts'

export async function readServiceTrail(
  ctx: AdminContext,
  { operator, query, page }: { operator: Actor; query: TrailFilter; page: Page },
): Promise<Paged<TrailEvent>> {
  const filter = readTrailFilter(query)
  const organizationId = null
  const events = await ctx.observerDb.transaction({}, (tx) =>
    readTrail(tx, { organizationId, filter, page }),
  )
  const operation = 'listAdminAuditEvents'
  await recordRead(ctx, { operator, operation, organizationId, data: query })
  return events
}
