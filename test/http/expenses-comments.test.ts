import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { COMMENTS_MAX } from '#expenses/comment-on-expense.ts'
import { joinOrganization, type TestApp } from '#test/support/app.ts'
import { comment, expenseIn, expenseStates, readExpense } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse, takeStep } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, outcome, tally, times } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let other: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  other = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
})

const draft = () => expenseIn(service, house, 'draft')

describe('POST {org}/expenses/{expenseId}/comments', () => {
  test.each(expenseStates)('in state %s adds a comment and changes nothing else', async (state) => {
    const expense = await expenseIn(service, house, state)
    const { owner } = house.organization
    const added = []
    for (const person of [house.employee, house.manager, owner]) {
      const body = `${person.subject} says so`
      const answer = await comment(service, house, { id: expense.id, person, body })
      expect(answer.status).toBe(201)
      added.unshift({
        id: expect.any(String),
        authorAccountId: person.accountId,
        displayName: null,
        body,
        createdAt: expect.any(String),
      })
      expect(answer.body).toEqual({ ...expense, comments: added })
    }
    expect((await readExpense(service, house, expense.id)).body).toMatchObject({
      ...expense,
      comments: added,
    })
  })

  const good: [string, string][] = [
    ['1 character', '.'],
    ['4000 characters', 'x'.repeat(4000)],
    ['4000 code points outside the basic plane', '🦊'.repeat(4000)],
    ['several lines', 'One\ntwo\r\nthree'],
    ['markup and SQL', `<img src=x onerror=alert(1)> '; drop table expense_comments; --`],
    ['Arabic, Hebrew and a joined emoji', 'مرحبا שלום 👩‍👩‍👧'],
  ]
  test.each(good)('stores %s unchanged', async (_name, body) => {
    const { id } = await draft()
    const { status, body: expense } = await comment(service, house, { id, body })
    expect([status, expense.comments[0].body]).toEqual([201, body])
    expect((await readExpense(service, house, id)).body.comments[0].body).toBe(body)
  })

  const bad: [string, unknown][] = [
    ['an empty one', { body: '' }],
    ['4001 characters', { body: 'x'.repeat(4001) }],
    ['4001 code points', { body: '🦊'.repeat(4001) }],
    ['blanks and new lines', { body: ' \n\u00a0\u200b' }],
    ['a control character', { body: 'be\u0007ll' }],
    ['a NUL', { body: 'a\u0000b' }],
    ['half a surrogate pair', { body: 'a\udc00b' }],
    ['a number', { body: 7 }],
    ['nothing', {}],
    ['an author', { body: 'x', authorAccountId: randomUUID() }],
    ['a state', { body: 'x', state: 'paid' }],
    ['a list', ['x']],
    ['no body', undefined],
  ]
  test.each(bad)('rejects %s with 400 and adds nothing', async (_name, body) => {
    const expense = await draft()
    const { employee: person } = house
    const sent = { id: expense.id, step: 'comments', person, body }
    expect(outcome(await takeStep(service, house, sent))).toBe('400 validation_failed')
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
  })

  test('adds a second comment for the same text', async () => {
    const { id } = await draft()
    for (const _ of times(2, () => 0)) await comment(service, house, { id, body: 'Again' })
    expect((await readExpense(service, house, id)).body.comments).toHaveLength(2)
  })

  test('adds all of twenty concurrent comments', async () => {
    const { id } = await draft()
    const bodies = times(20, (n) => `Comment ${n}`)
    const answers = await Promise.all(bodies.map((body) => comment(service, house, { id, body })))
    expect(tally(answers)).toEqual({ 201: 20 })
    const { comments } = (await readExpense(service, house, id)).body
    expect(comments.map(({ body }: { body: string }) => body).sort()).toEqual([...bodies].sort())
  })

  test("is 404 for an employee on a colleague's expense, as for an unknown one", async () => {
    const expense = await draft()
    const person = await joinOrganization(service, house.organization, { role: 'employee' })
    const foreign = await expenseIn(service, other, 'draft')
    for (const id of [expense.id, randomUUID(), foreign.id]) {
      expect(outcome(await comment(service, house, { id, person }))).toBe('404 not_found')
    }
    expect(outcome(await comment(service, house, { id: 'mine' }))).toBe('400 validation_failed')
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
    expect((await readExpense(service, other, foreign.id)).body).toEqual(foreign)
  })

  test('is 403 for a non-member and 401 without a token', async () => {
    const { id } = await draft()
    for (const person of [await service.signIn(), other.organization.owner]) {
      expect(outcome(await comment(service, house, { id, person }))).toBe('403 forbidden')
    }
    const url = `${house.organization.path}/expenses/${id}/comments`
    const answer = await service.call('POST', url, { body: { body: 'x' } })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })

  test('rejects a comment after the twenty thousandth', async () => {
    const { id } = await draft()
    await writeComments(id, COMMENTS_MAX - 1)
    const last = await comment(service, house, { id, body: 'Last' })
    expect([last.status, last.body.comments.length]).toEqual([201, 50])
    const more = await comment(service, house, { id, body: 'More' })
    expect(outcome(more)).toBe('400 validation_failed')
    expect(more.body.error.message).toContain('20000 comments')
    const { comments } = (await readExpense(service, house, id)).body
    expect([comments.length, comments[0].body]).toEqual([50, 'Last'])
  })
})

/** Earlier than every comment that is written over HTTP. */
const writeComments = (expenseId: string, count: number) =>
  service.database.asOwner(
    `insert into expense_comments (id, organization_id, expense_id, author_account_id, body,
       created_at)
     select ('0000' || right($2::text, 4) || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       $1, $2::uuid, $3, 'Comment ' || n, now() from generate_series(1, $4::integer) n`,
    [house.organization.id, expenseId, house.employee.accountId, count],
  )

describe('GET {org}/expenses/{expenseId}/comments', () => {
  const page = (id: string, query = '', person = house.employee) =>
    service.call('GET', `${house.organization.path}/expenses/${id}/comments${query}`, {
      token: person.token,
    })

  test('continues where the expense ends, newest first, each comment once', async () => {
    const { id } = await draft()
    await writeComments(id, 130)
    const { comments, commentsNextCursor } = (await readExpense(service, house, id)).body
    const second = (await page(id, `?limit=70&cursor=${commentsNextCursor}`)).body
    const third = (await page(id, `?limit=70&cursor=${second.nextCursor}`)).body
    expect(third.nextCursor).toBeNull()
    const all = [...comments, ...second.comments, ...third.comments]
    expect(all.map(({ body }: { body: string }) => body)).toEqual(
      times(130, (n) => `Comment ${130 - n}`),
    )
    expect((await page(id, '?limit=200')).body).toEqual({ comments: all, nextCursor: null })
  })

  test('an expense with at most 50 comments has no cursor', async () => {
    const { id } = await draft()
    await writeComments(id, 50)
    const { comments, commentsNextCursor } = (await readExpense(service, house, id)).body
    expect([comments.length, commentsNextCursor]).toEqual([50, null])
  })

  test('is 404 for those who cannot see the expense, and 403 for a non-member', async () => {
    const { id } = await draft()
    const colleague = await joinOrganization(service, house.organization, { role: 'employee' })
    expect(outcome(await page(id, '', colleague))).toBe('404 not_found')
    expect(outcome(await page(randomUUID()))).toBe('404 not_found')
    expect(outcome(await page(id, '', other.organization.owner))).toBe('403 forbidden')
    expect(outcome(await page(id, '?limit=201'))).toBe('400 validation_failed')
    expect((await page(id, '', house.manager)).status).toBe(200)
  })
})
