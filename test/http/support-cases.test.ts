/** Members open support cases; operators add notes and change their status. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SupportCaseState, supportCaseMachine } from '#support/support-case.machine.ts'
import { type House, house } from '#test/security/house.ts'
import type { TestApp } from '#test/support/app.ts'
import { addNote, type Operator, openCase, signInOperator } from '#test/support/operators.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  auditTrail,
  liftOwnersRowSecurity,
  liveTrail,
  outcome,
  tally,
  times,
} from '#test/support/steps.ts'

let service: TestApp
let home: House
let other: House
let operator: Operator

beforeAll(async () => {
  service = await sharedTestApp()
  home = await house(service)
  other = await house(service)
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
})
// An account with many open cases can open no more.
afterEach(() => service.database.asOwner(`update support_cases set state = 'resolved'`))

const countCases = async (organizationId = home.organization.id) =>
  service.database.asOwner('select id from support_cases where organization_id = $1', [
    organizationId,
  ])

describe('opening a case', () => {
  test('with only a subject has medium priority and no reference', async () => {
    const { body, status } = await openCase(service, home.organization)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      organizationId: home.organization.id,
      openedByAccountId: home.organization.owner.accountId,
      displayName: null,
      expenseId: null,
      paymentIntentId: null,
      subject: 'It does not arrive',
      priority: 2,
      status: 'open',
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    })
  })

  test('may reference an expense and its payment', async () => {
    const { signedExpenseId: expenseId, paymentId, employee } = home
    const about = { person: employee, priority: 3, expenseId, paymentId }
    const { body } = await openCase(service, home.organization, about)
    expect(body).toMatchObject({ expenseId, paymentIntentId: paymentId, priority: 3 })
    expect(body.openedByAccountId).toBe(employee.accountId)
  })

  test('is recorded in the audit trail and as a live event of its opener', async () => {
    const { body } = await openCase(service, home.organization, {
      person: home.employee,
      priority: 3,
    })
    const { id } = home.organization
    expect((await auditTrail(service.database, id)).at(-1)).toMatchObject({
      action: 'support_case.opened',
      actorRealm: 'consumer',
      actorAccountId: home.employee.accountId,
      aggregateId: body.id,
      data: { subject: 'It does not arrive', priority: 3, expenseId: null, paymentId: null },
    })
    expect((await liveTrail(service.database, id)).at(-1)).toEqual({
      kind: 'support_case.changed',
      aggregateType: 'support_case',
      aggregateId: body.id,
      audience: 'both',
      targetState: 'open',
      severity: 'action_required',
      code: 'opened',
    })
    const [event] = await service.database.asOwner(
      'select account_id as "accountId" from live_events where aggregate_id = $1',
      [body.id],
    )
    expect(event).toEqual({ accountId: home.employee.accountId })
  })

  test.each<[string, Record<string, unknown>]>([
    ['no subject', { subject: undefined }],
    ['an empty subject', { subject: '' }],
    ['a subject of blanks', { subject: ' \u200b ' }],
    ['a subject of 201 characters', { subject: 'x'.repeat(201) }],
    ['a subject of two lines', { subject: 'a\nb' }],
    ['priority 0', { priority: 0 }],
    ['priority 4', { priority: 4 }],
    ['priority 1.5', { priority: 1.5 }],
    ['a priority as text', { priority: 'high' }],
    ['null as priority', { priority: null }],
    ['a malformed expense id', { expenseId: 'x' }],
    ['null as payment', { paymentId: null }],
    ['an empty body', { body: '' }],
    ['a body of blanks', { body: ' \n ' }],
    ['a body of 4001 characters', { body: 'x'.repeat(4001) }],
    ['an unknown property', { status: 'resolved' }],
  ])('rejects %s with 400 and stores nothing', async (_what, wrong) => {
    const before = await countCases()
    expect(outcome(await openCase(service, home.organization, wrong))).toBe('400 validation_failed')
    expect(await countCases()).toEqual(before)
  })

  test('stores a subject of 200 characters of any script unchanged', async () => {
    const subject = '漢😀'.repeat(100)
    const { body } = await openCase(service, home.organization, { subject })
    expect(body.subject).toBe(subject)
  })

  test.each<[string, () => Record<string, unknown>]>([
    ['an unknown expense', () => ({ expenseId: randomUUID() })],
    ['an unknown payment', () => ({ paymentId: randomUUID() })],
    ["another organization's expense", () => ({ expenseId: other.draftExpenseId })],
    ["another organization's payment", () => ({ paymentId: other.paymentId })],
  ])('about %s is 403 and stores nothing', async (_what, about) => {
    const before = await countCases()
    expect(outcome(await openCase(service, home.organization, about()))).toBe('403 forbidden')
    expect(await countCases()).toEqual(before)
  })

  test("is 403 for an employee who names a colleague's expense or payment", async () => {
    const { body: own } = await service.call('POST', `${home.organization.path}/expenses`, {
      token: home.manager.token,
      headers: { 'idempotency-key': randomUUID() },
      body: {
        vaultId: home.defaultVaultId,
        recipientId: home.recipientId,
        purpose: 'Paper',
        amountBaseUnits: '5',
        requestedMode: 'approved',
      },
    })
    const about = { person: home.employee, expenseId: own.id }
    expect(outcome(await openCase(service, home.organization, about))).toBe('403 forbidden')
    const owners = { expenseId: own.id }
    expect(outcome(await openCase(service, home.organization, owners))).toBe('201')
  })

  test('is 400 for an expense with the payment of another', async () => {
    const mixed = { expenseId: home.draftExpenseId, paymentId: home.paymentId }
    const answer = await openCase(service, home.organization, mixed)
    expect(outcome(answer)).toBe('400 validation_failed')
  })
})

const states = Object.keys(supportCaseMachine.moves) as SupportCaseState[]

/** The steps that bring a case from `open` to each state. */
const ways: Record<SupportCaseState, SupportCaseState[]> = {
  open: [],
  investigating: ['investigating'],
  resolved: ['resolved'],
  reopened: ['resolved', 'reopened'],
}

/** The transitions that an operator may make, written by hand. */
const possible: Record<SupportCaseState, SupportCaseState[]> = {
  open: ['investigating', 'resolved'],
  investigating: ['resolved'],
  resolved: ['reopened'],
  reopened: ['investigating'],
}

async function caseIn(state: SupportCaseState): Promise<string> {
  const { body } = await openCase(service, home.organization)
  for (const status of ways[state]) {
    expect(outcome(await addNote(service, operator, body.id, { status }))).toBe('201')
  }
  return body.id
}

const stateOf = async (id: string) =>
  (await service.database.asOwner('select state from support_cases where id = $1', [id]))[0]?.state

describe('a note', () => {
  const cells = states.flatMap((from) => states.map((to) => [from, to] as const))

  test.each(cells)('from %s to %s follows the transition table', async (from, to) => {
    const id = await caseIn(from)
    const notes = 'select id from support_notes where support_case_id = $1'
    const before = await service.database.asOwner(notes, [id])
    const answer = await addNote(service, operator, id, { status: to })
    const isPossible = possible[from].includes(to)
    expect(outcome(answer)).toBe(isPossible ? '201' : '400 invalid_transition')
    expect(await stateOf(id)).toBe(isPossible ? to : from)
    if (isPossible) expect(answer.body.statusAfter).toBe(to)
    else expect(await service.database.asOwner(notes, [id])).toEqual(before)
  })

  test("without a status keeps the case's status and updates its time", async () => {
    const id = await caseIn('investigating')
    const { status, body } = await addNote(service, operator, id, { body: 'Line one\nline two' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      supportCaseId: id,
      authorAccountId: operator.accountId,
      body: 'Line one\nline two',
      statusAfter: null,
      visibleToCustomer: false,
      createdAt: expect.any(String),
    })
    expect(await stateOf(id)).toBe('investigating')
    const [row] = await service.database.asOwner<{ isTouched: boolean }>(
      'select updated_at > created_at as "isTouched" from support_cases where id = $1',
      [id],
    )
    expect(row?.isTouched).toBe(true)
  })

  test("is recorded in the organization's audit trail and as a live event", async () => {
    const id = await caseIn('open')
    const { body: silent } = await addNote(service, operator, id)
    const { body: moving } = await addNote(service, operator, id, { status: 'resolved' })
    const organizationId = home.organization.id
    const trail = (await auditTrail(service.database, organizationId)).slice(-2)
    expect(trail).toMatchObject([
      { action: 'support_case.noted', data: { noteId: silent.id, from: 'open', to: 'open' } },
      { action: 'support_case.moved', data: { noteId: moving.id, from: 'open', to: 'resolved' } },
    ])
    for (const event of trail) {
      expect(event).toMatchObject({ actorRealm: 'admin', actorAccountId: operator.accountId })
    }
    const live = (await liveTrail(service.database, organizationId)).slice(-2)
    expect(live).toMatchObject([
      { aggregateId: id, targetState: 'open', severity: 'degraded', code: 'noted' },
      { aggregateId: id, targetState: 'resolved', severity: 'healthy', code: null },
    ])
  })

  test.each<[string, Record<string, unknown>]>([
    ['no body', { body: undefined }],
    ['an empty body', { body: '' }],
    ['a body of blanks', { body: '\n \n' }],
    ['a body of 4001 characters', { body: 'x'.repeat(4001) }],
    ['a control character', { body: 'a\u0007b' }],
    ['an unknown status', { status: 'closed' }],
    ['null as status', { status: null }],
    ['null as visibility', { visibleToCustomer: null }],
    ['an unknown property', { priority: 3 }],
  ])('rejects %s with 400', async (_what, wrong) => {
    const answer = await addNote(service, operator, home.caseId, wrong)
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('is 404 for an unknown case and 400 for a malformed id', async () => {
    expect(outcome(await addNote(service, operator, randomUUID()))).toBe('404 not_found')
    expect(outcome(await addNote(service, operator, 'x'))).toBe('400 validation_failed')
  })

  test('requires an operator', async () => {
    const { owner } = home.organization
    expect(outcome(await addNote(service, owner, home.caseId))).toBe('403 realm_mismatch')
    const { accessToken: token } = await service.identity.issue({
      realm: 'admin',
      subject: 'nobody in particular',
    })
    expect(outcome(await addNote(service, { token }, home.caseId))).toBe('403 operator_required')
  })

  test('changes the status once for six concurrent operators', async () => {
    const id = await caseIn('open')
    const answers = await Promise.all(
      times(6, () => addNote(service, operator, id, { status: 'investigating' })),
    )
    expect(tally(answers)).toEqual({ '201': 1, '400 invalid_transition': 5 })
  })
})
