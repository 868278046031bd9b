/** Expenses of the story, from a receipt to a confirmed payment, and those that end otherwise. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { Company } from '#test/reference/people.ts'
import { aside, until } from '#test/reference/stage.ts'
import type { Recipients, Vault } from '#test/reference/vaults.ts'
import type { Person } from '#test/support/app.ts'
import { PDF, pdf } from '#test/support/attachments.ts'
import { signTypedData } from '#test/support/payments.ts'
import { writeUnrecorded } from '#test/support/unrecorded-books.ts'

export type Books = Company & { vault: Vault; recipients: Recipients }
/** What the rest of the story refers to. */
export type Paid = { expenseId: string; paymentId: string; attachmentId: string }

type Expense = { id: string; state: string; paymentId: string; currentRevision: number }

const CATEGORIES = [
  { code: '6300', name: 'Travel' },
  { code: '6800', name: 'Contractors' },
]

const expensePath = ({ path }: Books, id: string) => `${path}/expenses/${id}`

const inState = ({ stage, ana, ...books }: Books, id: string, state: string): Promise<Expense> =>
  until(
    () => stage.get(ana, expensePath({ stage, ana, ...books }, id)),
    (expense) => expense.state === state,
  )

async function uploadReceipt({ stage, path, chiara }: Books, name: string): Promise<string> {
  const headers = { 'content-type': PDF, 'content-disposition': `attachment; filename="${name}"` }
  const raw = pdf(`Receipt ${name}`)
  const sent = { raw, headers, key: `upload-${name}` }
  return (await stage.post(chiara, `${path}/attachments`, sent)).id
}

const illustrations = ({ vault, recipients }: Books, attachmentId: string) => ({
  vaultId: vault.id,
  recipientId: recipients.studio,
  purpose: 'Illustrations for the autumn catalogue, invoice 2041',
  amountBaseUnits: '1850000000',
  requestedMode: 'approved',
  attachmentIds: [attachmentId],
  category: '6800',
  reference: 'INV-2041',
  dueDate: '2026-12-15',
})

const photograph = (books: Books, amountBaseUnits: string) => ({
  vaultId: books.vault.id,
  recipientId: books.recipients.studio,
  requestedMode: 'approved',
  purpose: 'Cover photograph for the winter catalogue',
  amountBaseUnits,
  category: '6800',
  reference: 'INV-2057',
})

async function file(books: Books, terms: Record<string, unknown>, key: string): Promise<string> {
  const { stage, path, chiara } = books
  const { id } = await stage.post(chiara, `${path}/expenses`, { body: terms, key })
  await submit(books, id, 1)
  return id
}

const submit = (books: Books, id: string, expectedVersion: number) =>
  books.stage.post(books.chiara, `${expensePath(books, id)}/submit`, { body: { expectedVersion } })

type Review = { version: number; action: string; reason: string }

const review = (books: Books, id: string, { version, action, reason }: Review) =>
  books.stage.post(books.ben, `${expensePath(books, id)}/review`, {
    body: { expectedVersion: version, action, reason },
  })

const advance = (books: Books, id: string, version: number) =>
  review(books, id, {
    version,
    action: 'advance_to_approval',
    reason: 'Ordered by us, and delivered on 9 November',
  })

/** Prepared, signed on the approver's device, submitted. */
async function sign(books: Books, { id, currentRevision }: Expense) {
  const { stage, ana, approverWallet } = books
  const approvals = `${expensePath(books, id)}/approvals`
  const expectedVersion = currentRevision
  const prepared = await stage.post(ana, `${approvals}/prepare`, { body: { expectedVersion } })
  const signature = await signTypedData(approverWallet, prepared)
  const { approvalId, digest } = prepared
  const body = { expectedVersion, approvalId, signature }
  return {
    payment: await stage.post(ana, `${approvals}/submit-signature`, { body }),
    approvalId,
    digest,
  }
}

const release = ({ stage, ben, ...books }: Books, { id, currentRevision }: Expense) =>
  stage.post(ben, `${expensePath({ stage, ben, ...books }, id)}/payments`, {
    body: { expectedVersion: currentRevision },
  })

/** Returned once for a correction, then reviewed, signed by the owner and paid. */
export async function payInvoice(books: Books): Promise<Paid> {
  const { stage, path, ana, ben, chiara } = books
  const categories = `${path}/categories`
  await stage.send('PUT', categories, { who: ben, body: { categories: CATEGORIES } })
  await stage.get(chiara, categories)
  const attachmentId = await uploadReceipt(books, 'invoice-2041.pdf')
  const terms = illustrations(books, attachmentId)
  const id = await file(books, { ...terms, amountBaseUnits: '1580000000' }, 'expense-inv-2041')
  const url = expensePath(books, id)
  await inState(books, id, 'needs_review')
  const comment = { body: 'The invoice says 1,850.00. Please correct the amount.' }
  await stage.post(ben, `${url}/comments`, { body: comment })
  await stage.get(ben, `${url}/comments?limit=2`)
  const reason = 'The amount differs from the invoice'
  await review(books, id, { version: 1, action: 'request_revision', reason })
  const corrected = { ...terms, expectedVersion: 1, reason: 'Amount as on the invoice' }
  await stage.post(chiara, `${url}/revisions`, { body: corrected })
  await submit(books, id, 2)
  await inState(books, id, 'needs_review')
  await stage.get(ben, `${url}/revisions/2/report`)
  await advance(books, id, 2)
  const expense = await inState(books, id, 'awaiting_approval')
  const approvals = `${url}/approvals`
  const body = { expectedVersion: 2, deadlineSeconds: 86_400 }
  const { approvalId } = await stage.post(ana, `${approvals}/prepare`, { body })
  await stage.post(ana, `${approvals}/cancel-signing`, { body: { expectedVersion: 2, approvalId } })
  await sign(books, expense)
  await release(books, expense)
  const { paymentId } = await inState(books, id, 'paid')
  return { expenseId: id, paymentId, attachmentId }
}

/** Small enough for the policy: nobody signs. While it waits for its block, it is reconciled. */
export async function payTravel(books: Books): Promise<void> {
  const { stage, path, ben, vault, recipients } = books
  const id = await file(
    aside(books),
    {
      vaultId: vault.id,
      recipientId: recipients.dana,
      requestedMode: 'automatic',
      purpose: "Dana's train to the client in Porto, ticket 88213",
      amountBaseUnits: '86400000',
      category: '6300',
      reference: 'IR-88213',
    },
    'expense-ir-88213',
  )
  const expense = await inState(books, id, 'automatic_ready_for_payment')
  await release(aside(books), expense)
  const url = `${path}/payments/${expense.paymentId}`
  const { token } = ben
  const reconcile = () =>
    stage.call('POST', `${url}/reconcile`, { token, body: { expectedVersion: 1 } })
  await until(reconcile, ({ status }) => status === 202, { interval: 25 })
  await inState(books, id, 'paid')
}

/** An approval that its approver withdraws on the chain before anything is sent. */
export async function withdrawApproval(books: Books): Promise<void> {
  const { stage, path, ana, approverWallet, vault } = books
  const quiet = aside(books)
  const id = await file(quiet, photograph(books, '640000000'), 'expense-inv-2057')
  await inState(quiet, id, 'needs_review')
  await advance(quiet, id, 1)
  const { approvalId, digest } = await sign(quiet, await inState(quiet, id, 'awaiting_approval'))
  const transactionHash = await approverWallet.call({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'invalidateApproval',
    args: [digest],
  })
  await stage.treasury.chain.mined(transactionHash)
  await stage.post(ana, `${path}/approvals/${approvalId}/invalidate`, { body: { transactionHash } })
}

/** A draft that is cancelled, and expenses that wait for a review. */
export async function leaveOpen(books: Books): Promise<string> {
  const { stage, path, chiara } = books
  const desk = { ...photograph(books, '420000000'), purpose: 'Standing desk for the Lisbon office' }
  const key = 'expense-desk'
  const quiet = aside(books)
  const { id } = await quiet.stage.post(chiara, `${path}/expenses`, { body: desk, key })
  await stage.post(chiara, `${expensePath(books, id)}/cancel`, { body: { expectedVersion: 1 } })
  const open = {
    ...photograph(books, '310000000'),
    purpose: 'Retouching of the product photographs',
  }
  const waiting = await file(quiet, { ...open, reference: 'INV-2063' }, 'expense-inv-2063')
  await inState(quiet, waiting, 'needs_review')
  return waiting
}

/** A payment of the vault that the service did not make. */
export async function acknowledge(books: Books): Promise<void> {
  const { stage, id: organizationId, path, ana, vault, recipients } = books
  const { id } = await writeUnrecorded(
    stage.treasury.service,
    { organizationId, vaultId: vault.id },
    {
      amount: 120_000_000n,
      recipientAddress: recipients.wallet.toLowerCase(),
      blockNumber: 14,
      blockTime: new Date().toISOString(),
    },
  )
  const url = `${path}/unrecorded-payments`
  await stage.get(ana, `${url}?state=open&limit=2`)
  const body = { reason: 'Sent by hand while the executor was replaced' }
  await stage.post(ana, `${url}/${id}/acknowledge`, { body })
}

export const today = () => new Date().toISOString().slice(0, 10)

/** What people look at when the money has moved. */
export async function readBooks(books: Books, paid: Paid): Promise<void> {
  const { stage, path, ana, ben, dana, chiara, vault, recipients } = books
  const { expenseId, paymentId, attachmentId } = paid
  const expense = await stage.get(ana, expensePath(books, expenseId))
  await stage.get(ana, `${path}/reports/${expense.currentReportId}`)
  await stage.get(ana, `${path}/payments/${paymentId}`)
  await stage.get(ana, `${path}/vaults/${vault.id}`)
  await stage.get(dana, `${path}/member-funds`)
  await stage.get(chiara, `${path}/attachments/${attachmentId}`)
  const period = `from=${today()}&to=${today()}`
  const filters = [
    `state=paid&submitterAccountId=${chiara.accountId}&recipientId=${recipients.studio}`,
    `vaultId=${vault.id}&category=6800&minAmount=1000000&maxAmount=5000000000&q=catalogue`,
    period,
  ].join('&')
  await stage.get(ben, `${path}/expenses?waitingFor=me`)
  await stage.get(ben, `${path}/expenses?limit=2&${filters}`)
  await stage.get(ben, `${path}/expense-counts?${period}`)
  await stage.get(ben, `${path}/activity?state=confirmed&limit=2&${period}&q=lumen`)
  for (const by of ['month', 'category']) {
    await stage.get(ben, `${path}/spending?by=${by}&${period}`)
  }
  await stage.get(ben, `${path}/exports/payments.csv?format=plain&${period}`)
  await stage.get(ben, `${path}/exports/expenses.csv?format=plain&${period}`)
  await readTrail(books, { person: ben, period, expenseId })
}

async function readTrail(
  { stage, path, ana }: Books,
  { person, period, expenseId }: { person: Person; period: string; expenseId: string },
): Promise<void> {
  const url = `${path}/audit-events?limit=2`
  const { nextCursor } = await stage.get(ana, `${url}&${period}`)
  await stage.get(ana, `${url}&cursor=${nextCursor}`)
  const filters = `actor=${person.accountId}&action=expense.advanced&aggregateId=${expenseId}`
  await stage.get(ana, `${url}&${filters}&${period}`)
  await stage.get(ana, `${path}/audit-head`)
  await stage.get(ana, `${path}/exports/audit.jsonl`)
}
