/** What members of the organization can do about an expense, in words for operators. */
import type { WayOut } from '@countersign/app-kit/words/block-words.ts'
import type { ExpenseState } from '@countersign/app-kit/words/states.ts'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export const WAYS: Record<WayOut, MessageDescriptor> = {
  submit: msg`The submitter sends it for review again.`,
  sign_again: msg`A reviewer lets it go on, and an approver signs again.`,
  revise: msg`The submitter revises it.`,
  release: msg`An owner or manager releases the payment again.`,
  reconcile: msg`An owner or manager has the chain looked at again.`,
  reject: msg`An owner or manager rejects it.`,
  policy: msg`An owner changes the policy or the treasury.`,
  deposit: msg`Somebody deposits money into the vault.`,
  support: msg`They are told to write to support.`,
}

/** For states in which nothing is blocked. */
export const STEPS: Record<Exclude<ExpenseState, 'blocked'>, MessageDescriptor> = {
  draft: msg`The submitter can send it for review, change it or cancel it.`,
  analysis_queued: msg`They wait for the analysis.`,
  analyzing: msg`They wait for the analysis.`,
  needs_review: msg`An owner or manager can let it go on, ask for changes or reject it.`,
  revision_requested: msg`The submitter can revise or cancel it.`,
  awaiting_approval: msg`An approver can sign it. Owners and managers can ask for changes or reject it.`,
  approved_ready_for_payment: msg`An owner or manager can release it, where payments are released by hand.`,
  automatic_ready_for_payment: msg`An owner or manager can release it, where payments are released by hand.`,
  executing: msg`They watch it being paid.`,
  reconciling: msg`An owner or manager can have the chain looked at again.`,
  paid: msg`They can download the proof of why it left.`,
  rejected: msg`Nothing. It was rejected.`,
  cancelled: msg`Nothing. The submitter cancelled it.`,
}
