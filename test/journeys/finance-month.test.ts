/** A finance team's month, from the first supplier file to books that agree with the chain. */
import { fileFindings } from '@countersign/proof/evidence-files.ts'
import { verifyEvidence } from '@countersign/proof/verify-evidence.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp } from '#test/processes/processes.ts'
import { sha256Of } from '#test/support/attachments.ts'
import {
  advanceAll,
  type Colleague,
  type Company,
  categories,
  changeRole,
  DEPOSITED,
  endApproverRole,
  expenseNumber,
  type Filed,
  fileHalfAMonth,
  openCompany,
  type Recipient,
  read,
  receiptOf,
  review,
  signAll,
  signNewPolicy,
  submit,
  untilCounts,
  uploadReceipt,
  vaultOf,
  waitingFor,
  warningsOf,
} from '#test/support/finance-month.ts'
import {
  exportLines,
  gasOf,
  inOrder,
  recordsBehind,
  spendingBy,
  sum,
  totalOfGroups,
  transferOf,
  transfersFrom,
  unitsOf,
  verifyOffline,
} from '#test/support/month-end.ts'
import {
  approve,
  prepare,
  prepareAndSign,
  step,
  submitSignature,
  tokenBalance,
} from '#test/support/payments.ts'
import { membersOf, outcome } from '#test/support/steps.ts'
import { importSuppliers, mistyped, supplierFile } from '#test/support/supplier-file.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 90_000 })

let treasury: Treasury
let company: Company
/** Promoted in the middle of the month. */
let emil: Colleague
let period: string
let executorHad: bigint
/** Of the audit trail, written down in the middle of the month. */
let keptHead: string

/** The numbers of expenses in the second half that are not as they should be. */
const [UNDOCUMENTED, REUSED, TOO_LARGE] = [47, 51, 55]

const today = () => new Date().toISOString().slice(0, 10)

beforeAll(async () => {
  period = `from=${today()}`
  treasury = await startTreasury({ env: { RECEIPT_REQUIRED_ABOVE_BASE_UNITS: '10000000' } })
  company = await openCompany(treasury)
  emil = company.employees[0] as Colleague
  executorHad = await gasOf(company)
})
afterAll(async () => {
  await treasury.stop()
  await cleanUp()
})

describe('the first days', () => {
  test('fifteen people have their roles, and a manager sets the categories', async () => {
    const members = await membersOf(treasury.service, company)
    const inRole = (role: string) => members.filter((member) => member.role === role).length
    expect(['owner', 'manager', 'employee'].map(inRole)).toEqual([2, 3, 10])
    const { token } = company.bea.person
    const url = `${company.path}/categories`
    const set = await treasury.service.call('PUT', url, { token, body: { categories } })
    expect(outcome(set)).toBe('200')
  })

  test('a supplier file with one mistyped address adds nobody and names its row', async () => {
    const rows = supplierFile().map((row, at) =>
      at === 6 ? { ...row, address: mistyped(row.address) } : row,
    )
    const refused = await importSuppliers(company, rows, company.ada)
    expect(outcome(refused)).toBe('400 validation_failed')
    expect(refused.body.error.message).toBe(
      '`recipients[6].address` has a wrong EIP-55 checksum. ' +
        'Copy the address again from its source.',
    )
    const { body } = await read(company, 'recipients', company.ada)
    expect(body.recipients.map(({ label }: Recipient) => label)).toEqual(['Printers Ltd'])
  })

  test('the corrected file adds all twelve, and a new policy lets the vault pay them', async () => {
    const added = await importSuppliers(company, supplierFile(), company.ada)
    expect([outcome(added), added.body.warnings]).toEqual(['201', []])
    company.suppliers = added.body.recipients
    expect(company.suppliers).toHaveLength(12)
    expect((await vaultOf(company)).differences.missingRecipients).toHaveLength(12)
    await signNewPolicy(company)
    const { policy } = await vaultOf(company)
    expect(policy.recipientAddresses).toHaveLength(13)
    expect(policy.approverAddresses).toHaveLength(4)
  })
})

describe('the first half of the month', () => {
  test('of forty expenses with receipts, the thirty small ones need no signature', async () => {
    await fileHalfAMonth(company, 0)
    await untilCounts(company, { paid: 30, needs_review: 10 })
  })

  test('the ten larger ones are reviewed by an owner and signed by two managers', async () => {
    expect(await advanceAll(company, company.olu)).toBe(10)
    expect(await signAll(company, company.bea, { atMost: 4 })).toBe(4)
    expect(await signAll(company, company.carl)).toBe(6)
    await untilCounts(company, { paid: 40 })
  })
})

describe('the middle of the month', () => {
  test('an owner writes down the head of the audit trail', async () => {
    const { body } = await read(company, 'audit-head', company.ada)
    keptHead = `${body.sequence}:${body.hash}`
  })

  test('Emil becomes a finance manager and sees from then on what managers see', async () => {
    expect(outcome(await read(company, 'spending', emil))).toBe('403 role_required')
    const changed = await changeRole(company, emil, 'manager')
    expect([outcome(changed), changed.body.role]).toEqual(['200', 'manager'])
    expect(outcome(await read(company, 'spending', emil))).toBe('200')
    const events = 'audit-events?action=membership.role_changed&limit=1'
    expect((await read(company, events, company.ada)).body.auditEvents[0]).toMatchObject({
      displayName: 'Ada',
      data: { accountId: emil.person.accountId, from: 'employee', role: 'manager' },
    })
  })
})

describe('the second half of the month', () => {
  test('three of the next forty are not as they should be, and wait for a review', async () => {
    await fileHalfAMonth(company, 1, {
      [UNDOCUMENTED]: { receipt: null },
      [REUSED]: { receipt: REUSED - 40 },
      [TOO_LARGE]: { requestedMode: 'automatic' },
    })
    await untilCounts(company, { paid: 70, needs_review: 10 })
    expect(await warningsOf(company, UNDOCUMENTED)).toContain('receipt_missing')
    expect(await warningsOf(company, REUSED)).toContain('duplicate_receipt')
    expect(await warningsOf(company, TOO_LARGE)).toContain('automatic_cap')
  })

  test('Emil sends one back, rejects one, and leaves his own to an owner', async () => {
    const decide = async (number: number, action: string, reason: string) =>
      outcome(
        await review(company, await expenseNumber(company, number), { by: emil, action, reason }),
      )
    expect(await decide(43, 'advance_to_approval', 'Fine')).toBe('403 self_review')
    expect(await decide(UNDOCUMENTED, 'request_revision', 'Please add the receipt')).toBe('200')
    expect(await decide(REUSED, 'reject', 'This receipt was paid two weeks ago')).toBe('200')
    expect(await advanceAll(company, emil)).toBe(7)
    expect(await advanceAll(company, company.olu)).toBe(1)
    const others = { revision_requested: 1, rejected: 1 }
    await untilCounts(company, { paid: 70, awaiting_approval: 8, ...others })
  })

  test('the employee reads why, adds the receipt and submits the expense again', async () => {
    const { id, by, terms } = company.filed[UNDOCUMENTED] as Filed
    const { body } = await read(company, `expenses/${id}`, by)
    expect(body.reviews[0]).toMatchObject({ reason: 'Please add the receipt', displayName: 'Emil' })
    const attachmentIds = [await uploadReceipt(company, by, UNDOCUMENTED)]
    const revision = { ...terms, attachmentIds, expectedVersion: 1, reason: 'With the receipt' }
    const revised = await step(company, `expenses/${id}/revisions`, revision, by.person)
    expect(outcome(revised)).toBe('201')
    await submit(company, { id, by, version: 2 })
    await untilCounts(company, { paid: 70, awaiting_approval: 8, needs_review: 1, rejected: 1 })
    expect(await warningsOf(company, UNDOCUMENTED)).not.toContain('receipt_missing')
    expect(await advanceAll(company, company.olu)).toBe(1)
  })

  test('Bea goes on leave before she signs: Carl signs, and hers comes too late', async () => {
    const { bea, carl } = company
    const expense = await expenseNumber(company, UNDOCUMENTED)
    const prepared = await prepareAndSign(company, expense, bea)
    expect(outcome(await approve(company, expense, carl))).toBe('202')
    const late = await submitSignature(company, expense, prepared, bea.person)
    expect(outcome(late)).toBe('409 state_conflict')
  })

  test('Dora goes on a long leave: without her role she cannot sign, and Ada does', async () => {
    const { ada, dora } = company
    const expense = await expenseNumber(company, TOO_LARGE)
    const prepared = await prepareAndSign(company, expense, dora)
    const { notices } = (await endApproverRole(company, dora)).body
    expect(notices[0]).toContain(`may still list approver ${dora.wallet.address}`)
    const late = await submitSignature(company, expense, prepared, dora.person)
    expect(outcome(late)).toBe('403 approver_wallet_required')
    const again = await prepare(company, expense, {}, dora.person)
    expect(outcome(again)).toBe('403 approver_wallet_required')
    expect(await waitingFor(company, dora, 'awaiting_approval')).toEqual([])
    expect(await signAll(company, ada)).toBe(8)
    await untilCounts(company, { paid: 79, rejected: 1 })
  })

  test("a new policy removes Dora's wallet from the vault", async () => {
    const { address } = company.dora.wallet
    expect((await vaultOf(company)).differences.extraApprovers).toEqual([address])
    await signNewPolicy(company)
    const { policy } = await vaultOf(company)
    expect(policy.approverAddresses).toHaveLength(3)
    expect(policy.approverAddresses).not.toContain(address)
  })
})

describe('the end of the month', () => {
  /** By hand: everything that was filed, without the one that was rejected. */
  const paid = () => company.filed.filter(({ number }) => number !== REUSED)
  const totalOf = (expenses: Filed[]) => sum(expenses.map(({ amount }) => amount))
  const payments = (format: string) =>
    exportLines(company, { what: `payments.csv?${period}&format=${format}`, by: emil })

  beforeAll(() => {
    period += `&to=${today()}`
  })

  test('the lines of the export are exactly the transfers that the token logged', async () => {
    const lines = await payments('plain')
    expect(inOrder(lines.map(transferOf))).toEqual(inOrder(await transfersFrom(company)))
    expect(lines).toHaveLength(79)
  })

  test('the exports add up to what the vault paid, to the last unit', async () => {
    const spent = DEPOSITED - (await tokenBalance(company, company.vault.address))
    expect(spent).toBe(totalOf(paid()))
    const total = async (format: string, column: string) =>
      sum((await payments(format)).map((line) => unitsOf(line[column])))
    expect(await total('plain', 'amount')).toBe(spent)
    expect(await total('xero', '*Amount')).toBe(-spent)
    expect(await total('quickbooks', 'Amount')).toBe(-spent)
    const expenses = await exportLines(company, { what: `expenses.csv?${period}`, by: emil })
    const isPaid = expenses.filter(({ state }) => state === 'paid')
    expect([expenses.length, sum(isPaid.map(({ amount }) => unitsOf(amount)))]).toEqual([80, spent])
  })

  test('the gas in the export is what the executor paid, to the last wei', async () => {
    const gas = (await payments('plain')).map((line) => unitsOf(line.gas_paid, 18))
    expect(sum(gas)).toBe(executorHad - (await gasOf(company)))
  })

  test('spending by category, recipient, member, vault and month adds up to the same', async () => {
    const whole = { amount: totalOf(paid()), count: 79 }
    for (const by of ['category', 'recipient', 'member', 'vault', 'month'] as const) {
      const { groups, total } = await spendingBy(company, { by, period, reader: emil })
      expect([by, total, totalOfGroups(groups)]).toEqual([by, whole, whole])
    }
    const { groups } = await spendingBy(company, { by: 'category', period, reader: emil })
    const byHand = categories.map(({ code, name }) => {
      const own = paid().filter(({ terms }) => terms.category === code)
      return { key: code, label: name, amount: totalOf(own), count: own.length }
    })
    expect(new Set(groups)).toEqual(new Set(byHand))
  })

  test('a line leads to its receipt, and to evidence that the approver signed for it', async () => {
    const line = (await payments('plain')).find(({ reference }) => reference === 'INV-4047')
    expect(line).toMatchObject({ submitter: 'Fay', approver: 'Carl', revision: '2' })
    const { receipts, evidence } = await recordsBehind(company, { line, by: emil })
    expect(receipts).toEqual([receiptOf(UNDOCUMENTED)])
    expect((await verifyEvidence(evidence)).filter(({ holds }) => !holds)).toEqual([])
    const files = receipts.map((bytes) => ({ name: 'receipt.pdf', sha256: sha256Of(bytes) }))
    expect(fileFindings(evidence, files)).toEqual([expect.objectContaining({ holds: true })])
  })

  test('the audit trail verifies offline, up to the head of the middle of the month', async () => {
    const { text } = await read(company, 'exports/audit.jsonl', company.ada)
    const args = ['--organization', company.id, '--head', keptHead]
    const whole = await verifyOffline(text, args)
    expect([whole.code, whole.stderr]).toEqual([0, ''])
    expect(whole.stdout).toMatch(/\nVERIFIED: /)
    const edited = await verifyOffline(text.replace('Shop 3', 'Shop 9'), args)
    expect([edited.code, edited.stderr]).toEqual([1, expect.stringContaining('REFUSED')])
  })
})
