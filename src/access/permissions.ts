/**
 * The permission table of the whole service: route to realm, roles and wallet role. A route that is
 * missing here stops the service from starting. Rules that depend on data ("managers invite only
 * employees", "own expenses") are in the commands.
 */
export type Role = 'owner' | 'manager' | 'employee'
export type WalletRole = 'treasury_owner' | 'approver'

/** The caller, as a member of the organization in the path. */
export type Member = {
  organizationId: string
  membershipId: string
  accountId: string
  role: Role
  requestId: string
}

export type Access =
  /** `isLimited`: counts towards the per-address rate limit, like a request without a token. */
  | { realm: 'public'; isLimited?: true }
  /** `token`: no account needed yet. `account`: a disabled account may call it too. */
  | { realm: 'consumer'; needs: 'token' | 'account' | 'active_account' }
  | { realm: 'consumer'; roles: readonly Role[]; walletRole?: WalletRole }
  | { realm: 'admin'; needs: 'operator' }

const everyone = { realm: 'consumer', roles: ['owner', 'manager', 'employee'] } as const
const managers = { realm: 'consumer', roles: ['owner', 'manager'] } as const
const owners = { realm: 'consumer', roles: ['owner'] } as const
const approvers = { ...everyone, walletRole: 'approver' } as const
const account = { realm: 'consumer', needs: 'active_account' } as const
const operator = { realm: 'admin', needs: 'operator' } as const
const open = { realm: 'public' } as const
const openLimited = { ...open, isLimited: true } as const

const org = '/v1/consumer/organizations/:organizationId'
const adminOrg = '/v1/admin/organizations/:organizationId'
const ledgerProofs = `${adminOrg}/integration-proofs/ledger/signatures`

/** Owners and managers. */
export const isManager = ({ role }: { role: Role }): boolean =>
  managers.roles.some((managing) => managing === role)

export const permissions: Record<string, Access> = {
  'GET /health/live': open,
  'GET /health/ready': open,
  'GET /openapi.json': openLimited,
  'GET /docs/': openLimited,
  'GET /docs/js/scalar.js': openLimited,

  // Public: applications need it before anybody signs in, and it contains no secret.
  'GET /v1/consumer/config': openLimited,
  'PUT /v1/consumer/session': { realm: 'consumer', needs: 'token' },
  'GET /v1/consumer/me': { realm: 'consumer', needs: 'account' },
  'PATCH /v1/consumer/me': account,
  'GET /v1/consumer/memberships': { realm: 'consumer', needs: 'account' },
  'PUT /v1/admin/session': operator,
  'GET /v1/admin/me': operator,

  'GET /v1/consumer/wallets/': account,
  'POST /v1/consumer/wallets/': account,
  'POST /v1/consumer/wallets/link-challenges': account,
  'POST /v1/consumer/wallets/links': account,
  'POST /v1/consumer/wallets/:walletId/unlink': account,
  'POST /v1/consumer/wallets/:walletId/export-requests': account,
  'POST /v1/consumer/wallets/:walletId/export-requests/:requestId/complete': account,
  'POST /v1/consumer/wallets/:walletId/export-requests/:requestId/cancel': account,
  'GET /v1/admin/wallets/': operator,
  'POST /v1/admin/wallets/': operator,
  'POST /v1/admin/wallets/:walletId/export-requests': operator,
  'POST /v1/admin/wallets/:walletId/export-requests/:requestId/complete': operator,
  'POST /v1/admin/wallets/:walletId/export-requests/:requestId/cancel': operator,

  'GET /v1/consumer/organizations': account,
  'POST /v1/consumer/organizations': account,
  'POST /v1/consumer/invitations/:token/accept': account,

  'GET /v1/consumer/push/config': account,
  'POST /v1/consumer/push/subscriptions': account,
  'DELETE /v1/consumer/push/subscriptions': account,
  'GET /v1/consumer/push/subscriptions': account,
  'DELETE /v1/consumer/push/subscriptions/:subscriptionId': account,
  'GET /v1/consumer/notifications/:eventId': account,
  'GET /v1/consumer/notification-preferences': account,
  'PUT /v1/consumer/notification-preferences': account,
  // The token in the path authorises it, and only to switch off one kind of e-mail.
  'POST /v1/consumer/email-unsubscriptions/:unsubscribeToken': open,

  [`GET ${org}/overview`]: everyone,
  [`GET ${org}/member-funds`]: everyone,
  [`GET ${org}/vaults`]: everyone,
  [`GET ${org}/vaults/:vaultId`]: everyone,
  [`POST ${org}/vault`]: owners,
  [`GET ${org}/vault-deployments`]: managers,
  [`POST ${org}/vault-deployments/prepare`]: owners,
  [`POST ${org}/vault-deployments/:intentId/confirm`]: owners,
  [`POST ${org}/vaults/:vaultId/default`]: owners,
  [`POST ${org}/vaults/:vaultId/archive`]: owners,
  [`GET ${org}/vaults/:vaultId/policy-intents`]: managers,
  [`POST ${org}/vaults/:vaultId/policy-intents/prepare`]: owners,
  [`POST ${org}/vaults/:vaultId/policy-intents/:intentId/confirm`]: owners,
  [`POST ${org}/policies/sync`]: managers,
  [`GET ${org}/executor`]: managers,
  [`POST ${org}/executor/provision`]: owners,
  [`POST ${org}/executor/reconcile`]: managers,

  [`PATCH ${org}`]: owners,
  [`POST ${org}/leave`]: everyone,
  [`GET ${org}/members`]: everyone,
  [`POST ${org}/members/:membershipId/role`]: owners,
  [`POST ${org}/members/:membershipId/revoke`]: owners,
  [`POST ${org}/members/:membershipId/confirm`]: owners,
  [`GET ${org}/pending-members`]: owners,
  [`POST ${org}/wallet-roles`]: owners,
  [`POST ${org}/wallet-roles/:walletRoleId/revoke`]: owners,

  [`GET ${org}/invitations`]: managers,
  [`POST ${org}/invitations`]: managers,
  [`POST ${org}/invitations/:invitationId/revoke`]: managers,

  [`GET ${org}/audit-events`]: owners,
  [`GET ${org}/audit-head`]: owners,
  [`GET ${org}/exports/audit.jsonl`]: owners,

  [`GET ${org}/recipients`]: everyone,
  [`POST ${org}/recipients`]: managers,
  [`POST ${org}/recipients/import`]: managers,
  [`PATCH ${org}/recipients/:recipientId`]: managers,
  [`POST ${org}/recipients/:recipientId/deactivate`]: managers,

  [`POST ${org}/attachments`]: everyone,
  [`GET ${org}/attachments/:attachmentId`]: everyone,
  [`GET ${org}/categories`]: everyone,
  [`PUT ${org}/categories`]: managers,

  [`GET ${org}/expenses`]: everyone,
  [`POST ${org}/expenses`]: everyone,
  [`GET ${org}/expense-counts`]: everyone,
  [`GET ${org}/expenses/:expenseId`]: everyone,
  [`POST ${org}/expenses/:expenseId/revisions`]: everyone,
  [`POST ${org}/expenses/:expenseId/submit`]: everyone,
  [`POST ${org}/expenses/:expenseId/review`]: managers,
  [`GET ${org}/expenses/:expenseId/comments`]: everyone,
  [`POST ${org}/expenses/:expenseId/comments`]: everyone,
  [`POST ${org}/expenses/:expenseId/cancel`]: everyone,
  [`GET ${org}/reports/:reportId`]: everyone,
  [`GET ${org}/expenses/:expenseId/revisions/:revision/report`]: everyone,

  [`POST ${org}/expenses/:expenseId/approvals/prepare`]: approvers,
  [`POST ${org}/expenses/:expenseId/approvals/submit-signature`]: approvers,
  [`POST ${org}/expenses/:expenseId/approvals/cancel-signing`]: approvers,
  [`POST ${org}/approvals/:approvalId/invalidate`]: everyone,
  [`POST ${org}/expenses/:expenseId/payments`]: managers,
  [`GET ${org}/payments/:paymentId`]: everyone,
  [`POST ${org}/payments/:paymentId/reconcile`]: managers,
  [`GET ${org}/activity`]: everyone,
  [`GET ${org}/exports/payments.csv`]: managers,
  [`GET ${org}/exports/expenses.csv`]: managers,
  [`GET ${org}/spending`]: managers,
  [`GET ${org}/unrecorded-payments`]: managers,
  [`POST ${org}/unrecorded-payments/:unrecordedPaymentId/acknowledge`]: owners,

  [`GET ${org}/vaults/:vaultId/funding-control`]: managers,
  [`POST ${org}/vaults/:vaultId/funding-control`]: owners,
  [`GET ${org}/provider-signer`]: managers,
  [`GET ${org}/provider-funding-actions`]: managers,
  [`POST ${org}/provider-funding-actions`]: owners,
  [`GET ${org}/provider-funding-actions/:actionId`]: managers,

  'GET /v1/admin/integrations/status': operator,
  [`POST ${ledgerProofs}`]: operator,
  [`GET ${ledgerProofs}`]: operator,
  [`GET ${ledgerProofs}/:id`]: operator,
  [`POST ${ledgerProofs}/:id/claim`]: operator,
  [`POST ${ledgerProofs}/:id/confirm`]: operator,
  [`POST ${org}/support-cases`]: everyone,
  [`GET ${org}/support-cases`]: everyone,
  [`GET ${org}/support-cases/:caseId`]: everyone,
  [`POST ${org}/support-cases/:caseId/messages`]: everyone,

  'GET /v1/admin/overview': operator,
  'GET /v1/admin/organizations': operator,
  'GET /v1/admin/organizations/:organizationId': operator,
  'GET /v1/admin/organizations/:organizationId/payments/:paymentId': operator,
  'GET /v1/admin/executors': operator,
  'GET /v1/admin/organizations/:organizationId/executor': operator,
  'POST /v1/admin/organizations/:organizationId/executor/reconcile': operator,
  'GET /v1/admin/failures': operator,
  'GET /v1/admin/audit-events': operator,
  'GET /v1/admin/support-cases': operator,
  'GET /v1/admin/support-cases/:caseId': operator,
  'POST /v1/admin/support-cases/:caseId/notes': operator,
  [`GET ${org}/webhooks`]: owners,
  [`POST ${org}/webhooks`]: owners,
  [`DELETE ${org}/webhooks/:webhookId`]: owners,
  [`POST ${org}/webhooks/:webhookId/rotate-secret`]: owners,
  [`POST ${org}/webhooks/:webhookId/enable`]: owners,
  [`POST ${org}/webhooks/:webhookId/ping`]: owners,
  [`GET ${org}/webhooks/:webhookId/deliveries`]: owners,
  [`GET ${org}/live/snapshot`]: everyone,
  'GET /v1/admin/live/snapshot': operator,
  [`GET ${org}/live/stream`]: everyone,
  'GET /v1/admin/live/stream': operator,
}
