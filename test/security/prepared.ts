/** A valid request for each route of an organization. */
import { randomBytes, randomUUID } from 'node:crypto'
import { type House, policyBody, randomAddress, termsOf } from '#test/security/house.ts'
import { PDF, pdf } from '#test/support/attachments.ts'

const randomHash = (): string => `0x${randomBytes(32).toString('hex')}`

export type Prepared = {
  params?: Record<string, string>
  body?: unknown
  /** A file, which is sent as the body. */
  raw?: Buffer
  headers?: Record<string, string>
}

const org = '/v1/consumer/organizations/:organizationId'

/** What a member in the right role would send, with ids of existing resources. */
export const prepared: Record<string, (house: House) => Prepared> = {
  [`GET ${org}/overview`]: () => ({}),
  [`GET ${org}/member-funds`]: () => ({}),
  [`GET ${org}/vaults`]: () => ({}),
  [`GET ${org}/vaults/:vaultId`]: ({ defaultVaultId: vaultId }) => ({ params: { vaultId } }),
  [`GET ${org}/vault-deployments`]: () => ({}),
  [`GET ${org}/vaults/:vaultId/policy-intents`]: ({ vaultId }) => ({ params: { vaultId } }),
  [`POST ${org}/vault`]: () => ({
    body: { address: randomAddress(), deploymentTransactionHash: randomHash() },
  }),
  [`POST ${org}/vault-deployments/prepare`]: () => ({ body: { label: 'Another' } }),
  [`POST ${org}/vault-deployments/:intentId/confirm`]: ({ deploymentId: intentId }) => ({
    params: { intentId },
    body: { transactionHash: randomHash() },
  }),
  [`POST ${org}/vaults/:vaultId/default`]: ({ vaultId }) => ({ params: { vaultId } }),
  [`POST ${org}/vaults/:vaultId/archive`]: ({ vaultId }) => ({ params: { vaultId } }),
  [`POST ${org}/vaults/:vaultId/policy-intents/prepare`]: ({ vaultId }) => ({
    params: { vaultId },
    body: policyBody(),
  }),
  [`POST ${org}/vaults/:vaultId/policy-intents/:intentId/confirm`]: (house) => ({
    params: { vaultId: house.vaultId, intentId: house.policyIntentId },
    body: { transactionHash: randomHash() },
  }),
  [`POST ${org}/policies/sync`]: () => ({ body: { chainTransactionHash: randomHash() } }),
  [`GET ${org}/executor`]: () => ({}),
  [`POST ${org}/executor/provision`]: () => ({}),
  [`POST ${org}/executor/reconcile`]: () => ({}),
  [`PATCH ${org}`]: () => ({ body: { name: 'Acme & Co' } }),
  [`POST ${org}/leave`]: () => ({}),
  [`GET ${org}/members`]: () => ({}),
  [`POST ${org}/members/:membershipId/role`]: ({ membershipId }) => ({
    params: { membershipId },
    body: { role: 'owner' },
  }),
  [`POST ${org}/members/:membershipId/revoke`]: ({ membershipId }) => ({
    params: { membershipId },
  }),
  [`POST ${org}/members/:membershipId/confirm`]: ({ pendingMembershipId: membershipId }) => ({
    params: { membershipId },
  }),
  [`GET ${org}/pending-members`]: () => ({}),
  [`POST ${org}/wallet-roles`]: ({ membershipId, walletId }) => ({
    body: { membershipId, walletId, role: 'treasury_owner' },
  }),
  [`POST ${org}/wallet-roles/:walletRoleId/revoke`]: ({ walletRoleId }) => ({
    params: { walletRoleId },
  }),
  [`GET ${org}/invitations`]: () => ({}),
  [`POST ${org}/invitations`]: () => ({ body: { role: 'employee' } }),
  [`POST ${org}/invitations/:invitationId/revoke`]: ({ invitationId }) => ({
    params: { invitationId },
  }),
  [`GET ${org}/audit-events`]: () => ({}),
  [`GET ${org}/audit-head`]: () => ({}),
  [`GET ${org}/exports/audit.jsonl`]: () => ({}),
  [`GET ${org}/recipients`]: () => ({}),
  [`POST ${org}/recipients`]: () => ({
    body: { label: 'Somebody', address: randomAddress(), chainId: 31_337 },
  }),
  [`POST ${org}/recipients/import`]: () => ({
    body: { recipients: [{ label: 'Somebody', address: randomAddress(), chainId: 31_337 }] },
  }),
  [`PATCH ${org}/recipients/:recipientId`]: ({ recipientId }) => ({
    params: { recipientId },
    body: { label: 'Somebody else' },
  }),
  [`POST ${org}/recipients/:recipientId/deactivate`]: ({ recipientId }) => ({
    params: { recipientId },
  }),
  [`POST ${org}/attachments`]: () => ({
    raw: pdf(),
    headers: { 'content-type': PDF, 'content-disposition': 'attachment; filename=a.pdf' },
  }),
  [`GET ${org}/attachments/:attachmentId`]: ({ attachmentId }) => ({ params: { attachmentId } }),
  [`GET ${org}/categories`]: () => ({}),
  [`PUT ${org}/categories`]: () => ({ body: { categories: [{ code: '6670', name: 'Travel' }] } }),
  [`GET ${org}/expenses`]: () => ({}),
  [`POST ${org}/expenses`]: (house) => ({ body: termsOf(house) }),
  [`GET ${org}/expenses/:expenseId`]: ({ reportedExpenseId: expenseId }) => ({
    params: { expenseId },
  }),
  [`POST ${org}/expenses/:expenseId/revisions`]: (house) => ({
    params: { expenseId: house.draftExpenseId },
    body: { ...termsOf(house), expectedVersion: 1, reason: 'The amount was wrong' },
  }),
  [`POST ${org}/expenses/:expenseId/submit`]: ({ draftExpenseId: expenseId }) => ({
    params: { expenseId },
    body: { expectedVersion: 1 },
  }),
  [`POST ${org}/expenses/:expenseId/review`]: ({ reportedExpenseId: expenseId }) => ({
    params: { expenseId },
    body: { expectedVersion: 1, action: 'advance_to_approval', reason: 'As agreed' },
  }),
  [`GET ${org}/expenses/:expenseId/comments`]: ({ reportedExpenseId: expenseId }) => ({
    params: { expenseId },
  }),
  [`POST ${org}/expenses/:expenseId/comments`]: ({ reportedExpenseId: expenseId }) => ({
    params: { expenseId },
    body: { body: 'Where is the invoice?' },
  }),
  [`POST ${org}/expenses/:expenseId/cancel`]: ({ draftExpenseId: expenseId }) => ({
    params: { expenseId },
    body: { expectedVersion: 1 },
  }),
  [`GET ${org}/expense-counts`]: () => ({}),
  [`GET ${org}/expenses/:expenseId/revisions/:revision/report`]: ({ reportedExpenseId }) => ({
    params: { expenseId: reportedExpenseId, revision: '1' },
  }),
  [`GET ${org}/exports/payments.csv`]: () => ({}),
  [`GET ${org}/exports/expenses.csv`]: () => ({}),
  [`GET ${org}/spending`]: () => ({}),
  [`GET ${org}/reports/:reportId`]: ({ reportId }) => ({ params: { reportId } }),
  [`POST ${org}/expenses/:expenseId/approvals/prepare`]: (house) => ({
    params: { expenseId: house.signableExpenseId },
    body: { expectedVersion: 1 },
  }),
  [`POST ${org}/expenses/:expenseId/approvals/submit-signature`]: (house) => ({
    params: { expenseId: house.signableExpenseId },
    body: { expectedVersion: 1, approvalId: house.approvalId, signature: house.signature },
  }),
  [`POST ${org}/expenses/:expenseId/approvals/cancel-signing`]: (house) => ({
    params: { expenseId: house.signableExpenseId },
    body: { expectedVersion: 1, approvalId: house.approvalId },
  }),
  [`POST ${org}/approvals/:approvalId/invalidate`]: ({ approvalId }) => ({
    params: { approvalId },
    body: { transactionHash: randomHash() },
  }),
  [`POST ${org}/expenses/:expenseId/payments`]: ({ signedExpenseId: expenseId }) => ({
    params: { expenseId },
    body: { expectedVersion: 1 },
  }),
  [`GET ${org}/payments/:paymentId`]: ({ paymentId }) => ({ params: { paymentId } }),
  [`POST ${org}/payments/:paymentId/reconcile`]: ({ paymentId }) => ({
    params: { paymentId },
    body: { expectedVersion: 1 },
  }),
  [`GET ${org}/activity`]: () => ({}),
  [`GET ${org}/unrecorded-payments`]: () => ({}),
  [`POST ${org}/unrecorded-payments/:unrecordedPaymentId/acknowledge`]: (house) => ({
    params: { unrecordedPaymentId: house.unrecordedPaymentId },
    body: { reason: 'Sent by the previous executor' },
  }),
  [`GET ${org}/vaults/:vaultId/funding-control`]: ({ defaultVaultId: vaultId }) => ({
    params: { vaultId },
  }),
  [`POST ${org}/vaults/:vaultId/funding-control`]: (house) => ({
    params: { vaultId: house.defaultVaultId },
    body: { signerId: house.signerId, providerPolicyId: house.policyId },
  }),
  [`GET ${org}/provider-signer`]: () => ({}),
  [`GET ${org}/provider-funding-actions`]: () => ({}),
  [`POST ${org}/provider-funding-actions`]: () => ({
    body: { action: 'withdraw_probe', amountBaseUnits: '1', idempotencyKey: randomUUID() },
  }),
  [`GET ${org}/provider-funding-actions/:actionId`]: ({ fundingActionId: actionId }) => ({
    params: { actionId },
  }),
  // The employee's own expense, which every role may ask about.
  [`POST ${org}/support-cases`]: ({ signedExpenseId: expenseId, paymentId }) => ({
    body: { subject: 'It does not arrive', priority: 3, expenseId, paymentId },
  }),
  [`GET ${org}/support-cases`]: () => ({}),
  [`GET ${org}/support-cases/:caseId`]: ({ caseId }) => ({ params: { caseId } }),
  [`POST ${org}/support-cases/:caseId/messages`]: ({ caseId }) => ({
    params: { caseId },
    body: { body: 'It still does not arrive.' },
  }),
  [`GET ${org}/webhooks`]: () => ({}),
  // An address of the public internet, so that no name is resolved.
  [`POST ${org}/webhooks`]: () => ({
    body: { url: 'https://93.184.216.34/hooks', kinds: ['payment.changed'] },
  }),
  [`DELETE ${org}/webhooks/:webhookId`]: ({ webhookId }) => ({ params: { webhookId } }),
  [`POST ${org}/webhooks/:webhookId/rotate-secret`]: ({ webhookId }) => ({ params: { webhookId } }),
  // The house's webhook is active.
  [`POST ${org}/webhooks/:webhookId/enable`]: ({ webhookId }) => ({ params: { webhookId } }),
  [`POST ${org}/webhooks/:webhookId/ping`]: ({ webhookId }) => ({ params: { webhookId } }),
  [`GET ${org}/webhooks/:webhookId/deliveries`]: ({ webhookId }) => ({ params: { webhookId } }),
  [`GET ${org}/live/snapshot`]: () => ({}),
  [`GET ${org}/live/stream`]: () => ({}),
}
