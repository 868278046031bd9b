/**
 * Exports the organization's audit trail as lines of JSON, which `npm run audit -- verify FILE`
 * checks without the database.
 */
import { toTrailLine } from '@countersign/proof/audit-trail.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { type DatedHead, type ExportedEvent, listExportedEvents } from '#journal/trail.store.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { forgetRows } from '#platform/database/database.ts'
import { readAuditHead } from './read-audit-events.ts'

const PAGE = 200

export type TrailExport = {
  head: DatedHead
  /** A page of lines at a time; read on demand. */
  pages: AsyncGenerator<string>
}

type ExportContext = Pick<Context, 'db' | 'clock' | 'ids'>

/** Recorded first: what cannot be recorded is not exported. The export contains its own event. */
export async function exportAuditTrail(
  ctx: ExportContext,
  { actor }: { actor: Member },
): Promise<TrailExport> {
  const { organizationId } = actor
  await asMember(ctx, actor, (tx) =>
    recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'audit_trail.exported',
      aggregateType: 'audit_trail',
      aggregateId: organizationId,
      data: { format: 'jsonl' },
    }),
  )
  const head = await readAuditHead(ctx, { member: actor })
  return { head, pages: pagesOf(ctx, { actor, head }) }
}

/**
 * Everything up to a head is fixed: events are numbered in the order of their commits and never
 * change. So the pages are one snapshot, and no transaction waits for a slow client.
 */
async function* pagesOf(
  { db }: Pick<Context, 'db'>,
  { actor, head }: { actor: Member; head: DatedHead },
): AsyncGenerator<string> {
  const { organizationId } = actor
  let after = 0
  while (after < head.sequence) {
    const rows = await db.read(scopeOf(actor), (reader) =>
      listExportedEvents(reader, { organizationId, after, upTo: head.sequence, limit: PAGE }),
    )
    const last = rows.at(-1)
    // Somebody removed events: the head line makes the check of the file fail.
    if (!last) break
    after = last.sequence
    const lines = rows.map(toEventLine).join('')
    forgetRows(rows)
    yield lines
  }
  yield toTrailLine({ head: { organizationId, ...head } })
}

const toEventLine = ({ sequence, digest, hash, ...event }: ExportedEvent): string =>
  toTrailLine({ sequence, event, digest, hash })
