/** An organization with something of every kind, and a good request for each of its routes. */
import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { runAnalysis } from '#analysis/run-analysis.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { writeExecutor, writePolicy, writeVaults } from '#test/support/books.ts'

export const randomAddress = (): string => `0x${randomBytes(20).toString('hex')}`

export const signInWithWallet = (service: TestApp): Promise<Person> =>
  service.signIn(undefined, [{ address: randomAddress(), kind: 'external' }])

export type House = {
  organization: Organization
  manager: Person
  employee: Person
  /** Was a member; the token still verifies. */
  revoked: Person
  membershipId: string
  walletId: string
  walletRoleId: string
  invitationId: string
  recipientId: string
  /** Verified, and not the default. */
  vaultId: string
  defaultVaultId: string
  deploymentId: string
  policyIntentId: string
  /** The employee's: one still a draft, and one with its report, waiting to be reviewed. */
  draftExpenseId: string
  reportedExpenseId: string
  reportId: string
  /** Ids, addresses and names that nobody outside may see. */
  secrets: string[]
}

const post = async (
  { call }: TestApp,
  url: string,
  { token, body }: { token: string; body?: unknown },
) => {
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await call('POST', url, { token, headers, ...(body ? { body } : {}) })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

type Member = { membershipId: string; accountId: string; wallets: { address: string }[] }

export async function house(service: TestApp): Promise<House> {
  const organization = await createOrganization(service, await signInWithWallet(service))
  const { path } = organization
  const { token } = organization.owner
  const manager = await joinOrganization(service, organization, {
    role: 'manager',
    person: await signInWithWallet(service),
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
  const treasury = await furnishTreasury(service, organization)
  const { defaultVaultId } = treasury.ids
  const terms = termsOf({ defaultVaultId, recipientId: recipient.id })
  const expenses = await furnishExpenses(service, { organization, employee, terms })
  const secrets = [
    organization.id,
    ...treasury.secrets,
    ...expenses.secrets,
    walletRole.id,
    walletRole.address,
    invitation.id,
    recipient.id,
    recipient.label,
    recipient.address,
    walletId,
    ...members.flatMap(({ membershipId, accountId, wallets }: Member) => [
      membershipId,
      accountId,
      ...wallets.map(({ address }) => address),
    ]),
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
    secrets: [...new Set<string>(secrets)],
  }
}

/** Two vaults, an executor, and an intent of each kind; the owner's wallet is a treasury owner. */
async function furnishTreasury(service: TestApp, organization: Organization) {
  const { id, path, owner, ownerMembershipId: membershipId } = organization
  const { token } = owner
  const [walletId = ''] = owner.walletIds
  const role = { membershipId, walletId, role: 'treasury_owner' }
  const walletRole = await post(service, `${path}/wallet-roles`, { token, body: role })
  const vaults = await writeVaults(service, id)
  const executor = await writeExecutor(service, id)
  const [main = '', vaultId = ''] = vaults.ids
  await writePolicy(service, { organizationId: id, vaultId: main })
  const deployment = await post(service, `${path}/vault-deployments/prepare`, {
    token,
    body: { label: 'Next' },
  })
  const policy = await post(service, `${path}/vaults/${vaultId}/policy-intents/prepare`, {
    token,
    body: policyBody(),
  })
  return {
    ids: {
      vaultId,
      defaultVaultId: main,
      deploymentId: deployment.id,
      policyIntentId: policy.id,
    },
    secrets: [...vaults.ids, ...vaults.addresses, ...Object.values(executor), walletRole.id],
  }
}

type ExpenseParties = Pick<House, 'defaultVaultId' | 'recipientId'>

const termsOf = ({ defaultVaultId, recipientId }: ExpenseParties) => ({
  vaultId: defaultVaultId,
  recipientId,
  purpose: `Invoice ${randomUUID()}`,
  amountBaseUnits: '90',
  requestedMode: 'approved',
})

/** A draft, and one that was submitted, with its comment and its report. */
async function furnishExpenses(
  service: TestApp,
  {
    organization,
    employee: { token },
    terms,
  }: { organization: Organization; employee: Person; terms: object },
) {
  const path = `${organization.path}/expenses`
  const create = () => post(service, path, { token, body: terms })
  const [draft, reported] = [await create(), await create()]
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
    ids: { draftExpenseId: draft.id, reportedExpenseId: reported.id, reportId },
    secrets: [
      ...[reportId, submitted.taskId, report.body.reportHash, report.body.output.summary],
      ...[expense.comments[0].id, comment.body, draft.revision.purpose],
      ...[draft, reported].flatMap(({ id, paymentId, revision }) => [
        ...[id, paymentId, revision.versionHash],
      ]),
    ],
  }
}

const policyBody = () => ({
  approvedCap: '1000',
  automaticCap: '100',
  lifetimeCap: '10000',
  reserveFloor: '0',
  expiresAt: '2099-01-01T00:00:00Z',
  automaticEnabled: true,
  paused: false,
})

const randomHash = (): string => `0x${randomBytes(32).toString('hex')}`

export type Prepared = { params?: Record<string, string>; body?: unknown }

const org = '/v1/consumer/organizations/:organizationId'

/** What a member in the right role would send, with ids of things that are really there. */
export const prepared: Record<string, (house: House) => Prepared> = {
  [`GET ${org}/overview`]: () => ({}),
  [`GET ${org}/member-funds`]: () => ({}),
  [`GET ${org}/vaults`]: () => ({}),
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
  [`GET ${org}/members`]: () => ({}),
  [`POST ${org}/members/:membershipId/revoke`]: ({ membershipId }) => ({
    params: { membershipId },
  }),
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
  [`GET ${org}/recipients`]: () => ({}),
  [`POST ${org}/recipients`]: () => ({
    body: { label: 'Somebody', address: randomAddress(), chainId: 31_337 },
  }),
  [`POST ${org}/recipients/:recipientId/deactivate`]: ({ recipientId }) => ({
    params: { recipientId },
  }),
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
  [`POST ${org}/expenses/:expenseId/comments`]: ({ reportedExpenseId: expenseId }) => ({
    params: { expenseId },
    body: { body: 'Where is the invoice?' },
  }),
  [`POST ${org}/expenses/:expenseId/cancel`]: ({ draftExpenseId: expenseId }) => ({
    params: { expenseId },
    body: { expectedVersion: 1 },
  }),
  [`GET ${org}/reports/:reportId`]: ({ reportId }) => ({ params: { reportId } }),
}
