/** The words of revisions reach the index of the search through a worker, after the request. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { indexWords } from '#expenses/index-words.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())

const create = async (purpose: string): Promise<string> =>
  (await expenseIn(service, house, 'draft', { terms: { purpose } })).id

async function found(q: string): Promise<string[]> {
  const { organization } = house
  const url = `${organization.path}/expenses?q=${q}`
  const { body } = await service.call('GET', url, { token: organization.owner.token })
  return body.expenses.map(({ id }: { id: string }) => id)
}

const indexed = async (expenseId: string): Promise<string[]> => {
  const rows = await service.database.asOwner<{ word: string }>(
    'select word from expense_words where expense_id = $1 order by word',
    [expenseId],
  )
  return rows.map(({ word }) => word)
}

/** Until nothing is left to read; another test's transaction may delay it. */
const index = () => expect.poll(() => indexWords(service.ctx)).toBe('idle')

const forgetWords = () => service.database.asOwner('delete from expense_words')

test('an expense is found before its words are indexed, and afterwards', async () => {
  const id = await create('Harpoon for the museum')
  expect(await indexed(id)).toEqual([])
  expect(await found('harp')).toEqual([id])
  await index()
  expect(await indexed(id)).toEqual(expect.arrayContaining(['for', 'harpoon', 'museum', 'the']))
  expect(await found('harp')).toEqual([id])
})

test('an expense that is not indexed is found beside one that is', async () => {
  const first = await create('Lantern of brass')
  await index()
  const second = await create('Lantern of tin')
  expect(await found('lantern')).toEqual([second, first])
  expect(await found('lantern%20brass')).toEqual([first])
})

test('what waits behind a running transaction is read again soon', async () => {
  const writer = new pg.Client(service.database.url)
  await writer.connect()
  await writer.query('begin')
  await writer.query('select pg_current_xact_id()')
  const id = await create('Astrolabe of wood')
  expect(await indexWords(service.ctx)).toBe('busy')
  expect(await indexed(id)).toEqual([])
  await writer.end()
  await index()
  expect(await indexed(id)).toContain('astrolabe')
})

test('two workers write the same words once', async () => {
  const id = await create('Compass with a lid')
  await Promise.all([indexWords(service.ctx), indexWords(service.ctx)])
  await index()
  expect((await indexed(id)).filter((word) => word === 'compass')).toEqual(['compass'])
})

test('a worker that dies before its position moves writes the words again', async () => {
  await index()
  const [position] = await service.database.asOwner<{ transaction_id: string; seq: string }>(
    'select transaction_id, seq from expense_words_position',
  )
  const id = await create('Sextant in a box')
  await index()
  const words = await indexed(id)
  await service.database.asOwner(
    'update expense_words_position set transaction_id = $1, seq = $2',
    [position?.transaction_id, position?.seq],
  )
  await index()
  expect(await indexed(id)).toEqual(words)
})

test.each([
  [
    'events were pruned before they were read',
    `update live_state set horizon_seq = s.seq, horizon_transaction_id = s.transaction_id
     from (select transaction_id, seq from live_events
       order by transaction_id desc, live_events.seq desc limit 1) s`,
  ],
  ['a restore began a new epoch', 'update live_state set epoch = gen_random_uuid()'],
])('everything is indexed again after %s', async (_name, happen) => {
  await index()
  const id = await create('Astrolabe, second hand')
  await forgetWords()
  await service.database.asOwner(happen)
  await index()
  expect(await indexed(id)).toContain('astrolabe')
  await service.database.asOwner('delete from live_events')
  expect(await found('astrolabe')).toContain(id)
})
