/** Reads support cases for members: owners see all of the organization, others their own. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import { findCase, listMemberCases, listMessages, listNotes } from './support.store.ts'
import type { SupportCaseState } from './support-case.machine.ts'
import {
  type CaseRecord,
  type MessageRecord,
  toCaseRecord,
  toConversation,
} from './support-case.ts'

/** Operators may write any number of notes; the newest are returned. */
export const NOTES_SHOWN = 500

/** The only account whose cases this member may see; null for all. */
export const visibleCasesOf = ({ role, accountId }: Member): string | null =>
  role === 'owner' ? null : accountId

export async function readOwnCases(
  ctx: Pick<Context, 'db'>,
  { member, state, page }: { member: Member; state: SupportCaseState | undefined; page: Page },
): Promise<Paged<CaseRecord>> {
  const { organizationId } = member
  const rows = await ctx.db.read(scopeOf(member), (reader) =>
    listMemberCases(reader, { organizationId, onlyOf: visibleCasesOf(member), state, page }),
  )
  return toPaged(rows.map(toCaseRecord), { limit: page.limit, idOf: ({ id }) => id })
}

export async function readOwnCase(
  ctx: Pick<Context, 'db'>,
  { member, caseId }: { member: Member; caseId: string },
): Promise<CaseRecord & { messages: MessageRecord[] }> {
  const key = { organizationId: member.organizationId, caseId }
  const [found, messages, notes] = await ctx.db.read(scopeOf(member), (reader) =>
    Promise.all([
      findCase(reader, { ...key, onlyOf: visibleCasesOf(member) }),
      listMessages(reader, key),
      listNotes(reader, { ...key, onlyVisible: true, limit: NOTES_SHOWN }),
    ]),
  )
  if (!found) throw new AppError('not_found')
  return { ...toCaseRecord(found), messages: toConversation(messages, notes) }
}
