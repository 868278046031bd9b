import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { eventOf, resolveEvent } from '#test/push/steps.ts'
import {
  createOrganization,
  joinOrganization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { expenseIn, submit } from '#test/support/expense-states.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { membershipOf, outcome, randomAddress, revokeMember } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
/** The employee's expense, waiting for review. */
let expenseId: string
let eventId: string

beforeAll(async () => {
  service = await startTestApp()
  house = await openExpenseHouse(service)
  const expense = await expenseIn(service, house, 'needs_review')
  expenseId = expense.id
  eventId = await eventOf(service, { aggregateId: expenseId, targetState: 'needs_review' })
})
afterAll(() => service.stop())

const seen = () => ({
  category: 'review_needed',
  route: `/organizations/${house.organization.id}/expenses/${expenseId}`,
})

describe('resolving a message', () => {
  test('returns it to the owner, the manager and the submitter', async () => {
    for (const person of [house.organization.owner, house.manager, house.employee]) {
      const { status, body } = await resolveEvent(service, person, eventId)
      expect([status, body]).toEqual([200, seen()])
    }
    const inCapitals = await resolveEvent(service, house.manager, eventId.toUpperCase())
    expect(inCapitals.body).toEqual(seen())
  })

  test('is 404 for another employee', async () => {
    const { organization } = house
    const other = await joinOrganization(service, organization, { role: 'employee' })
    expect(outcome(await resolveEvent(service, other, eventId))).toBe('404 not_found')
  })

  test('is 403 for non-members and former members', async () => {
    const stranger = await service.signIn()
    const { owner } = await createOrganization(service)
    const gone = await joinOrganization(service, house.organization, { role: 'manager' })
    expect((await resolveEvent(service, gone, eventId)).status).toBe(200)
    const { membershipId } = await membershipOf(service, house.organization, gone)
    await revokeMember(service, house.organization, membershipId)
    for (const person of [stranger, owner, gone]) {
      expect(outcome(await resolveEvent(service, person, eventId))).toBe('403 forbidden')
    }
  })

  test('is 404 for an unknown event and 400 for a malformed id', async () => {
    const { manager } = house
    expect(outcome(await resolveEvent(service, manager, randomUUID()))).toBe('404 not_found')
    expect(outcome(await resolveEvent(service, manager, 'x'))).toBe('400 validation_failed')
  })

  test('is 404 for events that notify nobody', async () => {
    const made = await createExpense(service, house)
    await submit(service, house, { id: made.body.id })
    const quiet = await eventOf(service, {
      aggregateId: made.body.id,
      targetState: 'analysis_queued',
    })
    expect(outcome(await resolveEvent(service, house.manager, quiet))).toBe('404 not_found')
  })

  test('is 404 for events without an organization', async () => {
    await service.signIn(undefined, [{ address: randomAddress(), kind: 'external' }])
    const [row] = await service.database.asOwner<{ id: string }>(
      'select id from live_events where organization_id is null limit 1',
    )
    const answer = await resolveEvent(service, house.manager, row?.id ?? '')
    expect(outcome(answer)).toBe('404 not_found')
  })

  test('by an employee who signs returns only what they are to sign', async () => {
    const address = randomAddress()
    const person = await service.signIn(undefined, [{ address, kind: 'external' }])
    const { organization } = house
    await joinOrganization(service, organization, { role: 'employee', person })
    const { id } = await expenseIn(service, house, 'awaiting_approval')
    const asked = await eventOf(service, { aggregateId: id, targetState: 'awaiting_approval' })
    expect(outcome(await resolveEvent(service, person, asked))).toBe('404 not_found')
    const { membershipId } = await membershipOf(service, organization, person)
    const body = { membershipId, walletId: person.walletIds[0], role: 'approver' }
    const { token } = organization.owner
    await service.call('POST', `${organization.path}/wallet-roles`, { token, body })
    const { body: told } = await resolveEvent(service, person, asked)
    expect(told).toMatchObject({ category: 'approval_needed' })
    expect(outcome(await resolveEvent(service, person, eventId))).toBe('404 not_found')
  })
})

describe('a support case', () => {
  /** Writes a case as the support module does. */
  async function change(
    caseId: string,
    code: string | null,
    write: (tx: Tx, at: Date) => Promise<unknown>,
  ) {
    const { ctx } = service
    const { id: organizationId } = house.organization
    await ctx.db.transaction({ organizationId }, async (tx) => {
      await write(tx, ctx.clock.now())
      await recordChange(ctx, tx, {
        organizationId,
        actor: SYSTEM,
        action: 'support_case.noted',
        aggregateType: 'support_case',
        aggregateId: caseId,
        data: {},
        live: {
          kind: 'support_case.changed',
          aggregateType: 'support_case',
          targetState: 'open',
          severity: 'healthy',
          code,
        },
      })
    })
    return eventOf(service, { aggregateId: caseId, targetState: 'open' })
  }

  test('notifies its opener once an operator has answered', async () => {
    const { organization, employee } = house
    const caseId = service.ctx.ids.next()
    const opened = await change(caseId, 'opened', (tx, at) =>
      tx.query(sql`
        insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
          state, created_at, updated_at)
        values (${caseId}, ${organization.id}, ${employee.accountId}, 'Help', 2, 'open', ${at},
          ${at})`),
    )
    expect(outcome(await resolveEvent(service, employee, opened))).toBe('404 not_found')
    const answered = await change(caseId, 'answered', (tx, at) =>
      tx.query(sql`
        insert into support_notes (id, organization_id, support_case_id, author_account_id, body,
          is_visible_to_customer, created_at)
        values (${service.ctx.ids.next()}, ${organization.id}, ${caseId},
          ${organization.owner.accountId}, 'We are looking', true, ${at})`),
    )
    const { body } = await resolveEvent(service, employee, answered)
    expect(body).toEqual({
      category: 'support_updated',
      route: `/organizations/${organization.id}/support-cases/${caseId}`,
    })
    // The opening event itself still notifies nobody.
    expect(outcome(await resolveEvent(service, employee, opened))).toBe('404 not_found')
    const other = await joinOrganization(service, organization, { role: 'employee' })
    expect(outcome(await resolveEvent(service, other, answered))).toBe('404 not_found')
  })
})
