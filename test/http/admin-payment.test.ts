/** Operators read the story of one payment, and the executors of all organizations. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type House, house } from '#test/security/house.ts'
import { createOrganization, type TestApp } from '#test/support/app.ts'
import { writeExecutor } from '#test/support/books.ts'
import { type Operator, operatorTrail, signInOperator } from '#test/support/operators.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let operator: Operator
let home: House

beforeAll(async () => {
  service = await sharedTestApp()
  operator = await signInOperator(service)
  home = await house(service)
  await liftOwnersRowSecurity(service.database)
})

const read = (path: string, token = operator.token) =>
  service.call('GET', `/v1/admin/${path}`, { token })
const readStory = (paymentId: string, organizationId = home.organization.id) =>
  read(`organizations/${organizationId}/payments/${paymentId}`)

type Row = { id: string; expenseId: string; paymentId: string }
const detail = async () => (await read(`organizations/${home.organization.id}`)).body

describe('the story of a payment', () => {
  test('has every part of the organization that is about it, and no other', async () => {
    const all = await detail()
    const [payment] = all.payments as Row[]
    const { status, body } = await readStory(payment?.id ?? '')
    expect(status).toBe(200)
    expect(body.organization).toEqual({ id: home.organization.id, name: 'Acme' })
    expect(body.payment).toEqual(payment)
    expect(body.expense).toEqual(all.expenses.find((one: Row) => one.id === payment?.expenseId))
    const ofExpense = ({ expenseId }: Row) => expenseId === payment?.expenseId
    const ofPayment = ({ paymentId }: Row) => paymentId === payment?.id
    for (const kind of ['agentRuns', 'reports', 'approvals']) {
      expect(body[kind]).toEqual(all[kind].filter(ofExpense))
    }
    expect(body.attempts).toEqual(all.attempts.filter(ofPayment))
    expect(body.attemptsAhead).toEqual([])
    expect(body.receipt).toEqual(all.receipts.find(ofPayment) ?? null)
    expect(JSON.stringify(body)).not.toMatch(/"signature"|typedData|signedTransaction/)
  })

  test('is found by its expense too, also before anything is set aside', async () => {
    const all = await detail()
    const paid = new Set(all.payments.map((one: Row) => one.expenseId))
    for (const { id, paymentId } of all.expenses as Row[]) {
      const { body } = await readStory(id)
      expect(body.expense.id).toBe(id)
      expect(body.payment === null).toBe(!paid.has(id))
      expect((await readStory(paymentId)).body.expense.id).toBe(id)
    }
  })

  test("is 404 for another organization's payment, and 400 for what is no id", async () => {
    const [payment] = (await detail()).payments as Row[]
    const other = await createOrganization(service)
    expect(outcome(await readStory(payment?.id ?? '', other.id))).toBe('404 not_found')
    expect(outcome(await readStory(randomUUID()))).toBe('404 not_found')
    expect(outcome(await readStory(payment?.id ?? '', randomUUID()))).toBe('404 not_found')
    expect(outcome(await readStory('x'))).toBe('400 validation_failed')
  })

  test("is recorded in the organization's trail, and a miss in the service's", async () => {
    const [payment] = (await detail()).payments as Row[]
    const paymentId = payment?.id ?? ''
    await readStory(paymentId)
    const organizationId = home.organization.id
    const [event] = (await operatorTrail(service, operator)).slice(-1)
    expect(event).toMatchObject({
      organizationId,
      action: 'operator.read',
      data: { operation: 'getAdminPayment', paymentId },
    })
    const missing = randomUUID()
    await readStory(missing)
    const [miss] = (await operatorTrail(service, operator)).slice(-1)
    const data = { operation: 'getAdminPayment', organizationId, paymentId: missing }
    expect(miss).toMatchObject({ organizationId: null, action: 'operator.read', data })
  })
})

describe('the list of executors', () => {
  type Listed = Record<string, unknown> & { id: string }
  const listOf = async (query = '') => (await read(`executors${query}`)).body.executors as Listed[]
  const update = (id: string, set: string) =>
    service.database.asOwner(`update executor_bindings set ${set} where id = $1`, [id])

  test('has the gas of each with its organization, newest first, by pages', async () => {
    const made = await createOrganization(service)
    const { bindingId, address } = await writeExecutor(service, made.id)
    await update(bindingId, 'native_balance_wei = 1, balance_read_at = now()')
    const [first, second] = await listOf()
    expect(first).toMatchObject({
      id: bindingId,
      organizationId: made.id,
      address: expect.stringMatching(new RegExp(address, 'i')),
      status: 'active',
      nativeBalanceWei: '1',
      paysOwnGas: true,
      isHeld: false,
      severity: 'action_required',
      code: 'gas_low',
    })
    const page = await read('executors?limit=1')
    expect(page.body.executors).toEqual([first])
    expect(await listOf(`?limit=1&cursor=${page.body.nextCursor}`)).toEqual([second])
  })

  test('keeps one that was replaced, and has nothing to say about it', async () => {
    const made = await createOrganization(service)
    const { bindingId } = await writeExecutor(service, made.id)
    await update(bindingId, "state = 'disabled', is_held = true")
    const [first] = await listOf()
    expect(first).toMatchObject({ id: bindingId, status: 'disabled', severity: 'healthy' })
  })

  test("is recorded in the service's trail", async () => {
    await listOf()
    const [event] = (await operatorTrail(service, operator)).slice(-1)
    const data = { operation: 'listAdminExecutors' }
    expect(event).toMatchObject({ organizationId: null, action: 'operator.read', data })
  })
})

test('lists of failures and cases name their organizations', async () => {
  const named = { id: home.organization.id, name: 'Acme' }
  expect((await read('support-cases')).body.organizations).toContainEqual(named)
  const failures = (await read('failures')).body
  const ids = ['analysisRuns', 'payments', 'paymentAttempts', 'unrecordedPayments']
    .flatMap((kind) => failures[kind])
    .map(({ organizationId }: { organizationId: string }) => organizationId)
  const names = failures.organizations.map(({ id }: { id: string }) => id)
  expect(names.sort()).toEqual([...new Set(ids)].sort())
})

test('an organization is found by a case of it', async () => {
  const [{ id }] = (await detail()).supportCases as [Row]
  const { body } = await read(`organizations?q=${id}`)
  expect(body.organizations.map((one: Row) => one.id)).toEqual([home.organization.id])
})
