/** Support cases as the API returns them. Pure. */
import type { Severity } from '#platform/severity.ts'
import type { CaseRow, MessageRow, NoteRow } from './support.store.ts'
import type { SupportCaseState } from './support-case.machine.ts'

export type Priority = 1 | 2 | 3
export const PRIORITIES = { low: 1, medium: 2, high: 3 } as const satisfies Record<string, Priority>
export type PriorityName = keyof typeof PRIORITIES

export type CaseRecord = Omit<CaseRow, 'state' | 'paymentId'> & {
  paymentIntentId: string | null
  status: SupportCaseState
}

export type NoteRecord = Omit<NoteRow, 'organizationId' | 'stateAfter'> & {
  statusAfter: SupportCaseState | null
}

/** A message as members see it. Operators appear without account and name. */
export type MessageRecord = {
  id: string
  author: 'member' | 'support'
  accountId: string | null
  displayName: string | null
  body: string
  createdAt: string
}

export const toCaseRecord = ({ state, paymentId, ...row }: CaseRow): CaseRecord => ({
  ...row,
  paymentIntentId: paymentId,
  status: state,
})

export const toNoteRecord = ({
  organizationId: _organization,
  stateAfter,
  ...row
}: NoteRow): NoteRecord => ({ ...row, statusAfter: stateAfter })

const SUPPORT_NAME = 'support'

export const toMemberMessage = ({ authorAccountId, ...row }: MessageRow): MessageRecord => ({
  id: row.id,
  author: 'member',
  accountId: authorAccountId,
  displayName: row.displayName,
  body: row.body,
  createdAt: row.createdAt,
})

const toSupportMessage = ({ id, body, createdAt }: NoteRow): MessageRecord => ({
  id,
  author: 'support',
  accountId: null,
  displayName: SUPPORT_NAME,
  body,
  createdAt,
})

/** Messages of members and notes that operators have shown to them, oldest first. */
export const toConversation = (
  messages: readonly MessageRow[],
  visibleNotes: readonly NoteRow[],
): MessageRecord[] =>
  [...messages.map(toMemberMessage), ...visibleNotes.map(toSupportMessage)].sort((one, other) =>
    one.id < other.id ? -1 : 1,
  )

/** Unresolved cases show in the lists of operators; high-priority ones need action. */
export function severityOf(state: SupportCaseState, priority: number): Severity {
  if (state === 'resolved') return 'healthy'
  return priority === PRIORITIES.high ? 'action_required' : 'degraded'
}
