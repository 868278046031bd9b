/** Support cases, and what an operator of the service reads and does. */
import { type Books, type Paid, today } from '#test/reference/spending.ts'
import { tokenAbi } from '#test/support/chain.ts'

export async function askSupport(books: Books, { expenseId, paymentId }: Paid): Promise<string> {
  const { stage, path, ana, priya } = books
  const cases = `${path}/support-cases`
  const { id } = await stage.post(ana, cases, {
    body: {
      subject: 'Studio Lumen has not seen the payment of invoice 2041',
      body: 'Our record says confirmed. Could you check the transaction?',
      priority: 2,
      expenseId,
      paymentId,
    },
  })
  const notes = `/v1/admin/support-cases/${id}/notes`
  await stage.post(priya, notes, { body: { body: 'Block and log checked: it was paid.' } })
  await stage.post(priya, notes, {
    body: {
      body: 'The transfer is final. Please ask Studio Lumen to check the address on the invoice.',
      status: 'investigating',
      visibleToCustomer: true,
    },
  })
  await stage.post(ana, `${cases}/${id}/messages`, {
    body: { body: 'Thank you, they looked at another wallet.' },
    key: 'message-2041-1',
  })
  await stage.get(ana, `${cases}?status=investigating&limit=2`)
  await stage.get(ana, `${cases}/${id}`)
  return id
}

/** A funding proof: one whole token, signed on a hardware wallet and deposited. */
export async function proveLedger(books: Books): Promise<void> {
  const { stage, id: organizationId, priya, ownerWallet, vault } = books
  const { chain } = stage.treasury
  const lower = (address: string) => address.toLowerCase()
  const address = chain.tokenAddress
  const args = [vault.address, 1_000_000n]
  const allow = { address, abi: tokenAbi, functionName: 'approve', args }
  await chain.mined(await ownerWallet.call(allow))
  const url = `/v1/admin/organizations/${organizationId}/integration-proofs/ledger/signatures`
  const owner = lower(ownerWallet.address)
  const body = { kind: 'funding', signer: owner, owner, vault: lower(vault.address) }
  const { id, intentJson } = await stage.post(priya, url, { body })
  await stage.post(priya, `${url}/${id}/claim`)
  const hash = await ownerWallet.send(JSON.parse(intentJson).transaction)
  await chain.mined(hash)
  await stage.post(priya, `${url}/${id}/confirm`, { body: { hash } })
  await stage.get(priya, `${url}/${id}`)
  await stage.get(priya, `${url}?limit=2`)
}

export async function readAsOperator(
  books: Books,
  { caseId, paymentId }: { caseId: string; paymentId: string },
): Promise<void> {
  const { stage, id, priya } = books
  const organization = `/v1/admin/organizations/${id}`
  await stage.get(priya, '/v1/admin/integrations/status')
  await stage.get(priya, '/v1/admin/overview')
  await stage.get(priya, '/v1/admin/failures')
  const found = 'status=investigating&priority=medium&sort=priority_desc&page=1'
  await stage.get(priya, `/v1/admin/support-cases?${found}`)
  await stage.get(priya, `/v1/admin/support-cases/${caseId}`)
  await stage.get(priya, '/v1/admin/organizations?q=northwind&limit=2')
  await stage.get(priya, organization)
  await stage.post(priya, `${organization}/executor/reconcile`)
  await stage.get(priya, `${organization}/executor`)
  await stage.get(priya, '/v1/admin/executors?limit=2')
  await stage.get(priya, `${organization}/payments/${paymentId}`)
  const { account } = await stage.get(priya, '/v1/admin/me')
  const trail = `/v1/admin/audit-events?limit=2&from=${today()}&to=${today()}`
  const { auditEvents } = await stage.get(priya, trail)
  const [{ action, aggregateId }] = auditEvents
  const filters = `actor=${account.id}&action=${action}&aggregateId=${aggregateId}`
  await stage.get(priya, `${trail}&${filters}`)
}
