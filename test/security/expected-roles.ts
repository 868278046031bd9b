/** What each role may do. */
import type { Role } from '#access/permissions.ts'

export const org = '/v1/consumer/organizations/:organizationId'
export const NO = 'role_required'
/** For every role. */
const NO_WALLET = 'approver_wallet_required'

/**
 * The expected result for each role, written by hand from the product's rules, not read from code.
 */
export const expectedByRole: Record<string, Record<Role, number | typeof NO | typeof NO_WALLET>> = {
  [`GET ${org}/overview`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/member-funds`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/vaults`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/vaults/:vaultId`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/vault-deployments`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/vaults/:vaultId/policy-intents`]: { owner: 200, manager: 200, employee: NO },
  // The chain is unavailable here: operations that need it say so to permitted callers.
  [`POST ${org}/vault`]: { owner: 503, manager: NO, employee: NO },
  [`POST ${org}/vault-deployments/prepare`]: { owner: 201, manager: NO, employee: NO },
  [`POST ${org}/vault-deployments/:intentId/confirm`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/vaults/:vaultId/default`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/vaults/:vaultId/archive`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/vaults/:vaultId/policy-intents/prepare`]: {
    owner: 201,
    manager: NO,
    employee: NO,
  },
  [`POST ${org}/vaults/:vaultId/policy-intents/:intentId/confirm`]: {
    owner: 200,
    manager: NO,
    employee: NO,
  },
  [`POST ${org}/policies/sync`]: { owner: 503, manager: 503, employee: NO },
  [`GET ${org}/executor`]: { owner: 200, manager: 200, employee: NO },
  // One exists already.
  [`POST ${org}/executor/provision`]: { owner: 409, manager: NO, employee: NO },
  [`POST ${org}/executor/reconcile`]: { owner: 202, manager: 202, employee: NO },
  [`PATCH ${org}`]: { owner: 200, manager: NO, employee: NO },
  // The only owner cannot leave.
  [`POST ${org}/leave`]: { owner: 409, manager: 200, employee: 200 },
  [`GET ${org}/members`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/members/:membershipId/role`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/members/:membershipId/revoke`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/members/:membershipId/confirm`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/pending-members`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/wallet-roles`]: { owner: 201, manager: NO, employee: NO },
  [`POST ${org}/wallet-roles/:walletRoleId/revoke`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/invitations`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/invitations`]: { owner: 201, manager: 201, employee: NO },
  [`POST ${org}/invitations/:invitationId/revoke`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/audit-events`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/audit-head`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/exports/audit.jsonl`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/recipients`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/recipients`]: { owner: 201, manager: 201, employee: NO },
  [`POST ${org}/recipients/import`]: { owner: 201, manager: 201, employee: NO },
  [`PATCH ${org}/recipients/:recipientId`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/recipients/:recipientId/deactivate`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/attachments`]: { owner: 201, manager: 201, employee: 201 },
  [`GET ${org}/attachments/:attachmentId`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/categories`]: { owner: 200, manager: 200, employee: 200 },
  [`PUT ${org}/categories`]: { owner: 200, manager: 200, employee: NO },
  // The expenses are the employee's: only they change them, and only others review them.
  [`GET ${org}/expenses`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/expenses`]: { owner: 201, manager: 201, employee: 201 },
  [`GET ${org}/expenses/:expenseId`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/expenses/:expenseId/revisions`]: { owner: 403, manager: 403, employee: 201 },
  [`POST ${org}/expenses/:expenseId/submit`]: { owner: 403, manager: 403, employee: 202 },
  [`POST ${org}/expenses/:expenseId/review`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/expenses/:expenseId/comments`]: { owner: 201, manager: 201, employee: 201 },
  [`GET ${org}/expenses/:expenseId/comments`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/expenses/:expenseId/cancel`]: { owner: 403, manager: 403, employee: 200 },
  [`GET ${org}/reports/:reportId`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/expense-counts`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/expenses/:expenseId/revisions/:revision/report`]: {
    ...{ owner: 200, manager: 200, employee: 200 },
  },
  [`GET ${org}/exports/payments.csv`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/exports/expenses.csv`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/spending`]: { owner: 200, manager: 200, employee: NO },
  // The manager's wallet is the approver.
  [`POST ${org}/expenses/:expenseId/approvals/prepare`]: {
    owner: NO_WALLET,
    manager: 200,
    employee: NO_WALLET,
  },
  [`POST ${org}/expenses/:expenseId/approvals/submit-signature`]: {
    owner: NO_WALLET,
    manager: 202,
    employee: NO_WALLET,
  },
  [`POST ${org}/expenses/:expenseId/approvals/cancel-signing`]: {
    owner: NO_WALLET,
    manager: 200,
    employee: NO_WALLET,
  },
  [`POST ${org}/approvals/:approvalId/invalidate`]: { owner: 503, manager: 503, employee: 403 },
  [`POST ${org}/expenses/:expenseId/payments`]: { owner: 202, manager: 202, employee: NO },
  [`GET ${org}/payments/:paymentId`]: { owner: 200, manager: 200, employee: 200 },
  // Nothing of it has been sent yet.
  [`POST ${org}/payments/:paymentId/reconcile`]: { owner: 409, manager: 409, employee: NO },
  [`GET ${org}/activity`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/unrecorded-payments`]: { owner: 200, manager: 200, employee: 403 },
  [`POST ${org}/unrecorded-payments/:unrecordedPaymentId/acknowledge`]: {
    ...{ owner: 200, manager: 403, employee: 403 },
  },
  [`GET ${org}/vaults/:vaultId/funding-control`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/vaults/:vaultId/funding-control`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/provider-signer`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/provider-funding-actions`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/provider-funding-actions`]: { owner: 202, manager: NO, employee: NO },
  [`GET ${org}/provider-funding-actions/:actionId`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/support-cases`]: { owner: 201, manager: 201, employee: 201 },
  [`GET ${org}/support-cases`]: { owner: 200, manager: 200, employee: 200 },
  // The employee's case: owners see all cases, managers their own.
  [`GET ${org}/support-cases/:caseId`]: { owner: 200, manager: 404, employee: 200 },
  [`POST ${org}/support-cases/:caseId/messages`]: { owner: 201, manager: 404, employee: 201 },
  [`GET ${org}/webhooks`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/webhooks`]: { owner: 201, manager: NO, employee: NO },
  [`DELETE ${org}/webhooks/:webhookId`]: { owner: 204, manager: NO, employee: NO },
  [`POST ${org}/webhooks/:webhookId/rotate-secret`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/webhooks/:webhookId/enable`]: { owner: 409, manager: NO, employee: NO },
  [`POST ${org}/webhooks/:webhookId/ping`]: { owner: 202, manager: NO, employee: NO },
  [`GET ${org}/webhooks/:webhookId/deliveries`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/live/snapshot`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/live/stream`]: { owner: 200, manager: 200, employee: 200 },
}
