/** The kinds of events in words. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type Webhook = DataOf<'listWebhooks'>['webhooks'][number]
export type Kind = Webhook['kinds'][number]

export const KINDS: Record<Kind, MessageDescriptor> = {
  'expense.changed': msg`Expenses`,
  'agent_run.changed': msg`Analyses`,
  'approval.changed': msg`Approvals`,
  'payment.changed': msg`Payments`,
  'support_case.changed': msg`Support cases`,
  'integration.changed': msg`People, recipients, vaults and settings`,
  'service.changed': msg`Health of the service`,
}

export const ALL_KINDS = Object.keys(KINDS) as Kind[]
