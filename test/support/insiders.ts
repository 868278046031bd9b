/** Colluding members: more vaults and recipients, and expenses that real runs analyse. */
import { expect } from 'vitest'
import type { Context } from '#context.ts'
import type { AutomaticRules } from '#platform/config/limits.ts'
import { writeListed } from '#test/support/listed-recipients.ts'
import { insertPolicy } from '#treasury/policies.store.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'
import { addToVault } from '#treasury/vaults.store.ts'
import { joinOrganization, type Person, type TestApp } from './app.ts'
import { writeVaults } from './books.ts'
import { analyse, createExpense, type ExpenseHouse, POLICY, takeStep } from './expenses.ts'
import { addRecipient } from './steps.ts'

export const USDC = 1_000_000n

type Target = { vaultId: string; recipientId: string }

/** Adds a vault with a policy that lists these recipients; returns its id. */
export async function addVault(
  service: TestApp,
  house: ExpenseHouse,
  { recipientAddresses, ...terms }: { recipientAddresses: string[]; automaticCap: bigint },
): Promise<string> {
  const { ctx } = service
  const { id: organizationId } = house.organization
  const [vaultId = ''] = (await writeVaults(service, organizationId, 1)).ids
  const executor = await service.database.asOwner<{ address: string }>(
    'select address from executor_bindings where organization_id = $1',
    [organizationId],
  )
  const { balance, ...caps } = { ...POLICY, ...terms }
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await insertPolicy(tx, {
      ...NO_LIMITS,
      ...caps,
      automaticEnabled: true,
      expiresAt: '2099-01-01T00:00:00.000Z',
      id: ctx.ids.next(),
      organizationId,
      vaultId,
      version: 1,
      executorAddress: executor[0]?.address ?? '',
      approverAddresses: [`0x${'aa'.repeat(20)}`],
      paused: false,
      chainTransactionHash: `0x${'22'.repeat(32)}`,
      blockNumber: 2,
      timeSeconds: 1_700_000_000,
      at: ctx.clock.now(),
    })
    await writeListed(tx, { organizationId, vaultId, addresses: recipientAddresses })
    await addToVault(tx, { organizationId, vaultId, balance, policyVersion: 1 })
  })
  return vaultId
}

export async function addRecipients(
  service: TestApp,
  { organization }: ExpenseHouse,
  count: number,
): Promise<{ id: string; address: string }[]> {
  const added = []
  for (let n = 0; n < count; n += 1) {
    const { status, body } = await addRecipient(service, organization)
    expect(status).toBe(201)
    added.push({ id: body.id, address: body.address })
  }
  return added
}

let counter = 0

export type Asked = { amount: bigint; person?: Person } & Partial<Target>

/** Submitted in automatic mode by the person, or by a new invited account. */
export async function ask(
  service: TestApp,
  house: ExpenseHouse,
  { amount, person, ...target }: Asked,
): Promise<{ id: string; runId: string; person: Person }> {
  counter += 1
  const asking =
    person ?? (await joinOrganization(service, house.organization, { role: 'employee' }))
  const made = await createExpense(service, house, {
    person: asking,
    terms: {
      ...target,
      purpose: `Invoice ${4_000 + counter} for a delivery of paper in week ${counter}`,
      amountBaseUnits: amount.toString(),
      requestedMode: 'automatic',
    },
  })
  expect(made.status).toBe(201)
  const { id } = made.body
  const submitted = await takeStep(service, house, {
    id,
    step: 'submit',
    person: asking,
    body: { expectedVersion: 1 },
  })
  expect(submitted.status).toBe(202)
  return { id, runId: submitted.body.taskId, person: asking }
}

/** As the owner reads it. */
export async function stateOf(
  { call }: Pick<TestApp, 'call'>,
  { organization }: ExpenseHouse,
  id: string,
): Promise<string> {
  const { body } = await call('GET', `${organization.path}/expenses/${id}`, {
    token: organization.owner.token,
  })
  return body.state
}

/** The same context under other rules for automatic payments. */
export function underRules({ ctx }: Pick<TestApp, 'ctx'>, rules: Partial<AutomaticRules>): Context {
  const { limits } = ctx.config
  const automatic = { ...limits.automatic, ...rules }
  return { ...ctx, config: { ...ctx.config, limits: { ...limits, automatic } } }
}

/** Submits and analyses; returns the amount when it was released without a signature, else 0. */
export async function askAndAnalyse(
  service: TestApp,
  house: ExpenseHouse,
  { ctx = service.ctx, ...asked }: Asked & { ctx?: Context },
): Promise<bigint> {
  const { id, runId } = await ask(service, house, asked)
  await analyse({ ctx }, house, runId)
  const state = await stateOf(service, house, id)
  expect(state).toBeOneOf(['automatic_ready_for_payment', 'needs_review'])
  return state === 'automatic_ready_for_payment' ? asked.amount : 0n
}

type ReportCheck = { id: string; outcome: string; detail: string }

/** The checks of the newest report that did not pass. */
export async function warningsOf(
  { call }: Pick<TestApp, 'call'>,
  { organization: { path, owner } }: ExpenseHouse,
  id: string,
): Promise<ReportCheck[]> {
  const { token } = owner
  const expense = await call('GET', `${path}/expenses/${id}`, { token })
  const report = await call('GET', `${path}/reports/${expense.body.currentReportId}`, { token })
  return report.body.output.checks.filter(({ outcome }: ReportCheck) => outcome !== 'pass')
}
