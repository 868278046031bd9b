/** Support cases as the API returns them. Pure. */
import type { Severity } from '#platform/severity.ts'
import type { CaseRow, NoteRow } from './support.store.ts'
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

/** Unresolved cases show in the lists of operators; high-priority ones need action. */
export function severityOf(state: SupportCaseState, priority: number): Severity {
  if (state === 'resolved') return 'healthy'
  return priority === PRIORITIES.high ? 'action_required' : 'degraded'
}
