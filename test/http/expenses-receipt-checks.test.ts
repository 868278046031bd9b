/** The checks of attachments, references, due dates and duplicates, from request to report. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { pdf, uploaded } from '#test/support/attachments.ts'
import { cancel, readExpense, readReport, submit } from '#test/support/expense-states.ts'
import {
  analyse,
  createExpense,
  type ExpenseHouse,
  openExpenseHouse,
} from '#test/support/expenses.ts'
import { addRecipient } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let count = 0

beforeAll(async () => {
  service = await startTestApp({ env: { RECEIPT_REQUIRED_ABOVE_BASE_UNITS: '75000000' } })
})
beforeEach(async () => {
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())

const receipt = (bytes = pdf()) =>
  uploaded(service, house.organization, { person: house.employee, bytes })

/** Differs from all others in purpose and amount. */
async function draft(terms: Record<string, unknown> = {}): Promise<string> {
  count += 1
  const own = {
    purpose: `Chapter ${count} of the handbook, order ${700 + count}`,
    amountBaseUnits: String(1_000_000 + count),
    requestedMode: 'automatic',
  }
  const made = await createExpense(service, house, { terms: { ...own, ...terms } })
  expect(made.status).toBe(201)
  return made.body.id
}

async function analysed(id: string) {
  const { body } = await submit(service, house, { id })
  await analyse(service, house, body.taskId)
  const expense = (await readExpense(service, house, id)).body
  const report = (await readReport(service, house, expense.currentReportId)).body
  const warned = report.output.checks.filter(
    ({ outcome }: { outcome: string }) => outcome !== 'pass',
  )
  return { state: expense.state, warned: warned.map(({ id: check }: { id: string }) => check) }
}

const submitted = async (terms?: Record<string, unknown>) => analysed(await draft(terms))

const clean = { state: 'automatic_ready_for_payment', warned: [] }
const flagged = (...warned: string[]) => ({ state: 'needs_review', warned })

test('an expense with a new receipt, reference and a coming due date is clean', async () => {
  const { id } = await receipt()
  const terms = { attachmentIds: [id], reference: 'INV-1', dueDate: '2099-12-31' }
  expect(await submitted(terms)).toEqual(clean)
})

test('bytes of another expense are found under another id, but not in drafts', async () => {
  const bytes = pdf()
  const idOf = async () => (await receipt(bytes)).id
  const first = await draft({ attachmentIds: [await idOf()] })
  expect(await submitted({ attachmentIds: [await idOf()] })).toEqual(clean)
  expect(await analysed(first)).toEqual(flagged('duplicate_receipt'))
  expect(await submitted({ attachmentIds: [(await receipt()).id] })).toEqual(clean)
})

test('bytes of an expense that was cancelled are not counted', async () => {
  const bytes = pdf()
  const terms = async () => ({ attachmentIds: [(await receipt(bytes)).id] })
  const id = await draft({ ...(await terms()), requestedMode: 'approved' })
  await analysed(id)
  expect((await cancel(service, house, { id })).status).toBe(200)
  expect(await submitted(await terms())).toEqual(clean)
})

test('bytes in another organization are not counted', async () => {
  const bytes = pdf()
  await submitted({ attachmentIds: [(await receipt(bytes)).id] })
  house = await openExpenseHouse(service)
  expect(await submitted({ attachmentIds: [(await receipt(bytes)).id] })).toEqual(clean)
})

test('a reference is found for the same recipient, in whatever spelling', async () => {
  expect(await submitted({ reference: 'INV 2026-17' })).toEqual(clean)
  expect(await submitted({ reference: ' inv  2026-17' })).toEqual(flagged('duplicate_reference'))
  // Looks the same, and is not found by an exact comparison.
  const disguised = 'INV\u00ad 2026\u200b-17\ufeff'
  expect(await submitted({ reference: disguised })).toEqual(flagged('duplicate_reference'))
  expect(await submitted({ reference: 'INV 2026-18' })).toEqual(clean)
  const { body } = await addRecipient(service, house.organization)
  const { warned } = await submitted({ reference: 'INV 2026-17', recipientId: body.id })
  expect(warned).not.toContain('duplicate_reference')
})

test('a receipt is missing above the configured amount', async () => {
  expect(await submitted({ amountBaseUnits: '75000000' })).toEqual(clean)
  expect(await submitted({ amountBaseUnits: '75000001' })).toEqual(flagged('receipt_missing'))
  const terms = { amountBaseUnits: '75000002', attachmentIds: [(await receipt()).id] }
  expect(await submitted(terms)).toEqual(clean)
})

test('a due date that is past is flagged', async () => {
  expect(await submitted({ dueDate: '2001-01-31' })).toEqual(flagged('due_date_past'))
})

test('a process whose clock is ahead hides no duplicate', async () => {
  const same = { purpose: 'Two chairs for the meeting room', amountBaseUnits: '31000000' }
  const first = await draft(same)
  expect((await analysed(first)).state).toBe('automatic_ready_for_payment')
  await service.database.asOwner(
    `update expense_revisions set submitted_at = now() + interval '1 minute' where expense_id = $1`,
    [first],
  )
  const { warned } = await submitted(same)
  expect(warned).toContain('duplicate_payment')
  expect(warned).toContain('duplicate_purpose')
})
