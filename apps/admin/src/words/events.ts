/** The words for what the stream tells operators. */
import { PAYMENT_STATES } from '@countersign/app-kit/words/payment-states.ts'
import { EXPENSE_STATES } from '@countersign/app-kit/words/states.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { OperatorEvent } from '../data/operator-live.tsx'
import { CASE_STATES } from './cases.ts'
import { APPROVAL_STATES, RUN_STATES } from './lifecycles.ts'
import { SEVERITIES } from './severities.ts'

type Kind = OperatorEvent['aggregateType']
type Word = { kind: MarkKind; word: MessageDescriptor }

export const EVENT_SUBJECTS: Record<Kind, MessageDescriptor> = {
  expense: msg`Expense`,
  agent_run: msg`Analysis`,
  approval: msg`Approval`,
  payment: msg`Payment`,
  support_case: msg`Case`,
  integration: msg`People and treasury`,
  service: msg`Service`,
}

const MARKS: Partial<Record<Kind, Readonly<Record<string, Word>>>> = {
  expense: EXPENSE_STATES,
  agent_run: RUN_STATES,
  approval: APPROVAL_STATES,
  payment: PAYMENT_STATES,
  support_case: CASE_STATES,
  service: SEVERITIES,
}

/** Undefined for a state that has no words, which is then shown as it is. */
export function markOfEvent(event: Pick<OperatorEvent, 'aggregateType' | 'targetState'>) {
  const words = MARKS[event.aggregateType]
  const { targetState: state } = event
  return words && state !== null && Object.hasOwn(words, state) ? words[state] : undefined
}
