/** The words for support cases. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type CaseStatus = DataOf<'getSupportCase'>['status']

export const CASE_STATES: Record<CaseStatus, { kind: MarkKind; word: MessageDescriptor }> = {
  open: { kind: 'waiting', word: msg`Waiting for support` },
  reopened: { kind: 'waiting', word: msg`Reopened` },
  investigating: { kind: 'working', word: msg`Being looked into` },
  resolved: { kind: 'done', word: msg`Resolved` },
}

export const PRIORITIES = [
  { value: '1', word: msg`Low: when there is time` },
  { value: '2', word: msg`Medium` },
  { value: '3', word: msg`High: money or access is affected` },
] as const

/** The request belongs into the first message, so that support finds it in its records. */
export const withRequest = (body: string, requestId: string | undefined): string =>
  requestId ? `${body}\n\nRequest ${requestId}`.trim() : body
