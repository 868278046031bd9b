/** Adds an operator's note to a case and optionally changes its status. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { AppError } from '#platform/errors.ts'
import { moveCase } from './move-case.ts'
import { requireVisibleBody } from './open-case.ts'
import { findCaseOrganization, insertNote, lockCase } from './support.store.ts'
import type { SupportCaseState } from './support-case.machine.ts'
import { type NoteRecord, toNoteRecord } from './support-case.ts'

export type AddNote = {
  operator: Actor & { accountId: string }
  caseId: string
  body: string
  status?: SupportCaseState
  visibleToCustomer?: boolean
}

/** Only the lookup of the organization crosses tenants; everything after it stays in that scope. */
export async function addNote(
  ctx: Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>,
  { operator, caseId, body, status, visibleToCustomer = false }: AddNote,
): Promise<NoteRecord> {
  requireVisibleBody(body)
  const organizationId = await findCaseOrganization(ctx.observerDb, caseId)
  if (organizationId === undefined) throw new AppError('not_found')
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const supportCase = await lockCase(tx, { organizationId, caseId, onlyOf: null })
    if (!supportCase) throw new AppError('not_found')
    const noteId = ctx.ids.next()
    const note = await insertNote(tx, {
      id: noteId,
      organizationId,
      supportCaseId: caseId,
      authorAccountId: operator.accountId,
      body,
      stateAfter: status ?? null,
      visibleToCustomer,
      at: ctx.clock.now(),
    })
    await moveCase(ctx, tx, {
      supportCase,
      wanted: status,
      actor: operator,
      by: visibleToCustomer ? { answerId: noteId } : { noteId },
    })
    return toNoteRecord(note)
  })
}
