/** Audit actions of activations, by event of the state machine. */
import type { ActivationEvent } from './activation.machine.ts'

export const activationActions = {
  queue: 'policy_activation.queued',
  postpone: 'policy_activation.postponed',
  writeAhead: 'policy_activation.submitted',
  accept: 'policy_activation.accepted',
  lose: 'policy_activation.lost',
  reconcile: 'policy_activation.reconciliation_started',
  confirm: 'policy_activation.confirmed',
  fail: 'policy_activation.failed',
  block: 'policy_activation.blocked',
  cancel: 'policy_activation.cancelled',
} as const satisfies Record<ActivationEvent, string>

declare module '#journal/journal.ts' {
  interface AuditRecords {
    activations: {
      action: (typeof activationActions)[keyof typeof activationActions]
      aggregate: 'policy_activation'
    }
  }
}
