/** The long path to a signature, step by step, which chance rarely takes. */
import { randomUUID } from 'node:crypto'
import { runAnalysis } from '#analysis/run-analysis.ts'
import { payees } from '#test/fuzz/paying.ts'
import { remember, type World } from '#test/fuzz/world.ts'
import type { TestApp } from '#test/support/app.ts'

/** In the first organization that can pay: an expense of its owner that awaits approval. */
export async function leadToSigning(service: TestApp, world: World): Promise<void> {
  const canPay = world.tenants.filter(
    ({ hasExecutor, vaultIds, approvers }) =>
      hasExecutor && vaultIds.length > 0 && approvers.length > 0,
  )
  for (const tenant of canPay.slice(0, 3)) {
    const { id: organizationId, vaultIds, members } = tenant
    const owner = members.at(-1)
    const token = owner?.token ?? ''
    const base = `/v1/consumer/organizations/${organizationId}`
    const post = async (path: string, body: object, operationId: string) => {
      const answer = await service.call('POST', `${base}${path}`, {
        token,
        body,
        headers: { 'idempotency-key': randomUUID() },
      })
      if (answer.status < 300) remember(world, { operationId, tenant }, answer)
      return answer.body
    }
    // Signed expenses have gone on by themselves since they were last seen.
    const seen = await service.call('GET', `${base}/expenses?limit=50`, { token })
    if (seen.status === 200) remember(world, { operationId: 'listExpenses', tenant }, seen)
    const address = payees[world.made % payees.length]
    const recipient = await post('/recipients', { address, label: 'A payee' }, 'addRecipient')
    const recipientId = recipient.id ?? tenant.recipientIds[0]
    const terms = { vaultId: vaultIds[0], recipientId, amountBaseUnits: '1' }
    const said = { purpose: 'Rent of the office', requestedMode: 'approved' }
    const expense = await post('/expenses', { ...terms, ...said }, 'createExpense')
    const path = `/expenses/${expense.id}`
    const { taskId: runId } = await post(`${path}/submit`, { expectedVersion: 1 }, 'lead')
    if (runId === undefined) continue
    await runAnalysis(service.ctx, { organizationId, runId })
    const review = { expectedVersion: 1, action: 'advance_to_approval', reason: 'As agreed' }
    await post(`${path}/review`, review, 'reviewExpense')
  }
}
