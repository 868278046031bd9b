/** The demo's two expenses: one that the manager signs, and one within the policy's limits. */
import { type Body, type DemoFile, get, post, until, upload } from './demo-client.ts'
import { makeInvoice } from './demo-invoice.ts'
import { type Payee, print, printChapter, type Stage, tokenAbi, USDC, usdc } from './demo-stage.ts'

type Terms = Payee & {
  purpose: string
  amountBaseUnits: string
  requestedMode: 'approved' | 'automatic'
  category: string
  reference: string
  attachmentIds: string[]
}

async function attach({ org, employee }: Stage, file: DemoFile): Promise<string> {
  const { id, name, sha256 } = await upload(`${org}/attachments`, employee, file)
  print(`Attached: ${name}, SHA-256 ${sha256.slice(0, 16)}…`)
  return id
}

/** Creates and submits an expense and waits for its analysis. */
async function submitExpense({ org, employee }: Stage, terms: Terms, states: readonly string[]) {
  const { id } = await post(`${org}/expenses`, employee, terms)
  await post(`${org}/expenses/${id}/submit`, employee, { expectedVersion: 1 })
  const expense = await until(
    () => get(`${org}/expenses/${id}`, employee),
    ({ state }) => states.includes(state),
    'the analysis',
  )
  const report = await get(`${org}/reports/${expense.currentReportId}`, employee)
  const { riskScore, recommendation, checks } = report.output
  print(`${checks.length} checks: risk ${riskScore} of 100, recommendation: ${recommendation}.`)
  return expense
}

/** Also returns the invoice, which the signature covers. */
export async function payApproved(
  stage: Stage,
  payee: Payee,
): Promise<{ detail: Body; invoice: DemoFile }> {
  const { org, manager, approverWallet } = stage
  printChapter('The employee attaches an invoice of 75 USDC, and the analysis checks it')
  const invoice = makeInvoice('2026-118', 'Printing of 500 copies of the annual report: 75.00 USDC')
  const { id } = await submitExpense(
    stage,
    {
      ...payee,
      purpose: 'Printing of 500 copies of the annual report',
      amountBaseUnits: String(75n * USDC),
      requestedMode: 'approved',
      category: '6100',
      reference: '2026-118',
      attachmentIds: [await attach(stage, invoice)],
    },
    ['needs_review'],
  )

  printChapter('The manager reviews the expense and signs the approval')
  const reason = 'Ordered by us, and delivered'
  const review = { expectedVersion: 1, action: 'advance_to_approval', reason }
  await post(`${org}/expenses/${id}/review`, manager, review)
  const typedData = await post(`${org}/expenses/${id}/approvals/prepare`, manager, {
    expectedVersion: 1,
  })
  const { recipient, amount } = typedData.message
  print(`Signed: ${usdc(amount)} to ${recipient}, with the hashes of revision and report.`)
  print('The hash of the revision covers the invoice.')
  const signature = await approverWallet.sign(typedData)
  const { approvalId } = typedData
  const signed = { expectedVersion: 1, approvalId, signature }
  await post(`${org}/expenses/${id}/approvals/submit-signature`, manager, signed)
  return { detail: await waitUntilPaid(stage, id), invoice }
}

/** Reads the balance from the chain, not from the service. */
async function waitUntilPaid({ about, org, employee, supplier }: Stage, id: string): Promise<Body> {
  const expense = await until(
    () => get(`${org}/expenses/${id}`, employee),
    ({ state }) => state === 'paid',
    'the payment',
  )
  const detail = await get(`${org}/payments/${expense.paymentId}`, employee)
  const { transactionHash, blockNumber } = detail.receipt
  print(`Paid by ${transactionHash} in block ${blockNumber}.`)
  const token = { address: about.tokenAddress, abi: tokenAbi, functionName: 'balanceOf' }
  const balance = await supplier.read({ ...token, args: [supplier.address] })
  print(`The supplier now has ${usdc(balance)}.`)
  return detail
}

export async function payAutomatically(stage: Stage, payee: Payee): Promise<void> {
  printChapter('Another 12 USDC, paid automatically within the policy')
  const receipt = makeInvoice('8841', 'Courier for the proofs of the annual report: 12.00 USDC')
  const released = ['automatic_ready_for_payment', 'executing', 'reconciling', 'paid']
  const { id } = await submitExpense(
    stage,
    {
      ...payee,
      purpose: 'Courier for the proofs of the annual report',
      amountBaseUnits: String(12n * USDC),
      requestedMode: 'automatic',
      category: '6200',
      reference: '8841',
      attachmentIds: [await attach(stage, receipt)],
    },
    released,
  )
  await waitUntilPaid(stage, id)
}
