/** Exports as CSV: formats, cells, streaming, roles and the audit event; and sums of payments. */
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportPayments } from '#accounting/export-records.ts'
import type { Db } from '#platform/database/database.ts'
import { createOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { writeVaults } from '#test/support/books.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { type PaidExpense, writePaid } from '#test/support/paid-books.ts'
import { addRecipient, auditTrail, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let secondVaultId: string
let otherRecipientId: string
let january: PaidExpense
let march: PaidExpense
let hostile: PaidExpense

beforeAll(async () => {
  service = await startTestApp()
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
afterAll(() => service.stop())

const name = (accountId: string, text: string) =>
  service.database.asOwner(
    'insert into profiles (account_id, name, updated_at) values ($1, $2, now())',
    [accountId, text],
  )

const get = (path: string, { token }: Person = house.organization.owner) =>
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

  test('is refused without a role that may see everything, and leaves no event', async () => {
    const { id } = house.organization
    const before = (await auditTrail(service.database, id)).length
    for (const path of ['exports/payments.csv', 'exports/expenses.csv', 'spending']) {
      expect(outcome(await get(path, house.employee))).toBe('403 role_required')
      const { owner } = await createOrganization(service)
      expect(outcome(await get(path, owner))).toBe('403 forbidden')
      expect(outcome(await get(`${path}?from=soon`))).toBe('400 validation_failed')
      expect(outcome(await get(`${path}?from=2026-02-01&to=2026-01-01`))).toBe(
        '400 validation_failed',
      )
    }
    expect(outcome(await get('exports/payments.csv?format=excel'))).toBe('400 validation_failed')
    expect((await auditTrail(service.database, id)).length).toBe(before)
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

describe('GET spending', () => {
  const sums = async (query: string) => {
    const { status, body } = await get(`spending${query}`, house.manager)
    expect(status).toBe(200)
    return body
  }

  test('sums up confirmed payments by month in the order of time', async () => {
    expect(await sums('')).toEqual({
      groups: [
        { key: '2026-01', label: '2026-01', amountBaseUnits: '12345678', count: 1 },
        { key: '2026-03', label: '2026-03', amountBaseUnits: '25000001', count: 2 },
      ],
      total: '37345679',
      count: 3,
    })
  })

  test.each([
    ['recipient', () => [otherRecipientId, 'Nordic "Air", Oslo', '25000000']],
    ['member', () => [house.manager.accountId, null, '25000000']],
    ['vault', () => [secondVaultId, expect.any(String), '25000000']],
    ['category', () => [null, null, '25000000']],
  ])('sums up by %s from the largest', async (by, expected) => {
    const { groups, total } = await sums(`?by=${by}`)
    const [key, label, amountBaseUnits] = expected()
    expect(groups[0]).toEqual({ key, label, amountBaseUnits, count: 1 })
    expect(total).toBe('37345679')
  })

  test('names categories as the list does now, or as the revision did', async () => {
    await service.database.asOwner(
      `insert into categories (organization_id, code, name, position)
       values ($1, 'office', 'Office and paper', 0)`,
      [house.organization.id],
    )
    const { groups } = await sums('?by=category')
    expect(groups.map(({ label }: { label: string }) => label)).toEqual([
      null,
      'Office and paper',
      '\tTabbed',
    ])
  })

  test('limits the sums to a period', async () => {
    expect(await sums('?to=2026-01-31')).toMatchObject({ total: '12345678', count: 1 })
    expect(await sums('?from=2027-01-01')).toEqual({ groups: [], total: '0', count: 0 })
  })

  test('rejects an unknown group with 400', async () => {
    expect(outcome(await get('spending?by=colour'))).toBe('400 validation_failed')
  })
})

describe('a large export', () => {
  const MANY = 10_000
  let home: ExpenseHouse

  beforeAll(async () => {
    home = await openExpenseHouse(service)
    const paid = await writePaid(service, home, { confirmedAt: '2025-01-01T00:00:00Z' })
    const { asOwner } = service.database
    const values = [home.organization.id, paid.expenseId]
    const id = (kind: string) => `('01900000-${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
    const rows = `from generate_series(2, ${MANY}) n`
    // Several share a moment, and moments have microseconds: no line is lost or repeated.
    const at = `'2025-06-01Z'::timestamptz + n / 7 * interval '333 microseconds'`
    await asOwner(
      `insert into expenses (id, organization_id, submitter_account_id, payment_id,
         current_revision, state, created_at, updated_at)
       select ${id('000e')}, $1, e.submitter_account_id, ${id('000f')}, 1, 'paid', ${at}, ${at}
       ${rows}, expenses e where e.id = $2`,
      values,
    )
    await asOwner(
      `insert into expense_revisions (organization_id, expense_id, revision, vault_id,
         recipient_id, recipient_label, recipient_address, amount, requested_mode, purpose,
         purpose_key, version_hash, author_account_id, created_at)
       select $1, ${id('000e')}, 1, r.vault_id, r.recipient_id, r.recipient_label,
         r.recipient_address, n, 'automatic', 'Line ' || n || ', "quoted"', '\\x00',
         r.version_hash, r.author_account_id, ${at}
       ${rows}, expense_revisions r where r.expense_id = $2`,
      values,
    )
    await asOwner(
      `insert into payments (id, organization_id, expense_id, expense_revision,
         expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
         amount, policy_version, report_id, report_hash, deadline, state, created_at, updated_at)
       select ${id('000f')}, $1, ${id('000e')}, 1, p.expense_version_hash, p.vault_id,
         '0x' || lpad(to_hex(n), 64, '0'), 'automatic', p.recipient_address, p.token_address, n,
         1, p.report_id, p.report_hash, p.deadline, 'confirmed', ${at}, ${at}
       ${rows}, payments p where p.expense_id = $2`,
      values,
    )
    await asOwner(
      `insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
         block_hash, log_index, status, gas_used, effective_gas_price, execution, confirmed_at)
       select $1, ${id('000f')}, '0x' || lpad(to_hex(n), 64, '0'), n, '0x', 0, 'success', 1, 1,
         '{}', ${at} ${rows}`,
      [home.organization.id],
    )
  }, 300_000)

  const actor = () => {
    const { organization } = home
    const { accountId } = organization.owner
    return { organizationId: organization.id, accountId, role: 'owner' as const, requestId: 'r' }
  }

  const memberOf = async () => {
    const [row] = await service.database.asOwner<{ id: string }>(
      'select id from memberships where organization_id = $1 and account_id = $2',
      [home.organization.id, home.organization.owner.accountId],
    )
    return { ...actor(), membershipId: row?.id ?? '' }
  }

  /** Counts the pages that are read. */
  const counting = () => {
    const counted = { transactions: 0 }
    const { db } = service.ctx
    const watched: Db = {
      ...db,
      transaction: (scope, work, options) => {
        counted.transactions += 1
        return db.transaction(scope, work, options)
      },
    }
    return { counted, ctx: { ...service.ctx, db: watched } }
  }

  test('has every payment once, as the database has them', async () => {
    const { text } = await service.call('GET', `${home.organization.path}/exports/payments.csv`, {
      token: home.organization.owner.token,
    })
    const lines = parse(text, { columns: true }) as Record[]
    const stored = await service.database.asOwner<{ id: string; amount: string; purpose: string }>(
      `select p.id, p.amount::text, r.purpose from payments p
       join payment_receipts c on c.payment_id = p.id
       join expense_revisions r on r.expense_id = p.expense_id
       where p.organization_id = $1 order by c.confirmed_at, p.id`,
      [home.organization.id],
    )
    const exact = ({ amount = '' }: Record) => {
      const [whole = '', places = ''] = amount.split('.')
      return BigInt(whole + places.padEnd(6, '0')).toString()
    }
    expect(lines.map((line) => [line.payment_id, exact(line), line.purpose])).toEqual(
      stored.map(({ id, amount, purpose }) => [id, amount, purpose]),
    )
    expect(lines).toHaveLength(MANY)
  }, 60_000)

  test('reads a page only when the lines before it are taken', async () => {
    const { counted, ctx } = counting()
    const input = { actor: await memberOf(), period: {}, format: 'plain' as const }
    const lines = await exportPayments(ctx, input)
    expect(counted.transactions).toBe(1)
    await lines.next()
    expect(counted.transactions).toBe(1)
    await lines.next()
    expect(counted.transactions).toBe(2)
    let longest = 0
    for await (const text of lines) longest = Math.max(longest, text.length)
    expect(counted.transactions).toBe(1 + 1 + MANY / 500)
    // A page of 500 lines is all that is in memory at a time.
    expect(longest).toBeLessThan(400_000)
  }, 60_000)

  test('stops reading while nobody reads on, and for good when the client leaves', async () => {
    const { counted, ctx } = counting()
    const input = { actor: await memberOf(), period: {}, format: 'plain' as const }
    // As the route sends it: Node pauses the stream while the socket does not drain.
    const stream = Readable.from(await exportPayments(ctx, input))
    const slow = new PassThrough({ highWaterMark: 1 })
    stream.pipe(slow)
    // The header, a page that waits in the pipe, and the one after it.
    await expect.poll(() => counted.transactions).toBeGreaterThan(1)
    const paused = await settled(() => counted.transactions)
    expect(paused).toBeLessThanOrEqual(4)
    stream.destroy()
    await once(stream, 'close')
    expect(await settled(() => counted.transactions)).toBeLessThanOrEqual(paused + 1)
  }, 60_000)
})

/** The value once it has stayed the same for ten looks. */
async function settled(read: () => number): Promise<number> {
  let [seen, same] = [read(), 0]
  await expect
    .poll(() => {
      same = read() === seen ? same + 1 : 0
      seen = read()
      return same
    })
    .toBeGreaterThan(10)
  return seen
}
