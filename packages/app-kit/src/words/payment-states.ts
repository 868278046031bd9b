/** The words for the states of payments. docs/STATES.md explains the states themselves. */
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { PaymentState } from './states.ts'

export const PAYMENT_STATES: Record<PaymentState, { kind: MarkKind; word: MessageDescriptor }> = {
  reserved: { kind: 'waiting', word: msg`Set aside` },
  queued: { kind: 'working', word: msg`Waiting to be sent` },
  submitting: { kind: 'working', word: msg`Being sent` },
  broadcast: { kind: 'working', word: msg`Sent` },
  reconciling: { kind: 'warning', word: msg`Being checked` },
  confirmed: { kind: 'done', word: msg`Paid` },
  blocked: { kind: 'blocked', word: msg`Blocked` },
  failed: { kind: 'blocked', word: msg`Failed` },
}
