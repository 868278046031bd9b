/** The moves of an expense, copied by hand from the decisions (§6). */

type Moves = readonly (readonly [from: string, event: string, to: string])[]

/** The table of §6, line by line; the states of a line are separated by spaces. */
const lines: Moves = [
  ['draft', 'submit', 'analysis_queued'],
  ['analysis_queued', 'start_analysis', 'analyzing'],
  ['analyzing', 'flag', 'needs_review'],
  ['analyzing', 'clear', 'automatic_ready_for_payment'],
  ['analyzing', 'fail_analysis', 'blocked'],
  ['needs_review awaiting_approval blocked', 'request_revision', 'revision_requested'],
  ['needs_review awaiting_approval blocked', 'reject', 'rejected'],
  ['needs_review blocked', 'advance', 'awaiting_approval'],
  ['draft revision_requested needs_review awaiting_approval blocked', 'revise', 'draft'],
  ['blocked', 'submit', 'analysis_queued'],
  ['awaiting_approval', 'approve', 'approved_ready_for_payment'],
  ['approved_ready_for_payment automatic_ready_for_payment', 'payment_submitting', 'executing'],
  ['executing', 'payment_lost', 'reconciling'],
  ['executing reconciling', 'payment_confirmed', 'paid'],
  [
    'approved_ready_for_payment automatic_ready_for_payment executing reconciling',
    'payment_blocked',
    'blocked',
  ],
  ['approved_ready_for_payment blocked', 'approval_ended', 'awaiting_approval'],
  // Awaiting approval: not in §6, but an old backup may lack that it was approved and paid.
  ['awaiting_approval blocked', 'payment_lost', 'reconciling'],
  ['awaiting_approval blocked', 'payment_confirmed', 'paid'],
  ['blocked executing reconciling', 'release_approved', 'approved_ready_for_payment'],
  ['blocked executing reconciling', 'release_automatic', 'automatic_ready_for_payment'],
  ['draft revision_requested needs_review awaiting_approval blocked', 'cancel', 'cancelled'],
]

export function moveOf(state: string, event: string): string | undefined {
  return lines.find(([from, name]) => name === event && from.split(' ').includes(state))?.[2]
}
