/** Which module owns each table, and what stores read of other modules. */
import type { ForeignRead, Owners } from './tables.ts'

const tablesOf: Record<string, readonly string[]> = {
  platform: ['idempotency_keys', 'worker_processes', 'rate_leases'],
  journal: ['audit_events', 'audit_heads', 'live_events'],
  chain: ['chain_blocks', 'chain_logs', 'chain_position', 'chain_watches'],
  wallets: ['wallets', 'wallet_exports', 'wallet_links', 'wallet_link_challenges'],
  identity: ['accounts', 'operators', 'profiles'],
  organizations: ['organizations', 'memberships', 'invitations', 'recipients', 'wallet_roles'],
  executor: ['executor_bindings', 'executor_provisionings'],
  treasury: [
    ...['vaults', 'vault_deployments', 'vault_payments', 'policies', 'policy_intents'],
    ...['vault_unsent_totals', 'vault_unsent_changes', 'vault_recipients'],
    ...['vault_recipient_logs', 'vault_pauses', 'vault_proposals'],
  ],
  adapters: ['attachment_chunks'],
  attachments: ['attachments', 'attachment_usage'],
  expenses: [
    ...['expenses', 'expense_revisions', 'expense_comments', 'expense_reviews', 'expense_words'],
    ...['expense_words_position', 'categories', 'revision_attachments'],
  ],
  payments: [
    ...['payments', 'live_payments', 'sent_payments', 'payment_attempts', 'payment_receipts'],
    ...['counted_payments', 'payment_requests', 'payment_signatures', 'unrecorded_payments'],
    'automatic_totals',
    ...['worker_keys', 'policy_activations', 'activation_attempts'],
  ],
  analysis: ['agent_runs', 'reports'],
  approvals: ['approvals'],
  funding: ['funding_controls', 'funding_actions', 'funding_transactions', 'funding_lanes'],
  push: ['push_position', 'push_subscriptions', 'notification_preferences'],
  email: ['email_position', 'email_deliveries'],
  support: ['support_cases', 'support_messages', 'support_notes'],
  health: ['service_health', 'executor_health', 'health_rounds'],
  live: ['live_state', 'open_streams', 'task_changes', 'shared_task_changes'],
  webhooks: [
    ...['webhooks', 'webhook_secrets', 'webhook_deliveries', 'webhook_position'],
    'webhook_sealing_keys',
  ],
  'ledger-proofs': ['ledger_proofs'],
  web: ['web_sessions'],
}

export const owners: Owners = Object.fromEntries(
  Object.entries(tablesOf).flatMap(([module, tables]) => tables.map((table) => [table, module])),
)

export const reads: readonly ForeignRead[] = [
  {
    module: 'access',
    tables: ['accounts', 'operators', 'memberships', 'wallet_roles'],
    reason: 'the guard decides every request by one statement',
  },
  {
    module: 'journal',
    tables: ['organizations'],
    reason: 'the audit export names the organizations whose heads it signs',
  },
  {
    module: 'journal',
    tables: ['profiles'],
    reason: 'a page of a trail shows the names of its actors; identity stands downstream',
  },
  { module: 'wallets', tables: ['accounts'], reason: "an export checks its holder's account" },
  {
    module: 'organizations',
    tables: ['approvals'],
    reason: 'approvers see what they sign; the rule is one condition for several modules',
  },
  {
    module: 'organizations',
    tables: ['accounts', 'profiles', 'wallets'],
    reason: 'members are listed and checked with their accounts, names and wallets',
  },
  {
    module: 'organizations',
    tables: ['executor_bindings', 'vaults'],
    reason: "a recipient may not be the organization's own executor or vault",
  },
  {
    module: 'treasury',
    tables: ['chain_logs', 'chain_watches'],
    reason: 'balances add up the logs that the follower stored',
  },
  {
    module: 'treasury',
    tables: ['policy_activations'],
    reason: 'a policy that waits says why the service cannot activate it; payments are downstream',
  },
  {
    module: 'treasury',
    tables: ['profiles'],
    reason: 'lists of intents show who prepared them',
  },
  {
    module: 'treasury',
    tables: ['sent_payments'],
    reason: 'spending rules subtract what live payments hold; payments stand downstream',
  },
  { module: 'expenses', tables: ['profiles'], reason: 'expenses and comments name people' },
  {
    module: 'expenses',
    tables: ['live_events', 'live_state', 'organizations'],
    reason: 'the index of the search follows the journal, and a search looks at what comes after',
  },
  {
    module: 'attachments',
    tables: ['expenses', 'revision_attachments'],
    reason: 'whoever may see an expense sees its attachments; expenses stand downstream',
  },
  {
    module: 'expenses',
    tables: ['attachments'],
    reason: 'a revision is listed with its attachments in one statement',
  },
  {
    module: 'expenses',
    tables: ['payments', 'live_payments'],
    reason: 'an expense may not change under a payment; payments stand downstream',
  },
  {
    module: 'expenses',
    tables: ['approvals', 'profiles'],
    reason:
      'an expense shows its approvals, and names beside account ids; approvals stand downstream',
  },
  {
    module: 'expenses',
    tables: ['policies', 'vaults'],
    reason: 'an expense says how many approvers must sign it, in one statement',
  },
  {
    module: 'payments',
    tables: ['profiles'],
    reason: 'payments show the names of those who signed',
  },
  {
    module: 'payments',
    tables: ['expense_words'],
    reason: 'payments are found by the words of their expenses',
  },
  {
    module: 'accounting',
    tables: [
      ...['expenses', 'expense_revisions', 'categories', 'payments', 'payment_receipts'],
      ...['payment_signatures', 'profiles', 'recipients', 'vaults'],
    ],
    reason: 'an export reads a payment with all that describes it in one statement',
  },
  {
    module: 'payments',
    tables: ['organizations', 'memberships', 'recipients', 'wallet_roles', 'wallets'],
    reason: 'a review before signing reads everything that authorises a payment in one statement',
  },
  {
    module: 'payments',
    tables: [
      ...['expenses', 'expense_revisions', 'reports', 'approvals', 'revision_attachments'],
      'attachments',
    ],
    reason: 'a review before signing compares the payment with what was approved',
  },
  {
    module: 'payments',
    tables: [
      ...['vaults', 'policies', 'vault_payments', 'vault_recipient_logs', 'vault_proposals'],
      'chain_logs',
      'wallet_links',
    ],
    reason: 'the engine, limits and unrecorded payments match payments with vaults and their logs',
  },
  {
    module: 'analysis',
    tables: [
      ...['expenses', 'expense_revisions', 'memberships', 'recipients', 'organizations'],
      'revision_attachments',
    ],
    reason: 'facts of a run, and reports to seal, are read with their expenses in one statement',
  },
  {
    module: 'analysis',
    tables: ['vault_payments', 'wallet_links'],
    reason: 'checks compare an expense with past payments and with the wallets of members',
  },
  {
    module: 'approvals',
    tables: ['accounts', 'memberships', 'wallet_roles', 'wallets'],
    reason: 'approvers are active members whose wallets have the role',
  },
  {
    module: 'approvals',
    tables: ['expense_revisions', 'policies', 'vaults', 'vault_recipients'],
    reason: 'approvals that a vault refuses now are found in one statement',
  },
  {
    module: 'funding',
    tables: ['chain_logs', 'wallet_roles', 'wallets'],
    reason: 'a control belongs to an owner wallet, and its deposits are found in the logs',
  },
  { module: 'support', tables: ['profiles'], reason: 'cases and messages show names of members' },
  {
    module: 'push',
    tables: [
      ...['accounts', 'memberships', 'wallet_roles', 'live_events', 'expenses', 'payments'],
      'payment_signatures',
    ],
    reason: 'notifications follow live events to the members who must act',
  },
  {
    module: 'push',
    tables: ['profiles'],
    reason: 'preferences show the address that e-mails go to',
  },
  {
    module: 'email',
    tables: ['accounts', 'profiles'],
    reason: 'e-mails go to the verified address of an active account',
  },
  {
    module: 'email',
    tables: ['expenses', 'expense_revisions', 'support_cases'],
    reason: 'an e-mail names what its event is about',
  },
  {
    module: 'email',
    tables: ['invitations', 'organizations', 'memberships'],
    reason: 'an invitation is sent with the names of its organization and inviter',
  },
  {
    module: 'executor',
    tables: ['vaults', 'policies', 'policy_intents', 'vault_proposals', 'payments'],
    reason: 'an executor takes over when a policy names it, and ends when nothing needs it',
  },
  {
    module: 'executor',
    tables: ['policy_activations'],
    reason: 'an executor is retired once its lane has settled everything',
  },
  {
    module: 'health',
    tables: ['executor_bindings', 'executor_provisionings', 'worker_processes'],
    reason: 'health observes the parts of other modules, as the observer',
  },
  {
    module: 'health',
    tables: [
      ...['chain_watches', 'live_events', 'payments', 'reports', 'unrecorded_payments', 'vaults'],
    ],
    reason: 'health counts what needs attention in other modules, as the observer',
  },
  {
    module: 'live',
    tables: ['live_events', 'accounts', 'operators', 'memberships', 'organizations'],
    reason: 'streams read events and check access for many callers at once',
  },
  {
    module: 'live',
    tables: [
      ...['expenses', 'expense_revisions', 'agent_runs', 'approvals', 'payments', 'recipients'],
      ...['payment_signatures', 'support_cases', 'wallet_links', 'wallet_roles'],
    ],
    reason: 'the task list reads an expense with all that decides about it in one statement',
  },
  {
    module: 'webhooks',
    tables: ['live_events', 'profiles'],
    reason: 'webhooks deliver live events, and show who created them',
  },
  {
    module: 'admin',
    tables: [
      ...['agent_runs', 'approvals', 'audit_events', 'executor_bindings', 'expense_comments'],
      ...['executor_provisionings', 'expenses', 'memberships', 'organizations', 'payments'],
      ...['payment_attempts', 'payment_receipts', 'payment_signatures', 'policies', 'profiles'],
      'policy_intents',
      ...['recipients', 'reports', 'support_cases', 'support_notes', 'unrecorded_payments'],
      ...['vault_deployments', 'vault_pauses', 'vault_proposals', 'vault_recipients', 'vaults'],
      'wallet_links',
    ],
    reason: 'operators see all organizations; these reads run as the observer',
  },
]
