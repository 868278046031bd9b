/** The long path to a payment, step by step, which chance rarely takes. */
import { randomUUID } from 'node:crypto'
import { runAnalysis } from '#analysis/run-analysis.ts'
import { payees, sendSome, signPrepared } from '#test/fuzz/paying.ts'
import { type Guest, makeTenant, remember, type Tenant, type World } from '#test/fuzz/world.ts'
import type { Answer, TestApp } from '#test/support/app.ts'

/**
 * A new organization that nobody else knows: no other request can demote its owner, pause what
 * pays, or use up a limit.
 */
export async function foundQuietly(service: TestApp, world: World): Promise<Tenant> {
  const holders = world.people.filter(({ walletIds }) => walletIds.length > 0)
  const owner = holders[world.made % holders.length] as Guest
  const made = await service.call('POST', '/v1/consumer/organizations', {
    token: owner.token,
    body: { name: `Quiet ${world.made}` },
  })
  world.made += 1
  return makeTenant(made.body.id, owner, true)
}

type Step = (
  operationId: string,
  path: string,
  body?: object,
  expenseId?: string,
) => Promise<Answer['body']>

/** Steps of the tenant's owner, remembered like other answers. Without a body they are reads. */
function stepsOf(service: TestApp, world: World, tenant: Tenant): Step {
  const caller = tenant.members.at(-1) as Guest
  return async (operationId, path, body, expenseId) => {
    const url = `/v1/consumer/organizations/${tenant.id}${path}`
    const { token } = caller
    const headers = { 'idempotency-key': randomUUID() }
    const answer = body
      ? await service.call('POST', url, { token, body, headers })
      : await service.call('GET', url, { token })
    if (answer.status >= 300) throw new Error(`${operationId}: ${answer.text}`)
    remember(world, { operationId, tenant, caller, ...(expenseId && { expenseId }) }, answer)
    return answer.body
  }
}

type Mode = 'approved' | 'automatic'

/** An expense of the owner after its analysis: to be reviewed, or queued if automatic. */
async function leadThroughAnalysis(
  service: TestApp,
  { tenant, step }: { tenant: Tenant; step: Step },
  requestedMode: Mode,
): Promise<string> {
  const nth = tenant.recipientIds.length
  const payee = { chainId: 31_337, address: payees[nth], label: `Payee ${nth}` }
  const { id: recipientId } = await step('addRecipient', '/recipients', payee)
  const terms = { vaultId: tenant.vaultIds[0], recipientId, amountBaseUnits: '1' }
  const said = { purpose: `Rent of office ${nth}`, requestedMode }
  const { id } = await step('createExpense', '/expenses', { ...terms, ...said })
  const submitted = await step('lead', `/expenses/${id}/submit`, { expectedVersion: 1 })
  await runAnalysis(service.ctx, { organizationId: tenant.id, runId: submitted.taskId })
  return id
}

/** The first organization: a payment in flight, an expense signed, one to review, and the rest. */
export async function leadToPayment(service: TestApp, world: World): Promise<void> {
  const [tenant] = world.tenants as [Tenant]
  const step = stepsOf(service, world, tenant)
  const lead = (mode: Mode) => leadThroughAnalysis(service, { tenant, step }, mode)
  const queued = await step('getExpense', `/expenses/${await lead('automatic')}`)
  tenant.paymentIds.push(queued.paymentId)
  await sendSome(service, tenant)
  const review = { expectedVersion: 1, action: 'advance_to_approval', reason: 'As agreed' }
  for (const id of [await lead('approved'), await lead('approved')]) {
    await step('reviewExpense', `/expenses/${id}/review`, review)
    const path = `/expenses/${id}/approvals/prepare`
    await step('prepareApproval', path, { expectedVersion: 1 }, id)
  }
  const needsReview = await lead('approved')
  await step('getExpense', `/expenses/${needsReview}`)
  await admitMembers(service, { world, tenant, step })
  const [wallet] = tenant.wallets.filter(({ walletId }) =>
    tenant.members.at(-1)?.walletIds.includes(walletId),
  )
  await step('lead', '/wallet-roles', { ...wallet, role: 'treasury_owner' })
  await step('prepareVaultDeployment', '/vault-deployments/prepare', { label: 'Savings' })
  const webhook = { url: 'http://127.0.0.1:9/hooks', kinds: ['payment.changed'] }
  for (let n = 0; n < 3; n += 1) await step('createWebhook', '/webhooks', webhook)
  await signPrepared(world, tenant)
}

/** Three of those who wait become members, who can get another role, and one who can leave. */
async function admitMembers(
  service: TestApp,
  { world, tenant, step }: { world: World; tenant: Tenant; step: Step },
): Promise<void> {
  for (const id of tenant.pendingMembershipIds.splice(0, 3)) {
    await step('lead', `/members/${id}/confirm`, {})
  }
  const { inviteToken } = await step('lead', '/invitations', { role: 'employee' })
  const caller = world.people.find((person) => person !== tenant.members.at(-1)) as Guest
  const url = `/v1/consumer/invitations/${inviteToken}/accept`
  const accepted = await service.call('POST', url, { token: caller.token })
  remember(world, { operationId: 'acceptInvitation', tenant, caller }, accepted)
  await step('listMembers', '/members')
}
