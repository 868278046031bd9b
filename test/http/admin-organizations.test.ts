/** Organizations as operators see them: the paged list and the detail of one. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SHOWN } from '#admin/read-organization.ts'
import { type House, house } from '#test/security/house.ts'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { addNote, type Operator, openCase, signInOperator } from '#test/support/operators.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

type Listed = Record<string, unknown>

let service: TestApp
let home: House
let operator: Operator

beforeAll(async () => {
  service = await startTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const read = (path: string, token = operator.token) =>
  service.call('GET', `/v1/admin/organizations${path}`, { token })
const run = (text: string, values: unknown[] = []) => service.database.asOwner(text, values)

/** A house without the unrecorded payment. */
const calmHouse = async (): Promise<House> => {
  const made = await house(service)
  await run('delete from unrecorded_payments where organization_id = $1', [made.organization.id])
  return made
}

const elementOf = async (id: string) => (await read(`?q=${id}`)).body.organizations[0]

describe('the list of organizations', () => {
  test('returns the fields of an admin organization with its counts', async () => {
    const { id } = home.organization
    expect(await elementOf(id)).toEqual({
      id,
      name: 'Acme',
      createdAt: expect.any(String),
      // Neither the revoked member nor disabled vaults are counted.
      memberCount: 3,
      vaultCount: 2,
      openSupportCases: 1,
      failedPayments: 0,
      unrecordedPayments: 1,
      severity: 'action_required',
    })
  })

  test('is sorted newest first and pages by cursor', async () => {
    const made: string[] = []
    for (let n = 0; n < 5; n += 1) made.unshift((await createOrganization(service)).id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { body } = await read(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      expect(body.organizations.length).toBeLessThanOrEqual(2)
      seen.push(...body.organizations.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual([...made, home.organization.id])
    expect(seen).toEqual(seen.toSorted().reverse())
  })

  test.each([
    ['limit=0'],
    ['limit=201'],
    ['limit=x'],
    ['cursor=x'],
    [`q=${'x'.repeat(101)}`],
    ['q=%00'],
    ['q=a&q=b'],
  ])('%s is 400', async (query) => {
    expect((await read(`?${query}`)).status).toBe(400)
  })

  test.each<[string, string]>([
    ['an urgent case', "update support_cases set priority = 3 where state = 'open'"],
    ['a blocked payment', "update payments set state = 'blocked', block_code = 'x'"],
    ['a held executor', 'update executor_bindings set is_held = true'],
    ['a failed executor', "update executor_provisionings set state = 'failed'"],
  ])('shows severity action_required for %s', async (_what, change) => {
    const own = await calmHouse()
    const { id } = own.organization
    expect((await elementOf(id)).severity).toBe('degraded')
    await run(`${change}${change.includes('where') ? ' and' : ' where'} organization_id = $1`, [id])
    expect((await elementOf(id)).severity).toBe('action_required')
  })

  test('shows degraded for a reconciling payment and healthy without problems', async () => {
    const own = await calmHouse()
    const { id } = own.organization
    await addNote(service, operator, own.caseId, { status: 'resolved' })
    expect((await elementOf(id)).severity).toBe('healthy')
    await run("update payments set state = 'reconciling' where organization_id = $1", [id])
    expect((await elementOf(id)).severity).toBe('degraded')
  })
})

describe('an organization in detail', () => {
  test('returns every array, each in the shape of its resource', async () => {
    const { body, status } = await read(`/${home.organization.id}`)
    expect(status).toBe(200)
    expect(body.organization).toEqual(await elementOf(home.organization.id))
    const lengths = Object.fromEntries(
      Object.entries<unknown>(body)
        .filter(([name, value]) => Array.isArray(value) && name !== 'auditEvents')
        .map(([name, value]) => [name, (value as unknown[]).length]),
    )
    expect(lengths).toEqual({
      treasuryVaults: 2,
      vaultTerms: 2,
      members: 4,
      expenses: 4,
      expenseComments: 1,
      reports: 3,
      agentRuns: 3,
      approvals: 2,
      payments: 1,
      attempts: 1,
      receipts: 1,
      supportCases: 1,
      supportNotes: 1,
      truncated: 0,
    })
    expect(body.auditEvents.length).toBeGreaterThan(20)
  })

  test('lists exactly what members read themselves', async () => {
    const { token } = home.organization.owner
    const own = async (path: string) =>
      (await service.call('GET', `${home.organization.path}/${path}`, { token })).body
    const { body } = await read(`/${home.organization.id}`)
    expect(body.treasuryVaults).toEqual((await own('vaults')).vaults)
    // E-mail addresses are for owners only.
    const members = (await own('members')).members.map(({ email, ...member }: Listed) => member)
    expect(body.members).toEqual(members)
    expect(body.expenses).toEqual((await own('expenses')).expenses)
    const payments = (await own('activity')).payments.map(
      ({
        approvers,
        category,
        confirmedAt,
        purpose,
        recipientLabel,
        reference,
        ...payment
      }: Listed) => payment,
    )
    expect(body.payments).toEqual(payments)
    const payment = await own(`payments/${home.paymentId}`)
    const { paymentId } = home
    const organizationId = home.organization.id
    expect(body.attempts).toEqual([{ ...payment.attempts[0], organizationId, paymentId }])
    expect(body.receipts).toEqual([{ ...payment.receipt, paymentId }])
    const report = await own(`reports/${home.reportId}`)
    expect(body.reports).toContainEqual(report)
    const expense = await own(`expenses/${home.reportedExpenseId}`)
    expect(body.expenseComments).toEqual([
      { ...expense.comments[0], expenseId: home.reportedExpenseId },
    ])
  })

  test('includes approvals, analysis runs and audit events for investigations', async () => {
    const { body } = await read(`/${home.organization.id}`)
    const [signed, prepared] = body.approvals
    expect(Object.keys(signed).sort()).toEqual([
      ...['accountId', 'approverAddress', 'cancelledAt', 'createdAt', 'deadline', 'digest'],
      ...['displayName', 'endCode', 'expenseId', 'expenseRevision', 'expenseVersionHash', 'id'],
      ...['invalidationTransactionHash', 'organizationId', 'policyVersion', 'reportHash', 'state'],
      ...['updatedAt', 'vaultId'],
    ])
    expect([prepared.id, prepared.state, signed.state]).toEqual([
      home.approvalId,
      'prepared',
      'signed',
    ])
    expect(body.agentRuns[0]).toMatchObject({ state: 'succeeded', failureCode: null, attempts: 1 })
    const seqs = body.auditEvents.map(({ seq }: { seq: number }) => seq)
    expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => b - a))
    expect(body.auditEvents.at(-1)).toMatchObject({
      action: 'organization.created',
      actorRealm: 'consumer',
      actorAccountId: home.organization.owner.accountId,
      data: expect.any(Object),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test(`shows the newest ${SHOWN} of each and names the truncated lists`, async () => {
    const { organization } = await house(service)
    await run(
      `insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
         state, created_at, updated_at)
       select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2,
         'Case ' || n, 1, 'resolved', now(), now() from generate_series(1, $3::integer) n`,
      [organization.id, organization.owner.accountId, SHOWN],
    )
    const { body } = await read(`/${organization.id}`)
    expect(body.supportCases).toHaveLength(SHOWN)
    expect(body.supportCases.at(-1).subject).toBe('Case 2')
    expect(body.truncated).toEqual(['supportCases'])
  })

  test('is 404 for an unknown organization and 400 for a malformed id', async () => {
    expect(outcome(await read(`/${randomUUID()}`))).toBe('404 not_found')
    expect(outcome(await read('/x'))).toBe('400 validation_failed')
  })
})

test('shows a new case and its note immediately', async () => {
  const organization = await createOrganization(service)
  const { body: opened } = await openCase(service, organization)
  const { body: note } = await addNote(service, operator, opened.id, { status: 'investigating' })
  const { body } = await read(`/${organization.id}`)
  expect(body.supportNotes).toEqual([note])
  expect(body.supportCases).toMatchObject([{ id: opened.id, status: 'investigating' }])
})
