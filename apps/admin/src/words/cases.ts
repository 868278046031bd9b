/** The words for support cases, as operators use them. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type CaseStatus = DataOf<'getAdminSupportCase'>['status']

export const CASE_STATES: Record<CaseStatus, { kind: MarkKind; word: MessageDescriptor }> = {
  open: { kind: 'warning', word: msg`Open` },
  reopened: { kind: 'warning', word: msg`Reopened` },
  investigating: { kind: 'working', word: msg`Being looked into` },
  resolved: { kind: 'done', word: msg`Resolved` },
}

/** By the numbers of the service: 3 is the highest. */
export const PRIORITIES: Record<number, { kind: MarkKind; word: MessageDescriptor }> = {
  3: { kind: 'blocked', word: msg`High priority` },
  2: { kind: 'waiting', word: msg`Medium priority` },
  1: { kind: 'draft', word: msg`Low priority` },
}

/** Where a case can go from here. A test holds it to docs/STATES.md. */
export const NEXT_STATES: Record<CaseStatus, readonly CaseStatus[]> = {
  open: ['investigating', 'resolved'],
  investigating: ['resolved'],
  resolved: ['reopened'],
  reopened: ['investigating'],
}

/** What somebody chose, unless the case has moved since and cannot go there any more. */
export const stillPossible = (chosen: string, current: CaseStatus): CaseStatus | '' =>
  NEXT_STATES[current].find((each) => each === chosen) ?? ''
