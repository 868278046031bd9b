/** Reads support cases of all organizations for operators. */
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import { AppError } from '#platform/errors.ts'
import { NOTES_SHOWN } from '#support/read-own-cases.ts'
import { findCase, findCaseOrganization, listMessages, listNotes } from '#support/support.store.ts'
import type { SupportCaseState } from '#support/support-case.machine.ts'
import {
  type CaseRecord,
  type MessageRecord,
  type NoteRecord,
  PRIORITIES,
  type PriorityName,
  toCaseRecord,
  toMemberMessage,
  toNoteRecord,
} from '#support/support-case.ts'
import { type CaseSort, findCaseCount, listCases } from './cases.store.ts'
import { listOrganizationNames, type OrganizationName } from './organizations.store.ts'
import type { AdminContext } from './read-organizations.ts'

const PAGE_SIZE = 25

export type ReadCases = {
  operator: Actor
  page?: number
  status?: SupportCaseState
  priority?: PriorityName
  sort?: CaseSort
}

export type CasePage = {
  cases: CaseRecord[]
  pagination: { page: number; pageSize: number; totalItems: number; totalPages: number }
  organizations: OrganizationName[]
}

export async function readCases(
  ctx: AdminContext,
  { operator, page = 1, sort = 'newest', status, priority }: ReadCases,
): Promise<CasePage> {
  const filter = {
    ...(status && { state: status }),
    ...(priority && { priority: PRIORITIES[priority] }),
  }
  const offset = (page - 1) * PAGE_SIZE
  const { totalItems, rows, organizations } = await ctx.observerDb.transaction({}, async (tx) => {
    const count = await findCaseCount(tx, filter)
    const isPastEnd = offset >= count
    const listed = isPastEnd ? [] : await listCases(tx, { filter, sort, limit: PAGE_SIZE, offset })
    const ids = [...new Set(listed.map(({ organizationId }) => organizationId))]
    const names = ids.length === 0 ? [] : await listOrganizationNames(tx, ids)
    return { totalItems: count, rows: listed, organizations: names }
  })
  const data = { page, sort, ...(status && { status }), ...(priority && { priority }) }
  const operation = 'listAdminSupportCases'
  await recordRead(ctx, { operator, operation, organizationId: null, data })
  const totalPages = Math.ceil(totalItems / PAGE_SIZE)
  return {
    cases: rows.map(toCaseRecord),
    pagination: { page, pageSize: PAGE_SIZE, totalItems, totalPages },
    organizations,
  }
}

export type CaseWithNotes = CaseRecord & {
  notes: NoteRecord[]
  messages: MessageRecord[]
  organizationName: string
}

/** Records the read in the organization's trail; a miss in the service's. */
export async function readCase(
  ctx: AdminContext,
  { operator, caseId }: { operator: Actor; caseId: string },
): Promise<CaseWithNotes> {
  const found = await ctx.observerDb.transaction({}, async (tx) => {
    const organizationId = await findCaseOrganization(tx, caseId)
    if (organizationId === undefined) return undefined
    const key = { organizationId, caseId }
    const supportCase = await findCase(tx, { ...key, onlyOf: null })
    const notes = await listNotes(tx, { ...key, onlyVisible: false, limit: NOTES_SHOWN })
    const [organization] = await listOrganizationNames(tx, [organizationId])
    const messages = await listMessages(tx, key)
    return supportCase && { supportCase, notes, messages, name: organization?.name ?? '' }
  })
  await recordRead(ctx, {
    operator,
    operation: 'getAdminSupportCase',
    organizationId: found?.supportCase.organizationId ?? null,
    data: { caseId },
  })
  if (!found) throw new AppError('not_found')
  return {
    ...toCaseRecord(found.supportCase),
    notes: found.notes.map(toNoteRecord),
    messages: found.messages.map(toMemberMessage),
    organizationName: found.name,
  }
}
