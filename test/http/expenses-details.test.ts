/** Attachments, category, reference and due date of an expense. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { joinOrganization, type TestApp } from '#test/support/app.ts'
import { download, pdf, sha256Of, uploaded } from '#test/support/attachments.ts'
import { readExpense, revise, versionHashOf } from '#test/support/expense-states.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { freshKey, outcome, times } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

const categories = [
  { code: '6670', name: 'Travel' },
  { code: 'SW', name: 'Software' },
]

const putCategories = (list: unknown) =>
  service.call('PUT', `${house.organization.path}/categories`, {
    token: house.manager.token,
    body: { categories: list },
  })

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  expect((await putCategories(categories)).status).toBe(200)
})

const create = (terms: Record<string, unknown>, person = house.employee) =>
  createExpense(service, house, { terms, person })

const receipt = (person = house.employee, bytes = pdf()) =>
  uploaded(service, house.organization, { person, bytes })

const details = { category: '6670', reference: 'INV-2026-17', dueDate: '2028-02-29' }

describe('an expense with details', () => {
  test('shows them in its revision, in the list and in a replay, and hashes them', async () => {
    const [first, second] = [await receipt(), await receipt()]
    const attachmentIds = [second.id, first.id.toUpperCase()]
    const headers = freshKey()
    const terms = { ...details, attachmentIds }
    const made = await createExpense(service, house, { terms, headers })
    expect(made.status).toBe(201)
    const shown = [second, first].map(({ createdAt: _at, ...attachment }) => attachment)
    expect(made.body.revision).toMatchObject({
      ...details,
      categoryName: 'Travel',
      attachments: shown,
    })
    expect(made.body.revision.versionHash).toBe(versionHashOf(service, house, made.body))
    const read = await readExpense(service, house, made.body.id)
    expect(read.body.revision).toEqual(made.body.revision)
    const list = await service.call('GET', `${house.organization.path}/expenses?limit=1`, {
      token: house.employee.token,
    })
    expect(list.body.expenses[0].revision).toEqual(made.body.revision)
    const again = await createExpense(service, house, { terms, headers })
    expect([again.status, again.body]).toEqual([201, made.body])
  })

  test('hashes as version 1 without any, also if they are null or empty', async () => {
    const none = { attachmentIds: [], category: null, reference: null, dueDate: null }
    const { status, body } = await create(none)
    expect(status).toBe(201)
    expect(body.revision).toMatchObject({
      ...{ attachments: [], category: null, categoryName: null, reference: null, dueDate: null },
    })
    expect(body.revision.versionHash).toBe(versionHashOf(service, house, body))
  })

  test.each([
    ['a category', { category: 'SW' }],
    ['a reference', { reference: 'Nr. 17/β' }],
    ['a due date', { dueDate: '2026-12-31' }],
  ])('hashes as version 2 with only %s', async (_name, terms) => {
    const { body } = await create(terms)
    expect(body.revision.versionHash).toBe(versionHashOf(service, house, body))
  })

  test('changes them with a revision, and keeps those of the older one', async () => {
    const [first, second] = [await receipt(), await receipt()]
    const made = await create({ ...details, attachmentIds: [first.id] })
    const { id } = made.body
    const terms = { attachmentIds: [first.id, second.id], category: 'SW' }
    const revised = await revise(service, house, { id, terms })
    expect(revised.status).toBe(201)
    const [newest, oldest] = revised.body.revisions
    expect(newest).toMatchObject({
      ...{ category: 'SW', categoryName: 'Software', reference: null, dueDate: null },
    })
    expect(newest.attachments.map((one: { id: string }) => one.id)).toEqual([first.id, second.id])
    expect(oldest).toEqual(made.body.revision)
    expect(newest.versionHash).toBe(versionHashOf(service, house, revised.body))
    const plain = await revise(service, house, { id, expectedVersion: 2 })
    expect(plain.body.revision).toMatchObject({ attachments: [], category: null })
    expect(plain.body.revision.versionHash).toBe(versionHashOf(service, house, plain.body))
  })

  test('keeps the name of its category when the list changes', async () => {
    const { body } = await create({ category: 'SW' })
    await putCategories([{ code: '6670', name: 'Journeys' }])
    const read = await readExpense(service, house, body.id)
    expect(read.body.revision).toMatchObject({ category: 'SW', categoryName: 'Software' })
    const refused = await revise(service, house, { id: body.id, terms: { category: 'SW' } })
    expect(outcome(refused)).toBe('400 validation_failed')
    await putCategories(categories)
  })
})

describe('details are refused', () => {
  test.each([
    ['an unknown category', { category: 'none' }, 'category'],
    ['a category that is not a code', { category: 'a b' }, 'category'],
    ['an invisible reference', { reference: '\u200b' }, 'reference'],
    ['an empty reference', { reference: '' }, 'reference'],
    ['a reference of two lines', { reference: 'a\nb' }, 'reference'],
    ['a reference of 101 characters', { reference: 'a'.repeat(101) }, 'reference'],
    ['a date that does not exist', { dueDate: '2027-02-29' }, 'dueDate'],
    ['a date with a time', { dueDate: '2027-02-28T00:00:00Z' }, 'dueDate'],
    ['a date in another century', { dueDate: '1999-12-31' }, 'dueDate'],
    ['eleven attachments', { attachmentIds: times(11, () => randomUUID()) }, 'attachmentIds'],
    ['an attachment id that is not a UUID', { attachmentIds: ['a'] }, 'attachmentIds[0]'],
  ])('with 400 for %s', async (_name, terms, field) => {
    const answer = await create(terms)
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.error.message).toContain(`\`${field}\``)
  })

  test('with 400 for an attachment that is named twice, in any case', async () => {
    const { id } = await receipt()
    for (const attachmentIds of [
      [id, id],
      [id, id.toUpperCase()],
    ]) {
      expect(outcome(await create({ attachmentIds }))).toBe('400 validation_failed')
    }
  })

  test("with 403 for an unknown attachment, another member's and another tenant's", async () => {
    const other = await openExpenseHouse(service)
    const foreign = await uploaded(service, other.organization, { person: other.employee })
    const ofManager = await receipt(house.manager)
    for (const id of [randomUUID(), foreign.id, ofManager.id]) {
      const answer = await create({ attachmentIds: [id] })
      expect(outcome(answer)).toBe('403 forbidden')
    }
  })
})

describe('an attachment', () => {
  test('is visible to whoever may see its expense', async () => {
    const { id } = await receipt()
    await create({ attachmentIds: [id] })
    const colleague = await joinOrganization(service, house.organization, { role: 'employee' })
    const stranger = await openExpenseHouse(service)
    const status = async (person: typeof colleague) =>
      (await download(service, house.organization, { id, person })).status
    expect(await status(house.employee)).toBe(200)
    expect(await status(house.manager)).toBe(200)
    expect(await status(house.organization.owner)).toBe(200)
    expect(await status(colleague)).toBe(404)
    expect(await status(stranger.manager)).toBe(403)
  })

  test('may document a second expense, also of a manager who sees it, and no third', async () => {
    const bytes = pdf()
    const { id } = await receipt(house.employee, bytes)
    expect((await create({ attachmentIds: [id] })).status).toBe(201)
    const second = await create({ attachmentIds: [id] }, house.manager)
    expect(second.status).toBe(201)
    expect(second.body.revision.attachments[0].sha256).toBe(sha256Of(bytes))
    const third = await create({ attachmentIds: [id] })
    expect(outcome(third)).toBe('409 state_conflict')
    expect(third.body.error.message).toContain('Upload the file again')
    const colleague = await joinOrganization(service, house.organization, { role: 'employee' })
    const unseen = await create({ attachmentIds: [id] }, colleague)
    expect(outcome(unseen)).toBe('403 forbidden')
    const revised = await revise(service, house, {
      ...{ id: second.body.id, person: house.manager, terms: { attachmentIds: [id] } },
    })
    expect(revised.status).toBe(201)
  })

  test('is used twice at most when three expenses name it at once', async () => {
    const { id } = await receipt()
    const answers = await Promise.all(times(4, () => create({ attachmentIds: [id] })))
    expect(answers.map(outcome).sort()).toEqual([
      ...['201', '201', '409 state_conflict', '409 state_conflict'],
    ])
  })
})
