/**
 * The demo's expenses: one that two approvers sign, one within the policy's limits, and one that has
 * to wait for the next period.
 */
import type { DataOf } from '@countersign/client/operation-types.ts'
import { readForApproval, signApproval } from '@countersign/client/sign-approval.ts'
import { StartupError } from '#platform/errors.ts'
import { type DemoFile, must, type Outcome, until } from './demo-client.ts'
import { makeInvoice } from './demo-invoice.ts'
import { type Payee, print, printChapter, type Stage, tokenAbi, USDC, usdc } from './demo-stage.ts'
import { listAnotherRecipient } from './demo-treasury.ts'

type Terms = Payee & {
  purpose: string
  amountBaseUnits: string
  requestedMode: 'approved' | 'automatic'
  category: string
  reference: string
  attachmentIds: string[]
}

async function attach({ path, employee }: Stage, file: DemoFile): Promise<string> {
  const { id, name, sha256 } = must(
    await employee.client.call('uploadAttachment', {
      path,
      headers: { 'content-disposition': `attachment; filename=${file.name}` },
      contentType: file.mediaType,
      body: file.bytes,
    }),
  )
  print(`Attached: ${name}, SHA-256 ${sha256.slice(0, 16)}…`)
  return id
}

type Expense = DataOf<'getExpense'>

/** Creates and submits an expense and waits for its analysis. */
async function submitExpense(
  { path, employee: { client } }: Stage,
  body: Terms,
  states: readonly Expense['state'][],
): Promise<Expense> {
  const { id, currentRevision } = must(await client.call('createExpense', { path, body }))
  const own = { ...path, expenseId: id }
  const revision = { expectedVersion: currentRevision }
  must(await client.call('submitExpense', { path: own, body: revision }))
  const expense = await until(
    () => client.call('getExpense', { path: own }),
    ({ state }) => states.includes(state),
    'the analysis',
  )
  const reportPath = { ...own, revision: currentRevision }
  const { output } = must(await client.call('getRevisionReport', { path: reportPath }))
  const { riskScore, recommendation, checks } = output
  print(`${checks.length} checks: risk ${riskScore} of 100, recommendation: ${recommendation}.`)
  return expense
}

/** Also returns the invoice, which the signature covers. */
export async function payApproved(
  stage: Stage,
  payee: Payee,
): Promise<{ payment: DataOf<'getPayment'>; invoice: DemoFile }> {
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
  await review(stage, id)
  const first = must(await sign(stage, id, 'manager'))
  print('The hash of the revision covers the invoice.')
  print(`${first.signedApprovals} of ${first.requiredApprovals} signatures: the payment waits.`)

  printChapter('Meanwhile the owner lists another recipient, which voids no signature')
  await listAnotherRecipient(stage, payee.vaultId)

  printChapter('The director signs too, and the vault pays')
  const second = must(await sign(stage, id, 'director'))
  print(`${second.signedApprovals} of ${second.requiredApprovals} signatures.`)
  return { payment: await waitUntilPaid(stage, id), invoice }
}

async function review({ path, manager }: Stage, expenseId: string): Promise<void> {
  const reason = 'Ordered by us, and delivered'
  const body = { expectedVersion: 1, action: 'advance_to_approval', reason } as const
  must(await manager.client.call('reviewExpense', { path: { ...path, expenseId }, body }))
}

/** The client has the wallet sign what it computes from the expense and the report itself. */
async function sign(
  stage: Stage,
  expenseId: string,
  name: 'manager' | 'director',
): Promise<Outcome<DataOf<'submitSignature'>>> {
  const { client } = stage[name]
  const wallet = name === 'manager' ? stage.approverWallet : stage.directorWallet
  const signed = await signApproval(client, {
    shown: must(await readForApproval(client, { ...stage.path, expenseId })),
    approverAddress: wallet.address,
    sign: (typedData) => {
      const { recipient = '', amount = '0' } = typedData.message
      print(`Signed: ${usdc(amount)} to ${recipient}, with the hashes of revision and report.`)
      return wallet.sign(typedData)
    },
  })
  if (signed.ok) return { ok: true, data: signed.payment }
  if (signed.reason === 'failed') return { ok: false, failure: signed.failure }
  throw new StartupError(`The approval was not signed: ${signed.reason}.`)
}

/** Reads the balance from the chain, not from the service. */
async function waitUntilPaid(
  { about, path, employee: { client }, supplier }: Stage,
  expenseId: string,
): Promise<DataOf<'getPayment'>> {
  const { paymentId } = await until(
    () => client.call('getExpense', { path: { ...path, expenseId } }),
    ({ state }) => state === 'paid',
    'the payment',
  )
  const payment = must(await client.call('getPayment', { path: { ...path, paymentId } }))
  const { receipt } = payment
  print(`Paid by ${receipt?.transactionHash} in block ${receipt?.blockNumber}.`)
  const token = { address: about.tokenAddress, abi: tokenAbi }
  const args = [supplier.address] as const
  const balance = await supplier.read({ ...token, functionName: 'balanceOf', args })
  print(`The supplier now has ${usdc(balance)}.`)
  return payment
}

export async function payAutomatically(stage: Stage, payee: Payee): Promise<void> {
  printChapter('Another 12 USDC, paid automatically within the policy')
  const receipt = makeInvoice('8841', 'Courier for the proofs of the annual report: 12.00 USDC')
  const released = ['automatic_ready_for_payment', 'executing', 'reconciling', 'paid'] as const
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

/** Within the cap of one payment, but not within what is left of the week. */
export async function meetPeriodCap(stage: Stage, payee: Payee): Promise<void> {
  printChapter('Another 90 USDC, more than is left of the week')
  const invoice = makeInvoice('2026-131', 'Reprint of the annual report: 90.00 USDC')
  const { id } = await submitExpense(
    stage,
    {
      ...payee,
      purpose: 'Reprint of the annual report',
      amountBaseUnits: String(90n * USDC),
      requestedMode: 'approved',
      category: '6100',
      reference: '2026-131',
      attachmentIds: [await attach(stage, invoice)],
    },
    ['needs_review'],
  )
  await review(stage, id)
  const refused = await sign(stage, id, 'manager')
  if (refused.ok) throw new StartupError('A payment above the cap of the period was signed.')
  print(`Refused: ${refused.failure.message}`)
  print('The vault itself counts: nobody who holds a server or its keys can exceed the cap.')
}
