/** Exports as CSV: formats, cells, roles and the audit event. */
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '#test/support/app.ts'
import { writeVaults } from '#test/support/books.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { type PaidExpense, writePaid } from '#test/support/paid-books.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, auditTrail, liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let secondVaultId: string
let otherRecipientId: string
let january: PaidExpense
let march: PaidExpense
let hostile: PaidExpense

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  const { organization } = house
  const label = 'Nordic "Air", Oslo'
  otherRecipientId = (await addRecipient(service, organization, { label })).body.id
  secondVaultId = (await writeVaults(service, organization.id, 1)).ids[0] ?? ''
  await name(house.employee.accountId, 'Emma Employee')
  january = await writePaid(service, house, {
    confirmedAt: '2026-01-31T23:59:59.999Z',
    amount: 12_345_678n,
    category: 'office',
    categoryName: 'Office',
    reference: 'INV-7',
    dueDate: '2026-02-15',
    blockNumber: 4_242,
  })
  march = await writePaid(service, house, {
    purpose: 'Flight to Oslo,\r\n"window seat"',
    recipientId: otherRecipientId,
    recipientLabel: label,
    confirmedAt: '2026-03-01T00:00:00.000Z',
    submitterAccountId: house.manager.accountId,
    vaultId: secondVaultId,
    gasUsed: null,
    effectiveGasPrice: null,
  })
  hostile = await writePaid(service, house, {
    purpose: '=HYPERLINK("http://x","y")',
    recipientLabel: '@SUM(A1)',
    reference: '-1+1',
    category: '+cat',
    categoryName: '\tTabbed',
    amount: 1n,
    confirmedAt: '2026-03-01T00:00:00.000Z',
  })
  await writePaid(service, house, { state: 'failed' })
})

const name = (accountId: string, text: string) =>
  service.database.asOwner(
    `insert into profiles (account_id, name, updated_at) values ($1, $2, now())
     on conflict (account_id) do update set name = excluded.name`,
    [accountId, text],
  )

/** In turn, because an account may export ten times a minute. */
const readers = () => [house.organization.owner, house.manager] as [Person, Person]
let reads = 0
const get = (path: string, { token }: Person = readers()[(reads++ % 2) as 0 | 1]) =>
  service.call('GET', `${house.organization.path}/${path}`, { token })

type Record = { [column: string]: string }

async function rows(path: string): Promise<Record[]> {
  const { status, text, headers } = await get(path)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  return parse(text, { columns: true, recordDelimiter: '\r\n' }) as Record[]
}

const headerOf = async (path: string): Promise<string> =>
  (await get(path)).text.split('\r\n')[0] ?? ''

describe('GET exports/payments.csv', () => {
  test('has one line per confirmed payment with everything about it', async () => {
    const [first, second, ...more] = await rows('exports/payments.csv')
    expect(more).toHaveLength(1)
    const [vault] = await service.database.asOwner(
      'select label, address from vaults where id = $1',
      [house.vaultId],
    )
    expect(first).toEqual({
      confirmed_at: '2026-01-31T23:59:59.999Z',
      amount: '12.345678',
      currency: 'USDC',
      recipient: 'Acme Supplies',
      recipient_address: house.recipientAddress,
      purpose: 'Invoice for paper',
      reference: 'INV-7',
      category: 'office',
      category_name: 'Office',
      due_date: '2026-02-15',
      submitter: 'Emma Employee',
      submitter_account_id: house.employee.accountId,
      approver: '',
      approver_account_id: '',
      mode: 'automatic',
      vault: vault?.label,
      vault_address: expect.stringMatching(new RegExp(`^${vault?.address}$`, 'i')),
      chain_id: '31337',
      transaction_hash: january.transactionHash,
      block_number: '4242',
      executor_address: expect.stringMatching(/^0x[eE]{40}$/),
      gas_paid: '0.00009000000063',
      payment_id: january.paymentId,
      expense_id: january.expenseId,
      revision: '1',
    })
    expect(second).toMatchObject({
      amount: '25.00',
      recipient: 'Nordic "Air", Oslo',
      purpose: 'Flight to Oslo,\r\n"window seat"',
      submitter: '',
      gas_paid: '',
      payment_id: march.paymentId,
    })
  })

  test('marks text that a spreadsheet would run as a formula', async () => {
    const last = (await rows('exports/payments.csv')).at(-1)
    expect(last).toMatchObject({
      purpose: `'=HYPERLINK("http://x","y")`,
      recipient: "'@SUM(A1)",
      reference: "'-1+1",
      category: "'+cat",
      category_name: "'\tTabbed",
      amount: '0.000001',
      payment_id: hostile.paymentId,
    })
  })

  test.each([
    ['a first day', '?from=2026-02-01', 2],
    ['a last day', '?to=2026-01-31', 1],
    ['a moment', '?to=2026-01-31T23:59:59.999Z', 0],
    ['a day in between', '?from=2026-02-01&to=2026-02-28', 0],
  ])('limits the export to %s', async (_what, query, count) => {
    expect(await rows(`exports/payments.csv${query}`)).toHaveLength(count)
  })

  test("has the columns of Xero's bank statement import", async () => {
    const path = 'exports/payments.csv?format=xero'
    expect(await headerOf(path)).toBe('*Date,*Amount,Payee,Description,Reference,Check Number')
    const [first, second] = await rows(path)
    expect(first).toEqual({
      '*Date': '2026-01-31',
      '*Amount': '-12.345678',
      Payee: 'Acme Supplies',
      Description: 'Invoice for paper',
      Reference: 'INV-7',
      'Check Number': '',
    })
    expect(second).toMatchObject({
      '*Amount': '-25.00',
      Description: 'Flight to Oslo, "window seat"',
      Reference: march.transactionHash,
    })
  })

  test("has the three columns of QuickBooks's bank upload", async () => {
    const path = 'exports/payments.csv?format=quickbooks'
    expect(await headerOf(path)).toBe('Date,Description,Amount')
    const [first, , last] = await rows(path)
    expect(first).toEqual({
      Date: '2026-01-31',
      Description: `Acme Supplies | Invoice for paper | INV-7 | ${january.transactionHash}`,
      Amount: '-12.345678',
    })
    expect(last?.Description).toMatch(/^'@SUM\(A1\) \| =HYPERLINK/)
  })

  test('is a download that no cache keeps', async () => {
    const { headers } = await get('exports/payments.csv?from=2026-01-01T10:00:00Z&to=2026-12-31')
    expect(headers['content-disposition']).toBe(
      'attachment; filename="payments_2026-01-01_2026-12-31.csv"',
    )
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('is recorded in the audit trail with its range', async () => {
    const { id } = house.organization
    const before = (await auditTrail(service.database, id)).length
    await get('exports/payments.csv?from=2026-01-01&to=2026-01-31&format=xero', house.manager)
    const [event, ...more] = (await auditTrail(service.database, id)).slice(before)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      action: 'organization.payments_exported',
      aggregateType: 'organization',
      aggregateId: id,
      actorAccountId: house.manager.accountId,
      data: {
        format: 'xero',
        from: '2026-01-01T00:00:00.000Z',
        before: '2026-02-01T00:00:00.000Z',
      },
    })
  })
})

describe('GET exports/expenses.csv', () => {
  let draftId: string
  beforeAll(async () => {
    draftId = (await expenseIn(service, house, 'draft')).id
    await expenseIn(service, house, 'rejected')
  })

  test('has one line per expense at its current revision', async () => {
    const listed = await rows('exports/expenses.csv')
    const [{ count } = { count: 0 }] = await service.database.asOwner<{ count: number }>(
      'select count(*)::integer as count from expenses where organization_id = $1',
      [house.organization.id],
    )
    expect(listed).toHaveLength(count)
    const first = listed.find((row) => row.expense_id === january.expenseId)
    expect(first).toMatchObject({
      state: 'paid',
      amount: '12.345678',
      reference: 'INV-7',
      due_date: '2026-02-15',
      submitter: 'Emma Employee',
      paid_at: '2026-01-31T23:59:59.999Z',
      transaction_hash: january.transactionHash,
    })
    const draft = listed.find((row) => row.expense_id === draftId)
    expect(draft).toMatchObject({ state: 'draft', paid_at: '', transaction_hash: '' })
  })

  test("has the columns of Xero's bill template, without drafts and rejected ones", async () => {
    const path = 'exports/expenses.csv?format=xero'
    expect(await headerOf(path)).toBe(
      '*ContactName,EmailAddress,POAddressLine1,POAddressLine2,POAddressLine3,POAddressLine4,' +
        'POCity,PORegion,POPostalCode,POCountry,*InvoiceNumber,*InvoiceDate,*DueDate,Total,' +
        'InventoryItemCode,Description,*Quantity,*UnitAmount,*AccountCode,*TaxType,TaxAmount,' +
        'TrackingName1,TrackingOption1,TrackingName2,TrackingOption2,Currency',
    )
    const bills = await rows(path)
    expect(bills).toHaveLength(4)
    expect(bills.find((bill) => bill['*InvoiceNumber'] === 'INV-7')).toMatchObject({
      '*ContactName': 'Acme Supplies',
      '*InvoiceDate': '2026-01-31',
      '*DueDate': '2026-02-15',
      '*Quantity': '1',
      '*UnitAmount': '12.345678',
      '*AccountCode': 'office',
      Currency: 'USD',
    })
    // Without a reference or a due date.
    expect(bills.find((bill) => bill['*InvoiceNumber'] === march.expenseId)).toMatchObject({
      '*DueDate': '2026-03-01',
    })
  })

  test('has the fields of a bill in QuickBooks', async () => {
    const path = 'exports/expenses.csv?format=quickbooks'
    expect(await headerOf(path)).toBe(
      'Bill No.,Vendor,Bill Date,Due Date,Memo,Account,Line Description,Line Amount,Currency',
    )
    const bill = (await rows(path)).find((one) => one['Bill No.'] === 'INV-7')
    expect(bill).toMatchObject({ Vendor: 'Acme Supplies', 'Line Amount': '12.345678' })
  })

  test('is recorded in the audit trail', async () => {
    await get('exports/expenses.csv')
    const trail = await auditTrail(service.database, house.organization.id)
    expect(trail.at(-1)).toMatchObject({
      action: 'organization.expenses_exported',
      data: { format: 'plain', from: null },
    })
  })
})
