import { describe, expect, test } from 'vitest'
import { type Access, permissions } from './permissions.ts'

const org = '/v1/consumer/organizations/:organizationId'
const proofs = '/v1/admin/organizations/:organizationId/integration-proofs/ledger/signatures'
const exports = 'wallets/:walletId/export-requests'

/** The expected permissions, written by hand a second time: O owner, M manager, E employee. */
const expected: Record<string, string> = {
  'GET /health/live': 'anybody',
  'GET /health/ready': 'anybody',
  'GET /openapi.json': 'anybody',
  'GET /docs/': 'anybody',
  'GET /docs/js/scalar.js': 'anybody',

  'GET /v1/consumer/config': 'anybody',
  'PUT /v1/consumer/session': 'consumer token',
  'GET /v1/consumer/me': 'consumer account, even if disabled',
  'PATCH /v1/consumer/me': 'consumer account',
  'GET /v1/consumer/memberships': 'consumer account, even if disabled',
  'PUT /v1/admin/session': 'operator',
  'GET /v1/admin/me': 'operator',

  'GET /v1/consumer/organizations': 'consumer account',
  'POST /v1/consumer/organizations': 'consumer account',
  'POST /v1/consumer/invitations/:token/accept': 'consumer account',
  'POST /v1/consumer/email-unsubscriptions/:unsubscribeToken': 'anybody',

  [`GET ${org}/overview`]: 'O M E',
  [`GET ${org}/member-funds`]: 'O M E',
  [`GET ${org}/vaults`]: 'O M E',
  [`GET ${org}/vaults/:vaultId`]: 'O M E',
  [`GET ${org}/vault-deployments`]: 'O M',
  [`GET ${org}/vaults/:vaultId/policy-intents`]: 'O M',
  [`POST ${org}/vault`]: 'O',
  [`POST ${org}/vault-deployments/prepare`]: 'O',
  [`POST ${org}/vault-deployments/:intentId/confirm`]: 'O',
  [`POST ${org}/vaults/:vaultId/default`]: 'O',
  [`POST ${org}/vaults/:vaultId/archive`]: 'O',
  [`POST ${org}/vaults/:vaultId/policy-intents/prepare`]: 'O',
  [`POST ${org}/vaults/:vaultId/policy-intents/:intentId/confirm`]: 'O',
  [`POST ${org}/policies/sync`]: 'O M',
  [`GET ${org}/executor`]: 'O M',
  [`POST ${org}/executor/provision`]: 'O',
  [`POST ${org}/executor/reconcile`]: 'O M',

  [`PATCH ${org}`]: 'O',
  [`POST ${org}/leave`]: 'O M E',
  [`GET ${org}/members`]: 'O M E',
  [`POST ${org}/members/:membershipId/role`]: 'O',
  [`POST ${org}/members/:membershipId/revoke`]: 'O',
  [`POST ${org}/members/:membershipId/confirm`]: 'O',
  [`GET ${org}/pending-members`]: 'O',
  [`POST ${org}/wallet-roles`]: 'O',
  [`POST ${org}/wallet-roles/:walletRoleId/revoke`]: 'O',

  [`GET ${org}/invitations`]: 'O M',
  [`POST ${org}/invitations`]: 'O M',
  [`POST ${org}/invitations/:invitationId/revoke`]: 'O M',

  [`GET ${org}/recipients`]: 'O M E',
  [`POST ${org}/recipients`]: 'O M',
  [`POST ${org}/recipients/import`]: 'O M',
  [`PATCH ${org}/recipients/:recipientId`]: 'O M',
  [`POST ${org}/recipients/:recipientId/deactivate`]: 'O M',

  [`POST ${org}/attachments`]: 'O M E',
  [`GET ${org}/attachments/:attachmentId`]: 'O M E',
  [`GET ${org}/categories`]: 'O M E',
  [`PUT ${org}/categories`]: 'O M',
  [`GET ${org}/expense-counts`]: 'O M E',
  [`GET ${org}/expenses`]: 'O M E',
  [`POST ${org}/expenses`]: 'O M E',
  [`GET ${org}/expenses/:expenseId`]: 'O M E',
  [`POST ${org}/expenses/:expenseId/revisions`]: 'O M E',
  [`POST ${org}/expenses/:expenseId/submit`]: 'O M E',
  [`POST ${org}/expenses/:expenseId/review`]: 'O M',
  [`GET ${org}/expenses/:expenseId/comments`]: 'O M E',
  [`POST ${org}/expenses/:expenseId/comments`]: 'O M E',
  [`POST ${org}/expenses/:expenseId/cancel`]: 'O M E',
  [`GET ${org}/reports/:reportId`]: 'O M E',
  [`GET ${org}/expenses/:expenseId/revisions/:revision/report`]: 'O M E',

  [`POST ${org}/expenses/:expenseId/approvals/prepare`]: 'O M E with approver',
  [`POST ${org}/expenses/:expenseId/approvals/submit-signature`]: 'O M E with approver',
  [`POST ${org}/expenses/:expenseId/approvals/cancel-signing`]: 'O M E with approver',
  [`POST ${org}/approvals/:approvalId/invalidate`]: 'O M E',
  [`POST ${org}/expenses/:expenseId/payments`]: 'O M',
  [`GET ${org}/payments/:paymentId`]: 'O M E',
  [`POST ${org}/payments/:paymentId/reconcile`]: 'O M',
  [`GET ${org}/activity`]: 'O M E',
  [`GET ${org}/exports/payments.csv`]: 'O M',
  [`GET ${org}/exports/expenses.csv`]: 'O M',
  [`GET ${org}/spending`]: 'O M',

  [`GET ${org}/vaults/:vaultId/funding-control`]: 'O M',
  [`POST ${org}/vaults/:vaultId/funding-control`]: 'O',
  [`GET ${org}/provider-signer`]: 'O M',
  [`GET ${org}/provider-funding-actions`]: 'O M',
  [`POST ${org}/provider-funding-actions`]: 'O',
  [`GET ${org}/provider-funding-actions/:actionId`]: 'O M',

  [`GET ${org}/support-cases`]: 'O M E',
  [`POST ${org}/support-cases`]: 'O M E',
  [`GET ${org}/support-cases/:caseId`]: 'O M E',
  [`POST ${org}/support-cases/:caseId/messages`]: 'O M E',

  [`GET ${org}/webhooks`]: 'O',
  [`POST ${org}/webhooks`]: 'O',
  [`DELETE ${org}/webhooks/:webhookId`]: 'O',
  [`POST ${org}/webhooks/:webhookId/enable`]: 'O',
  [`POST ${org}/webhooks/:webhookId/ping`]: 'O',
  [`POST ${org}/webhooks/:webhookId/rotate-secret`]: 'O',
  [`GET ${org}/webhooks/:webhookId/deliveries`]: 'O',

  [`GET ${org}/audit-events`]: 'O',
  [`GET ${org}/audit-head`]: 'O',
  [`GET ${org}/exports/audit.jsonl`]: 'O',

  'GET /v1/admin/overview': 'operator',
  'GET /v1/admin/organizations': 'operator',
  'GET /v1/admin/organizations/:organizationId': 'operator',
  'GET /v1/admin/organizations/:organizationId/payments/:paymentId': 'operator',
  'GET /v1/admin/executors': 'operator',
  'GET /v1/admin/organizations/:organizationId/executor': 'operator',
  'POST /v1/admin/organizations/:organizationId/executor/reconcile': 'operator',
  'GET /v1/admin/failures': 'operator',
  'GET /v1/admin/audit-events': 'operator',
  'GET /v1/admin/support-cases': 'operator',
  'GET /v1/admin/support-cases/:caseId': 'operator',
  'POST /v1/admin/support-cases/:caseId/notes': 'operator',
  [`GET ${org}/live/snapshot`]: 'O M E',
  'GET /v1/admin/live/snapshot': 'operator',
  [`GET ${org}/live/stream`]: 'O M E',
  'GET /v1/admin/live/stream': 'operator',

  'GET /v1/consumer/push/config': 'consumer account',
  'POST /v1/consumer/push/subscriptions': 'consumer account',
  'DELETE /v1/consumer/push/subscriptions': 'consumer account',
  'GET /v1/consumer/push/subscriptions': 'consumer account',
  'DELETE /v1/consumer/push/subscriptions/:subscriptionId': 'consumer account',
  'GET /v1/consumer/notifications/:eventId': 'consumer account',
  'GET /v1/consumer/notification-preferences': 'consumer account',
  'PUT /v1/consumer/notification-preferences': 'consumer account',

  'GET /v1/admin/integrations/status': 'operator',
  [`GET ${proofs}`]: 'operator',
  [`POST ${proofs}`]: 'operator',
  [`GET ${proofs}/:id`]: 'operator',
  [`POST ${proofs}/:id/claim`]: 'operator',
  [`POST ${proofs}/:id/confirm`]: 'operator',

  [`GET ${org}/unrecorded-payments`]: 'O M',
  [`POST ${org}/unrecorded-payments/:unrecordedPaymentId/acknowledge`]: 'O',

  'GET /v1/consumer/wallets/': 'consumer account',
  'POST /v1/consumer/wallets/': 'consumer account',
  'POST /v1/consumer/wallets/link-challenges': 'consumer account',
  'POST /v1/consumer/wallets/links': 'consumer account',
  'POST /v1/consumer/wallets/:walletId/unlink': 'consumer account',
  [`POST /v1/consumer/${exports}`]: 'consumer account',
  [`POST /v1/consumer/${exports}/:requestId/complete`]: 'consumer account',
  [`POST /v1/consumer/${exports}/:requestId/cancel`]: 'consumer account',
  'GET /v1/admin/wallets/': 'operator',
  'POST /v1/admin/wallets/': 'operator',
  [`POST /v1/admin/${exports}`]: 'operator',
  [`POST /v1/admin/${exports}/:requestId/complete`]: 'operator',
  [`POST /v1/admin/${exports}/:requestId/cancel`]: 'operator',
}

/** Called without a token: by an application before sign-in, and from a link in an e-mail. */
const withoutToken = [
  'GET /v1/consumer/config',
  'POST /v1/consumer/email-unsubscriptions/:unsubscribeToken',
]

const inWords = {
  token: 'consumer token',
  account: 'consumer account, even if disabled',
  active_account: 'consumer account',
  operator: 'operator',
}
const letters = { owner: 'O', manager: 'M', employee: 'E' }

function describeAccess(access: Access): string {
  if (access.realm === 'public') return 'anybody'
  if ('needs' in access) return inWords[access.needs]
  const roles = access.roles.map((role) => letters[role]).join(' ')
  return access.walletRole ? `${roles} with ${access.walletRole}` : roles
}

describe('the permission table', () => {
  test('matches the expected permissions of every route', () => {
    const actual = Object.entries(permissions).map(([route, access]) => [
      route,
      describeAccess(access),
    ])
    expect(Object.fromEntries(actual)).toEqual(expected)
  })

  test.each(Object.entries(permissions))('%s has the realm of its path', (route, access) => {
    const realm = /^[A-Z]+ \/v1\/(consumer|admin)\//.exec(route)?.[1] ?? 'public'
    expect(access.realm).toBe(withoutToken.includes(route) ? 'public' : realm)
  })

  test('every consumer route with an organizationId requires a role', () => {
    const loose = Object.entries(permissions).filter(
      ([route, access]) =>
        access.realm !== 'admin' && route.includes(':organizationId') !== 'roles' in access,
    )
    expect(loose).toEqual([])
  })
})
