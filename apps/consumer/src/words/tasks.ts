/** The words for what the inbox asks for. */

import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { PAYMENT_STATES } from '@countersign/app-kit/words/payment-states.ts'
import { EXPENSE_STATES, type ExpenseState } from '@countersign/app-kit/words/states.ts'
import type { LiveSnapshot } from '@countersign/client/live.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { CASE_STATES } from './support.ts'

export type Task = LiveSnapshot['tasks'][number]
type Kind = Task['aggregateType']
type Word = { kind: MarkKind; word: MessageDescriptor }

export const ACTIONS: Record<Task['actions'][number]['id'], MessageDescriptor> = {
  review_report: msg`Review`,
  request_revision: msg`Ask for changes`,
  revise_expense: msg`Revise`,
  prepare_approval: msg`Review and sign`,
  sign_approval: msg`Review and sign`,
  queue_payment: msg`Release`,
  reconcile_payment: msg`Look again`,
  inspect_failure: msg`See what happened`,
  open_support: msg`Contact support`,
  update_support_case: msg`Answer`,
}

const OTHER: Record<Task['group'], Word> = {
  needs_action: { kind: 'warning', word: msg`Needs attention` },
  in_progress: { kind: 'working', word: msg`In progress` },
  recently_completed: { kind: 'done', word: msg({ message: 'Done', context: 'task' }) },
}

const MARKS: Partial<Record<Kind, Readonly<Record<string, Word>>>> = {
  expense: EXPENSE_STATES,
  payment: PAYMENT_STATES,
  support_case: CASE_STATES,
  integration: { waiting: { kind: 'waiting', word: msg`Waiting` } },
}

/** An object of words by state, asked for a state that a newer service may have invented. */
const wordFor = <T>(
  words: Readonly<Record<string, T>> | undefined,
  state: string,
): T | undefined => (words && Object.hasOwn(words, state) ? words[state] : undefined)

export const markOfTask = ({ aggregateType, state, group }: Task): Word =>
  wordFor(MARKS[aggregateType], state) ?? OTHER[group]

const CHECKING = msg`Whether the payment went through is being checked.`

/** Null where the mark beside it has said everything. */
const EXPENSE_SENTENCES: Record<Exclude<ExpenseState, 'blocked'>, MessageDescriptor | null> = {
  draft: msg`Submit it when it is complete.`,
  analysis_queued: msg`The analysis starts shortly.`,
  analyzing: msg`The analysis is running.`,
  needs_review: msg`An owner or a manager needs to review it.`,
  revision_requested: msg`A reviewer asked for changes.`,
  awaiting_approval: msg`An approver needs to sign it.`,
  approved_ready_for_payment: msg`It is signed. The payment can be released.`,
  automatic_ready_for_payment: msg`It is within the policy. The payment can be released.`,
  executing: msg`The payment is being sent.`,
  reconciling: CHECKING,
  paid: null,
  rejected: null,
  cancelled: msg`The submitter cancelled it.`,
}

/** Titles of tasks that are about nothing a person has named. */
const TITLES: Readonly<Record<string, MessageDescriptor>> = {
  unrecorded: msg`A vault made a payment without a record`,
  pending: msg`A new member is waiting to be confirmed`,
  waiting: msg`A new policy waits`,
  activation_due: msg`Put the policy into force`,
}

const INTEGRATION_SENTENCES: Readonly<Record<string, MessageDescriptor>> = {
  unrecorded: msg`Find out who sent it, then acknowledge it.`,
  pending: msg`A manager invited this person. Confirm the membership, or revoke it.`,
  waiting: msg`Look at what it changes. The owner and every approver can still stop it.`,
  activation_due: msg`It has waited long enough, and the service cannot put it into force.`,
}

export const titleOfTask = ({ aggregateType, state }: Task): MessageDescriptor | undefined =>
  aggregateType === 'integration' ? wordFor(TITLES, state) : undefined

/** How many have signed, where more than one person must. */
export function signatureCountOf({
  requiredApprovals: required,
  signedApprovals: signed,
}: Pick<Task, 'requiredApprovals' | 'signedApprovals'>): {
  signed: number
  required: number
} | null {
  return required !== null && required > 1 ? { signed: signed ?? 0, required } : null
}

/** What is due, in the reader's language. Undefined if only the service has words for it. */
export function sentenceOfTask(task: Task): MessageDescriptor | null | undefined {
  const { aggregateType, state, code } = task
  switch (aggregateType) {
    case 'expense':
      return state === 'blocked' ? blockWords(code).why : wordFor(EXPENSE_SENTENCES, state)
    case 'payment':
      return state === 'reconciling' ? CHECKING : blockWords(code).why
    case 'agent_run':
      return msg`The analysis failed.`
    case 'approval':
      return msg`You prepared this approval.`
    case 'support_case':
      return msg`Support case`
    case 'integration':
      return wordFor(INTEGRATION_SENTENCES, state)
    default:
      return undefined
  }
}
