/** Notes of operators and messages from members as one conversation, oldest first. Pure. */
import type { DataOf } from '@countersign/client/operation-types.ts'

type SupportCase = Pick<DataOf<'getAdminSupportCase'>, 'notes' | 'messages'>

export type Said = {
  id: string
  by: 'member' | 'support' | 'internal'
  name: string | null
  body: string
  at: string
  statusAfter: DataOf<'getAdminSupportCase'>['status'] | null
}

export function conversationOf({ notes, messages }: SupportCase): Said[] {
  const ofSupport: Said[] = notes.map((note) => ({
    id: note.id,
    by: note.visibleToCustomer ? 'support' : 'internal',
    name: null,
    body: note.body,
    at: note.createdAt,
    statusAfter: note.statusAfter,
  }))
  const ofMembers: Said[] = messages
    .filter(({ author }) => author === 'member')
    .map(({ id, displayName, body, createdAt }) => ({
      id,
      by: 'member',
      name: displayName,
      body,
      at: createdAt,
      statusAfter: null,
    }))
  return [...ofSupport, ...ofMembers].sort(
    (one, other) => one.at.localeCompare(other.at) || one.id.localeCompare(other.id),
  )
}
