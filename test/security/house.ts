/** An organization with one resource of every kind. */
import { randomBytes, randomUUID } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { runAnalysis } from '#analysis/run-analysis.ts'
import { furnishPayments, post } from '#test/security/signing.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { uploaded } from '#test/support/attachments.ts'
import {
  writeDelivery,
  writeExecutor,
  writePendingMember,
  writePolicy,
  writeProof,
  writeVaults,
} from '#test/support/books.ts'
import { writeFunding } from '#test/support/funding-books.ts'
import { writeUnrecorded } from '#test/support/unrecorded-books.ts'

export const randomAddress = (): string => `0x${randomBytes(20).toString('hex')}`

export const signInWithWallet = (service: TestApp): Promise<Person> =>
  service.signIn(undefined, [{ address: randomAddress(), kind: 'external' }])

export type House = {
  organization: Organization
  manager: Person
  employee: Person
  /** A former member whose token is still valid. */
  revoked: Person
  membershipId: string
  /** A member whom an owner has not confirmed yet. */
  pendingMembershipId: string
  walletId: string
  walletRoleId: string
  invitationId: string
  recipientId: string
  /** Verified, but not the default vault. */
  vaultId: string
  defaultVaultId: string
  deploymentId: string
  policyIntentId: string
  /**
   * The employee's expenses: a draft, one with a report, one awaiting the signature of the
   * manager's wallet, and one that it has signed.
   */
  draftExpenseId: string
  /** Of the draft. */
  attachmentId: string
  reportedExpenseId: string
  reportId: string
  signableExpenseId: string
  approvalId: string
  signature: string
  signedExpenseId: string
  paymentId: string
  /** A ledger signature proof prepared by an operator. */
  proofId: string
  /** The funding signer of the default vault, and one of its deposits. */
  signerId: string
  policyId: string
  fundingActionId: string
  /** An open unrecorded payment of the default vault. */
  unrecordedPaymentId: string
  /** The employee's support case with an internal note, which no member can read. */
  caseId: string
  /** An active webhook of the owner. */
  webhookId: string
  /** Ids, addresses and names that nobody outside may see. */
  secrets: string[]
}

type Member = { membershipId: string; accountId: string; wallets: { address: string }[] }

export async function house(service: TestApp): Promise<House> {
  const organization = await createOrganization(service, await signInWithWallet(service))
  const { path } = organization
  const { token } = organization.owner
  const approver = privateKeyToAccount(generatePrivateKey())
  const manager = await joinOrganization(service, organization, {
    role: 'manager',
    person: await service.signIn(undefined, [{ address: approver.address, kind: 'external' }]),
  })
  const employee = await joinOrganization(service, organization, { role: 'employee' })
  const revoked = await joinOrganization(service, organization, { role: 'employee' })

  const { members } = (await service.call('GET', `${path}/members`, { token })).body
  const memberOf = (person: Person): Member =>
    members.find(({ accountId }: Member) => accountId === person.accountId)
  await post(service, `${path}/members/${memberOf(revoked).membershipId}/revoke`, { token })

  const { membershipId } = memberOf(manager)
  const [walletId = ''] = manager.walletIds
  const role = { membershipId, walletId, role: 'approver' }
  const walletRole = await post(service, `${path}/wallet-roles`, { token, body: role })
  const invitation = await post(service, `${path}/invitations`, {
    token,
    body: { role: 'employee' },
  })
  const recipient = await post(service, `${path}/recipients`, {
    token,
    body: { label: `Payee ${randomUUID()}`, address: randomAddress(), chainId: 31_337 },
  })
  const treasury = await furnishTreasury(service, organization, {
    approverAddresses: [approver.address.toLowerCase()],
    recipientAddress: recipient.address.toLowerCase(),
  })
  const { defaultVaultId } = treasury.ids
  const terms = termsOf({ defaultVaultId, recipientId: recipient.id })
  const expenses = await furnishExpenses(service, { organization, employee, terms })
  const signing = { organization, manager, employee, terms, approver }
  const payments = await furnishPayments(service, signing)
  const { accountId } = organization.owner
  const proofId = await writeProof(service, { organizationId: organization.id, accountId })
  const depositor = { membershipId, accountId: manager.accountId, vaultId: defaultVaultId }
  const webhook = await furnishWebhook(service, organization)
  const books = await writeFunding(service, { organizationId: organization.id, ...depositor })
  const { signerId, policyId, ...funding } = books
  const secrets = [
    ...[policyId, ...Object.values(funding), webhook.id, webhook.url],
    ...[organization.id, walletRole.id, walletRole.address, invitation.id, walletId],
    ...[recipient.id, recipient.label, recipient.address],
    ...treasury.secrets,
    ...expenses.secrets,
    ...payments.secrets,
    ...secretsOf(members),
  ]
  return {
    organization,
    manager,
    employee,
    revoked,
    membershipId,
    walletId,
    walletRoleId: walletRole.id,
    invitationId: invitation.id,
    recipientId: recipient.id,
    ...treasury.ids,
    ...expenses.ids,
    ...payments.ids,
    ...{ proofId, webhookId: webhook.id, signerId, policyId, fundingActionId: funding.actionId },
    secrets: [...new Set<string>(secrets)],
  }
}

const secretsOf = (members: readonly Member[]): string[] =>
  members.flatMap(({ membershipId, accountId, wallets }) => [
    membershipId,
    accountId,
    ...wallets.map(({ address }) => address),
  ])

/**
 * Two vaults, an executor and an intent of each kind; the owner's wallet is a treasury owner, and a
 * member awaits confirmation.
 */
async function furnishTreasury(
  service: TestApp,
  organization: Organization,
  named: { approverAddresses: string[]; recipientAddress: string },
) {
  const { id, path, owner, ownerMembershipId: membershipId } = organization
  const { token } = owner
  const [walletId = ''] = owner.walletIds
  const role = { membershipId, walletId, role: 'treasury_owner' }
  const walletRole = await post(service, `${path}/wallet-roles`, { token, body: role })
  const pendingMembershipId = await writePendingMember(service, organization)
  const vaults = await writeVaults(service, id)
  const executor = await writeExecutor(service, id)
  const [main = '', vaultId = ''] = vaults.ids
  const { address: executorAddress } = executor
  await writePolicy(service, { organizationId: id, vaultId: main, executorAddress, ...named })
  const deployment = await post(service, `${path}/vault-deployments/prepare`, {
    token,
    body: { label: 'Next' },
  })
  const policy = await post(service, `${path}/vaults/${vaultId}/policy-intents/prepare`, {
    token,
    body: policyBody(),
  })
  const unrecorded = await writeUnrecorded(service, { organizationId: id, vaultId: main })
  return {
    ids: {
      pendingMembershipId,
      vaultId,
      defaultVaultId: main,
      unrecordedPaymentId: unrecorded.id,
      deploymentId: deployment.id,
      policyIntentId: policy.id,
    },
    secrets: [
      ...[...vaults.ids, ...vaults.addresses, ...Object.values(executor)],
      ...[walletRole.id, pendingMembershipId],
      ...[unrecorded.id, unrecorded.chainPaymentId, unrecorded.transactionHash],
    ],
  }
}

async function furnishWebhook(service: TestApp, { id, path, owner }: Organization) {
  const webhook = await post(service, `${path}/webhooks`, {
    token: owner.token,
    // An address of the public internet, so that no name is resolved.
    body: { url: `https://93.184.216.34/${randomUUID()}`, kinds: ['payment.changed'] },
  })
  await writeDelivery(service, { organizationId: id, webhookId: webhook.id })
  return webhook
}

type ExpenseParties = Pick<House, 'defaultVaultId' | 'recipientId'>

export const termsOf = ({ defaultVaultId, recipientId }: ExpenseParties) => ({
  vaultId: defaultVaultId,
  recipientId,
  purpose: `Invoice ${randomUUID()}`,
  amountBaseUnits: '90',
  requestedMode: 'approved',
})

/** A draft and a submitted expense with its comment and report. */
async function furnishExpenses(
  service: TestApp,
  {
    organization,
    employee,
    terms,
  }: { organization: Organization; employee: Person; terms: object },
) {
  const path = `${organization.path}/expenses`
  const { token } = employee
  const disposition = `attachment; filename="${randomUUID()}.pdf"`
  const attachment = await uploaded(service, organization, { person: employee, disposition })
  const category = { code: randomUUID(), name: `Category ${randomUUID()}` }
  await service.call('PUT', `${organization.path}/categories`, {
    token: organization.owner.token,
    body: { categories: [category] },
  })
  const details = { attachmentIds: [attachment.id], category: category.code }
  const draft = await post(service, path, { token, body: { ...terms, ...details } })
  const reported = await post(service, path, { token, body: terms })
  const comment = { body: `Comment ${randomUUID()}` }
  await post(service, `${path}/${reported.id}/comments`, { token, body: comment })
  const submitted = await post(service, `${path}/${reported.id}/submit`, {
    token,
    body: { expectedVersion: 1 },
  })
  const run = { organizationId: organization.id, runId: submitted.taskId }
  await runAnalysis(service.ctx, run)
  const { body: expense } = await service.call('GET', `${path}/${reported.id}`, { token })
  expect(expense.state).toBe('needs_review')
  const { currentReportId: reportId } = expense
  const report = await service.call('GET', `${organization.path}/reports/${reportId}`, { token })
  return {
    ids: {
      draftExpenseId: draft.id,
      reportedExpenseId: reported.id,
      reportId,
      attachmentId: attachment.id,
    },
    secrets: [
      ...[reportId, submitted.taskId, report.body.reportHash, report.body.output.summary],
      ...[expense.comments[0].id, comment.body, draft.revision.purpose],
      ...[attachment.id, attachment.name, attachment.sha256, category.code, category.name],
      ...[draft, reported].flatMap(({ id, paymentId, revision }) => [
        ...[id, paymentId, revision.versionHash],
      ]),
    ],
  }
}

export const policyBody = () => ({
  approvedCap: '1000',
  automaticCap: '100',
  lifetimeCap: '10000',
  reserveFloor: '0',
  expiresAt: '2099-01-01T00:00:00Z',
  automaticEnabled: true,
  paused: false,
})
