import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { joinOrganization, type TestApp } from '#test/support/app.ts'
import {
  analyseOpenRun,
  expenseIn,
  readExpense,
  readReport,
  revise,
  submit,
  versionHashOf,
} from '#test/support/expense-states.ts'
import {
  createExpense,
  type ExpenseHouse,
  NO_DETAILS,
  openExpenseHouse,
  takeStep,
  termsOf,
} from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, outcome, times } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let other: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  other = await openExpenseHouse(service)
})

const draft = async () => {
  const { id } = (await createExpense(service, house)).body
  return (await readExpense(service, house, id)).body
}

/**
 * Revises the employee's draft with exactly these terms, and checks that a refusal changes nothing.
 */
async function attempt(change: Record<string, unknown>): Promise<string> {
  const expense = await draft()
  const answer = await revise(service, house, { id: expense.id, terms: change })
  if (answer.status !== 201) {
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
  }
  return outcome(answer)
}

describe('POST {org}/expenses/{expenseId}/revisions', () => {
  test('adds a revision with its own hash and keeps the older one unchanged', async () => {
    const expense = await draft()
    const recipient = (await addRecipient(service, house.organization, { label: 'Next' })).body
    const terms = {
      purpose: 'Invoice 2026-119',
      recipientId: recipient.id,
      amountBaseUnits: '26000000',
      requestedMode: 'automatic',
    }
    const { status, body } = await revise(service, house, { id: expense.id, terms })
    expect(status).toBe(201)
    const revision = {
      ...terms,
      ...NO_DETAILS,
      revision: 2,
      vaultId: house.vaultId,
      recipientLabel: 'Next',
      recipientAddress: recipient.address,
      reason: 'Corrected',
      versionHash: versionHashOf(service, house, body),
      authorAccountId: house.employee.accountId,
      createdAt: expect.any(String),
    }
    expect(body).toEqual({
      ...expense,
      currentRevision: 2,
      updatedAt: expect.any(String),
      revision,
      revisions: [revision, expense.revision],
    })
    expect(body.revision.versionHash).not.toBe(expense.revision.versionHash)
    expect((await readExpense(service, house, expense.id)).body).toEqual(body)
  })

  test('adds a revision with a new hash for equal terms', async () => {
    const { id } = await draft()
    const { body } = await revise(service, house, { id })
    const hashes = body.revisions.map(({ versionHash }: { versionHash: string }) => versionHash)
    expect(new Set(hashes).size).toBe(2)
  })

  const open = ['draft', 'needs_review', 'revision_requested', 'awaiting_approval', 'blocked']
  test.each(open as 'draft'[])('from %s returns to a draft without a report', async (state) => {
    const { id, paymentId } = await expenseIn(service, house, state)
    const { status, body } = await revise(service, house, { id })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      state: 'draft',
      paymentId,
      currentRevision: 2,
      currentReportId: null,
      blockCode: null,
    })
  })

  const shut = [
    ...['analysis_queued', 'analyzing', 'approved_ready_for_payment', 'executing', 'reconciling'],
    ...['automatic_ready_for_payment', 'paid', 'rejected', 'cancelled'],
  ]
  test.each(shut as 'paid'[])('is 409 from %s and changes nothing', async (state) => {
    const expense = await expenseIn(service, house, state)
    const answer = await revise(service, house, { id: expense.id })
    expect(outcome(answer)).toBe('409 state_conflict')
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
  })

  test('has the new revision analysed again, with a second report', async () => {
    const { id, currentReportId: first } = await expenseIn(service, house, 'awaiting_approval')
    await revise(service, house, { id })
    await submit(service, house, { id, expectedVersion: 2 })
    await analyseOpenRun(service, house, id)
    const { currentReportId } = (await readExpense(service, house, id)).body
    expect(currentReportId).not.toBe(first)
    const { body } = await readReport(service, house, currentReportId)
    expect(body).toMatchObject({ expenseRevision: 2, version: 2 })
  })

  test.each([2, Number.MAX_SAFE_INTEGER])(
    'is 409 at version %d and changes nothing',
    async (version) => {
      expect(await attempt({ expectedVersion: version })).toBe('409 version_conflict')
    },
  )

  test('is 409 at the previous version and changes nothing', async () => {
    const { id } = await draft()
    const { body: revised } = await revise(service, house, { id })
    const answer = await revise(service, house, { id })
    expect(outcome(answer)).toBe('409 version_conflict')
    expect((await readExpense(service, house, id)).body).toEqual(revised)
  })

  const refused: [string, string, () => Record<string, unknown>][] = [
    ['an unknown vault', '403 forbidden', () => ({ vaultId: randomUUID() })],
    ["another organization's vault", '403 forbidden', () => ({ vaultId: other.vaultId })],
    ['an unknown recipient', '403 forbidden', () => ({ recipientId: randomUUID() })],
    [
      "another organization's recipient",
      '403 forbidden',
      () => ({ recipientId: other.recipientId }),
    ],
    ['an amount of 0', '400 validation_failed', () => ({ amountBaseUnits: '0' })],
    ['an amount of 2^128', '400 validation_failed', () => ({ amountBaseUnits: `${2n ** 128n}` })],
    ['an amount as a number', '400 validation_failed', () => ({ amountBaseUnits: 1 })],
    ['a blank purpose', '400 validation_failed', () => ({ purpose: ' \n ' })],
    [
      'a purpose of 2001 characters',
      '400 validation_failed',
      () => ({ purpose: 'x'.repeat(2001) }),
    ],
    ['a blank reason', '400 validation_failed', () => ({ reason: ' \u200b' })],
    ['an empty reason', '400 validation_failed', () => ({ reason: '' })],
    ['a reason of 1001 characters', '400 validation_failed', () => ({ reason: 'x'.repeat(1001) })],
    ['a bell in the reason', '400 validation_failed', () => ({ reason: 'be\u0007ll' })],
    ['no reason', '400 validation_failed', () => ({ reason: undefined })],
    ['version 0', '400 validation_failed', () => ({ expectedVersion: 0 })],
    ['a version as text', '400 validation_failed', () => ({ expectedVersion: '1' })],
    ['a fractional version', '400 validation_failed', () => ({ expectedVersion: 1.5 })],
    ['no version', '400 validation_failed', () => ({ expectedVersion: undefined })],
    ['a state', '400 validation_failed', () => ({ state: 'paid' })],
    ['a report', '400 validation_failed', () => ({ currentReportId: randomUUID() })],
  ]
  test.each(refused)('%s is %s and changes nothing', async (_name, expected, change) => {
    expect(await attempt(change())).toBe(expected)
  })

  test('stores a reason of 1000 code points unchanged in the revision', async () => {
    const { id } = await draft()
    const reason = `${'🦊'.repeat(998)}\n.`
    const { status, body } = await revise(service, house, { id, terms: { reason } })
    expect([status, body.revision.reason]).toEqual([201, reason])
  })

  test("is 409 for a deactivated recipient, and keeps the older revision's address", async () => {
    const { organization } = house
    const { id: recipientId, address } = (await addRecipient(service, organization)).body
    const made = await createExpense(service, house, { terms: { recipientId } })
    await service.call('POST', `${organization.path}/recipients/${recipientId}/deactivate`, {
      token: organization.owner.token,
    })
    const { id } = made.body
    const answer = await revise(service, house, { id, terms: { recipientId } })
    expect(outcome(answer)).toBe('409 state_conflict')
    const { body } = await readExpense(service, house, id)
    expect(body).toEqual({ ...made.body, requiredApprovals: 1 })
    expect(body.revision.recipientAddress).toBe(address)
  })

  test('is 409 for an archived or unverified vault', async () => {
    const home = await openExpenseHouse(service)
    const { id } = (await createExpense(service, home)).body
    await service.database.asOwner('alter table vaults no force row level security')
    const set = (what: string) =>
      service.database.asOwner(`update vaults set ${what} where id = $1`, [home.vaultId])
    await set('archived_at = now(), is_default = false')
    expect(outcome(await revise(service, home, { id }))).toBe('409 vault_archived')
    await set("archived_at = null, state = 'disabled'")
    expect(outcome(await revise(service, home, { id }))).toBe('409 vault_unverified')
    expect((await readExpense(service, home, id)).body.currentRevision).toBe(1)
  })

  test('is 403 for anybody but the submitter and for an unknown expense', async () => {
    const expense = await draft()
    const { organization, manager } = house
    const colleague = await joinOrganization(service, organization, { role: 'employee' })
    for (const person of [organization.owner, manager, colleague, other.employee]) {
      const answer = await revise(service, house, { id: expense.id, person })
      expect(outcome(answer)).toBe('403 forbidden')
    }
    const foreign = (await createExpense(service, other)).body.id
    for (const id of [randomUUID(), foreign]) {
      expect(outcome(await revise(service, house, { id }))).toBe('403 forbidden')
    }
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
  })

  test('is 401 without a token', async () => {
    const { id } = await draft()
    const url = `${house.organization.path}/expenses/${id}/revisions`
    const body = { ...termsOf(house), expectedVersion: 1, reason: 'Corrected' }
    expect(outcome(await service.call('POST', url, { body }))).toBe('401 unauthenticated')
  })

  test('is 400 for a malformed id', async () => {
    const { employee: person } = house
    const body = { ...termsOf(house), expectedVersion: 1, reason: 'Corrected' }
    const answer = await takeStep(service, house, { id: 'mine', step: 'revisions', person, body })
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('is refused after the hundredth revision', async () => {
    const { id } = await draft()
    for (const expectedVersion of times(99, (index) => index + 1)) {
      expect((await revise(service, house, { id, expectedVersion })).status).toBe(201)
    }
    const before = (await readExpense(service, house, id)).body
    expect(before.revisions).toHaveLength(100)
    const answer = await revise(service, house, { id, expectedVersion: 100 })
    expect(outcome(answer)).toBe('409 state_conflict')
    expect(answer.body.error.message).toContain('100 revisions')
    expect((await readExpense(service, house, id)).body).toEqual(before)
  })
})
