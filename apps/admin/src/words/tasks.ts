/** The words for what the queue asks of operators. They name no customer's purpose and no amount. */
import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { PAYMENT_STATES } from '@countersign/app-kit/words/payment-states.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { OperatorTask } from '../data/operator-live.tsx'
import { CASE_STATES } from './cases.ts'

type Word = { kind: MarkKind; word: MessageDescriptor }
type Named = Pick<OperatorTask, 'aggregateType' | 'state' | 'code'>

const MARKS: Partial<Record<OperatorTask['aggregateType'], Readonly<Record<string, Word>>>> = {
  payment: PAYMENT_STATES,
  support_case: CASE_STATES,
  agent_run: { failed: { kind: 'blocked', word: msg`Analysis failed` } },
}

/** Undefined for a state of a newer service. */
export function markOfTask({ aggregateType, state }: Named): Word | undefined {
  const words = MARKS[aggregateType]
  return words && Object.hasOwn(words, state) ? words[state] : undefined
}

/** Why somebody has to look. Undefined if only the service has words for it. */
export function titleOfTask({ aggregateType, state, code }: Named): MessageDescriptor | undefined {
  if (aggregateType === 'agent_run') return blockWords('analysis_failed').why
  if (aggregateType !== 'payment') return undefined
  if (state === 'reconciling') return msg`Nobody knows yet whether this payment went through.`
  return state === 'blocked' || state === 'failed' ? blockWords(code).why : undefined
}
