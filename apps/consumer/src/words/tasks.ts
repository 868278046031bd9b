/** The words for what the inbox asks for. */

import { EXPENSE_STATES, type ExpenseState } from '@countersign/app-kit/words/states.ts'
import type { LiveSnapshot } from '@countersign/client/live.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

type Task = LiveSnapshot['tasks'][number]

export const ACTIONS: Record<Task['actions'][number]['id'], MessageDescriptor> = {
  review_report: msg`Review`,
  request_revision: msg`Ask for changes`,
  revise_expense: msg`Revise`,
  prepare_approval: msg`Review and sign`,
  sign_approval: msg`Review and sign`,
  queue_payment: msg`Release`,
  reconcile_payment: msg`Look again`,
  inspect_failure: msg`See what happened`,
  open_support: msg`Open support`,
  update_support_case: msg`Answer`,
}

const OTHER: Record<Task['group'], { kind: MarkKind; word: MessageDescriptor }> = {
  needs_action: { kind: 'warning', word: msg`Needs attention` },
  in_progress: { kind: 'working', word: msg`In progress` },
  recently_completed: { kind: 'done', word: msg`Done` },
}

export const markOfTask = ({ state, group }: Task): { kind: MarkKind; word: MessageDescriptor } =>
  EXPENSE_STATES[state as ExpenseState] ?? OTHER[group]
