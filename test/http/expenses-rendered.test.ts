/** Rendered expenses, compared with the rows of their tables and with `JSON.stringify`. */
import { beforeAll, describe, expect, test } from 'vitest'
import { toTimestamp } from '#platform/clock.ts'
import type { Answer, TestApp } from '#test/support/app.ts'
import { uploaded } from '#test/support/attachments.ts'
import {
  analyseOpenRun,
  cancel,
  comment,
  readExpense,
  review,
  revise,
  submit,
} from '#test/support/expense-states.ts'
import { createExpense } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { openSigningHouse, prepareAs, type SigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { storedExpense } from '#test/support/stored-expense.ts'

let service: TestApp
let house: SigningHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  await service.call('PUT', `${house.organization.path}/categories`, {
    token: house.manager.token,
    body: { categories: [{ code: '66"\\70', name: 'Reisen "Ü\\"' }] },
  })
})

const LOWER = `0x${'abcdef'.repeat(6)}abcd`
const KEY = `"recipientAddress":"${LOWER}"`
/** Looks like a rendered address, with 0, 1 and 2 backslashes before the quotes. */
const IMITATIONS = [
  KEY,
  `,${KEY},`,
  KEY.replaceAll('"', '\\"'),
  KEY.replaceAll('"', '\\\\"'),
  `x",${KEY},"y":"`,
  `\\",${KEY.replace('recipient', 'approver')}`,
]
const UNUSUAL = ['x\u2028\u2029\ufeff', 'Zoë 🧾 漢字 ﷽', '{"a":[1,2]}', "it's $1 \\u0041 %s", '/']

const terms = (purpose: string) => ({ purpose })
const made = async (about: Record<string, unknown>): Promise<Answer['body']> =>
  (await createExpense(service, house, { terms: about })).body

const list = async (query = 'limit=1', token = house.employee.token) =>
  service.call('GET', `${house.organization.path}/expenses?${query}`, { token })

const { stringify, parse } = JSON
/** What `JSON.stringify` would have written: no other escapes, spaces or order of digits. */
const expectPlain = ({ text }: Answer) => expect(text).toBe(stringify(parse(text)))

/** By its rows, to owner and submitter, and in the list. */
async function expectAsStored(id: string): Promise<void> {
  const expected = await storedExpense(service, id)
  const answer = await readExpense(service, house, id)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.body).toEqual(expected)
  expect((await readExpense(service, house, id, house.employee.token)).body).toEqual(expected)
  expectPlain(answer)
  const { revisions, comments, commentsNextCursor, reviews, approvals, ...rest } = expected
  const { requiredApprovals, signedApprovals, ...listed } = rest
  const newest = await list()
  expect(newest.body.expenses).toEqual([listed])
  expectPlain(newest)
  const filtered = await list('state=draft&state=awaiting_approval&limit=1')
  if (filtered.body.expenses[0]?.id === id) expect(filtered.body.expenses).toEqual([listed])
}

describe('a rendered expense', () => {
  test.each([...IMITATIONS, ...UNUSUAL])('leaves the text %j as it is everywhere', async (text) => {
    const name = text.replaceAll(/[\u2028\u2029\ufeff]/g, ' ')
    await service.database.asOwner(
      `insert into profiles (account_id, name, updated_at) values ($1, $2, now())
       on conflict (account_id) do update set name = $2`,
      [house.employee.accountId, name],
    )
    const { id } = await made(terms(`Begins\n${text}`))
    await comment(service, house, { id, body: text })
    const { body } = await readExpense(service, house, id)
    expect(body.revision.purpose).toBe(`Begins\n${text}`)
    expect(body.comments[0].body).toBe(text)
    await expectAsStored(id)
  })

  test('has every control character that JSON must escape', async () => {
    const { id } = await made(terms('Controls'))
    const controls = Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1)).join('')
    await service.database.asOwner(
      'insert into expense_comments (id, organization_id, expense_id, author_account_id, body,' +
        ' created_at) values ($1, $2, $3, $4, $5, now())',
      [service.ctx.ids.next(), house.organization.id, id, house.employee.accountId, controls],
    )
    expect((await readExpense(service, house, id)).body.comments[0].body).toBe(controls)
    await expectAsStored(id)
  })

  test('has attachments in their order, category, reference and due date', async () => {
    const disposition = "attachment; filename*=UTF-8''r%C3%A9%22%5Cu.pdf"
    const { employee: person, organization } = house
    const first = await uploaded(service, organization, { person, disposition })
    const second = await uploaded(service, organization, { person })
    const answer = await createExpense(service, house, {
      terms: {
        attachmentIds: [second.id, first.id],
        reference: 'R-"\\/1',
        dueDate: '2028-02-29',
        amountBaseUnits: `${2n ** 128n - 1n}`,
      },
    })
    expect(answer.status).toBe(201)
    const { requiredApprovals: _required, ...read } = (
      await readExpense(service, house, answer.body.id)
    ).body
    expect(read).toEqual({ ...answer.body, commentsNextCursor: null })
    await expectAsStored(answer.body.id)
  })

  test('has its revisions, reviews and approvals, as the commands answer them', async () => {
    const { id } = await made(terms('Several'))
    await revise(service, house, { id, terms: { purpose: 'Second' } })
    await submit(service, house, { id, expectedVersion: 2 })
    await analyseOpenRun(service, house, id)
    const advanced = await review(service, house, { id, expectedVersion: 2, reason: 'A "good" \\' })
    expect(advanced.body).toEqual(await storedExpense(service, id))
    expectPlain(advanced)
    expect((await prepareAs(service, house, advanced.body, house.signer)).status).toBe(200)
    await expectAsStored(id)
    await signAs(service, house, advanced.body, house.signer)
    await expectAsStored(id)
    const said = await comment(service, house, { id, person: house.manager })
    expect(said.body).toEqual(await storedExpense(service, id))
    const signed = (await readExpense(service, house, id)).body
    expect(signed.approvals.length).toBeGreaterThan(0)
    expect(signed.signedApprovals).toBe(1)
    expect(signed.approvals[0].approverAddress).not.toBe(
      signed.approvals[0].approverAddress.toLowerCase(),
    )
  })

  test('counts signatures that are valid, and of the current revision', async () => {
    const { id } = await made(terms('Counted'))
    await revise(service, house, { id, terms: { purpose: 'Second' } })
    await submit(service, house, { id, expectedVersion: 2 })
    await analyseOpenRun(service, house, id)
    const { body } = await review(service, house, { id, expectedVersion: 2 })
    const signed = await signAs(service, house, body, house.signer)
    expect(signed.status).toBe(202)
    const countedWith = async (changes: string) => {
      await service.database.asOwner(`update approvals set ${changes} where expense_id = $1`, [id])
      return (await readExpense(service, house, id)).body.signedApprovals
    }
    expect(await countedWith("state = 'consumed'")).toBe(1)
    expect(await countedWith('expense_revision = 1')).toBe(0)
    expect(await countedWith('expense_revision = 2')).toBe(1)
    expect(await countedWith("state = 'superseded'")).toBe(0)
  })

  test('has the newest 50 of its comments, and a cursor to the others', async () => {
    const { id } = await made(terms('Much said'))
    for (let n = 1; n <= 50; n += 1) await comment(service, house, { id, body: `No. ${n}` })
    await expectAsStored(id)
    await comment(service, house, { id, body: 'No. 51' })
    await expectAsStored(id)
    const { body } = await readExpense(service, house, id)
    const path = `${house.organization.path}/expenses/${id}/comments`
    const { token } = house.employee
    const others = await service.call('GET', `${path}?cursor=${body.commentsNextCursor}`, { token })
    expect(others.body).toMatchObject({ comments: [{ body: 'No. 1' }], nextCursor: null })
    const all = await service.call('GET', `${path}?limit=50`, { token })
    expect(all.body).toEqual({ comments: body.comments, nextCursor: body.commentsNextCursor })
    expectPlain(all)
  })

  test.each(['+00', '.1+00', '.12+00', '.1239999+00', '.999999+00'])(
    'truncates a time that is stored with %s to milliseconds',
    async (rest) => {
      const { id } = await made(terms('In time'))
      const stored = `2027-03-01 09:08:07${rest}`
      await service.database.asOwner('update expenses set updated_at = $2 where id = $1', [
        id,
        stored,
      ])
      const answer = await readExpense(service, house, id)
      expect(answer.body.updatedAt).toBe(toTimestamp(stored.replace('1239999', '124')))
    },
  )

  test('answers a cancellation and a HEAD request as before', async () => {
    const { id } = await made(terms('Not wanted'))
    const cancelled = await cancel(service, house, { id })
    expect(cancelled.body).toEqual(await storedExpense(service, id))
    expect(cancelled.headers['content-type']).toBe('application/json; charset=utf-8')
    const url = `${house.organization.path}/expenses/${id}`
    const headers = { authorization: `Bearer ${house.employee.token}` }
    const get = await service.app.inject({ url, headers })
    const head = await service.app.inject({ method: 'HEAD', url, headers })
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect([head.statusCode, head.body]).toEqual([200, ''])
  })
})

describe('a rendered list', () => {
  test('is empty for a member without expenses', async () => {
    const { text } = await list('limit=10', house.signer.person.token)
    expect(parse(text)).toEqual({ expenses: expect.any(Array), nextCursor: null })
    expect((await list('q=nothinglikeit')).text).toBe('{"expenses":[],"nextCursor":null}')
  })

  test('has the same items on pages of any size, with and without a filter', async () => {
    const { expenses } = (await list('limit=200')).body
    expect(expenses.length).toBeGreaterThan(5)
    for (const filter of ['', `&recipientId=${house.recipientId}`]) {
      const found: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list(`limit=3${filter}${cursor && `&cursor=${cursor}`}`)
        expectPlain(page)
        found.push(...page.body.expenses)
        cursor = page.body.nextCursor
      }
      expect(found).toEqual(expenses)
    }
  })
})
