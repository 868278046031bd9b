/** An organization that can pay, as rows only, and the steps of an expense over HTTP. */
import { expect } from 'vitest'
import { runAnalysis } from '#analysis/run-analysis.ts'
import { writeListed } from '#test/support/listed-recipients.ts'
import { insertPolicy } from '#treasury/policies.store.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'
import { addToVault } from '#treasury/vaults.store.ts'
import {
  type Answer,
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from './app.ts'
import { writeExecutor, writeVaults } from './books.ts'
import { addRecipient, freshKey } from './steps.ts'

export type ExpenseHouse = {
  organization: Organization
  manager: Person
  employee: Person
  vaultId: string
  vaultAddress: string
  recipientId: string
  recipientAddress: string
}

export const POLICY = {
  approvedCap: 1_000_000_000n,
  automaticCap: 100_000_000n,
  lifetimeCap: 10_000_000_000n,
  reserveFloor: 1_000_000n,
  balance: 5_000_000_000n,
}

/** A vault with a policy that lists one recipient, an executor, and a member of every role. */
export async function openExpenseHouse(
  service: TestApp,
  terms: Partial<typeof POLICY & { automaticEnabled: boolean; expiresAt: string }> = {},
): Promise<ExpenseHouse> {
  const organization = await createOrganization(service)
  const manager = await joinOrganization(service, organization, { role: 'manager' })
  const employee = await joinOrganization(service, organization, { role: 'employee' })
  const recipient = await addRecipient(service, organization)
  expect(recipient.status).toBe(201)
  const { id: organizationId } = organization
  const vaults = await writeVaults(service, organizationId, 1)
  const executor = await writeExecutor(service, organizationId)
  const [vaultId = '', vaultAddress = ''] = [vaults.ids[0], vaults.addresses[0]]
  const { balance, ...caps } = { ...POLICY, ...terms }
  const { ctx } = service
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await insertPolicy(tx, {
      ...NO_LIMITS,
      automaticEnabled: true,
      expiresAt: '2099-01-01T00:00:00.000Z',
      ...caps,
      id: ctx.ids.next(),
      organizationId,
      vaultId,
      version: 1,
      executorAddress: executor.address,
      approverAddresses: [`0x${'aa'.repeat(20)}`],
      paused: false,
      chainTransactionHash: `0x${'11'.repeat(32)}`,
      blockNumber: 1,
      timeSeconds: 1_700_000_000,
      at: ctx.clock.now(),
    })
    await writeListed(tx, { organizationId, vaultId, addresses: [recipient.body.address] })
    await addToVault(tx, { organizationId, vaultId, balance, policyVersion: 1 })
  })
  const { id: recipientId, address: recipientAddress } = recipient.body
  return { organization, manager, employee, vaultId, vaultAddress, recipientId, recipientAddress }
}

export const PURPOSE = 'Invoice 2026-118 for the translation of the user manual'

/** What a revision shows that has neither attachments nor a category, reference or due date. */
export const NO_DETAILS = {
  attachments: [],
  category: null,
  categoryName: null,
  reference: null,
  dueDate: null,
}

export const termsOf = (
  { vaultId, recipientId }: Pick<ExpenseHouse, 'vaultId' | 'recipientId'>,
  terms: Record<string, unknown> = {},
) => ({
  vaultId,
  recipientId,
  purpose: PURPOSE,
  amountBaseUnits: '25000000',
  requestedMode: 'approved',
  ...terms,
})

export const createExpense = (
  { call }: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  {
    person = house.employee,
    terms = {},
    headers = freshKey(),
  }: { person?: Person; terms?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<Answer> =>
  call('POST', `${house.organization.path}/expenses`, {
    token: person.token,
    body: termsOf(house, terms),
    headers,
  })

/** `submit`, `review`, `revisions`, `comments`, `cancel`: one step of an expense. */
export const takeStep = (
  { call }: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  { id, step, person, body }: { id: string; step: string; person: Person; body: unknown },
): Promise<Answer> =>
  call('POST', `${house.organization.path}/expenses/${id}/${step}`, { token: person.token, body })

/** Does what a worker would with the submitted run, immediately. */
export async function analyse(
  { ctx }: Pick<TestApp, 'ctx'>,
  house: ExpenseHouse,
  runId: string,
): Promise<void> {
  await runAnalysis(ctx, { organizationId: house.organization.id, runId })
}
