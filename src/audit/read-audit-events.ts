/** Reads the organization's own audit trail, operators' reads included. For owners. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { readTrail, readTrailFilter } from '#journal/read-trail.ts'
import {
  type DatedHead,
  findDatedHead,
  type TrailEvent,
  type TrailFilter,
} from '#journal/trail.store.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Page, Paged } from '#platform/paging.ts'

export async function readAuditEvents(
  ctx: Pick<Context, 'db'>,
  { member, query, page }: { member: Member; query: TrailFilter; page: Page },
): Promise<Paged<TrailEvent>> {
  const filter = readTrailFilter(query)
  const { organizationId } = member
  return ctx.db.transaction(scopeOf(member), (tx) =>
    readTrail(tx, { organizationId, filter, page }),
  )
}

/** The last committed head. */
export async function readAuditHead(
  ctx: Pick<Context, 'db'>,
  { member }: { member: Member },
): Promise<DatedHead> {
  const { organizationId } = member
  const head = await ctx.db.read(scopeOf(member), (reader) => findDatedHead(reader, organizationId))
  // Creating the organization wrote the first event.
  if (!head) throw new Error(`Organization ${organizationId} has no audit trail`)
  return head
}
