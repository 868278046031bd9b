import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { items, pages } from './pages.ts'
import { RequestFailed } from './result.ts'
import { type Answer, fakeService, json, refusal } from './testing.ts'

const path = { organizationId: '0191a000-0000-7000-8000-000000000001' }

function open(...answers: Answer[]) {
  const service = fakeService(...answers)
  const retry = { attemptsMax: 1 }
  const client = createClient({ baseUrl: 'https://api.test', fetch: service.fetch, retry })
  const cursors = () => service.requests.map(({ url }) => url.searchParams.get('cursor'))
  return { client, cursors, service }
}

const page = (ids: number[], nextCursor: string | null) =>
  json({ expenses: ids.map((id) => ({ id })), nextCursor })

async function collect<Item>(iterable: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of iterable) found.push(item)
  return found
}

test('goes through all pages, with the other parameters on each', async () => {
  const { client, cursors, service } = open(page([1, 2], 'b'), page([], 'c'), page([3], null))
  const query = { limit: 2, q: 'paper' }
  const found = await collect(items(client, 'listExpenses', { path, query }))
  expect(found).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  expect(cursors()).toEqual([null, 'b', 'c'])
  expect(service.requests.every(({ url }) => url.searchParams.get('q') === 'paper')).toBe(true)
})

test('starts at a cursor, and reads no page that nobody asks for', async () => {
  const { client, cursors } = open(page([4], 'e'))
  for await (const found of items(client, 'listExpenses', { path, query: { cursor: 'd' } })) {
    expect(found).toEqual({ id: 4 })
    break
  }
  expect(cursors()).toEqual(['d'])
})

test('follows the Link header where the page is the list itself', async () => {
  const link = { link: '</v1/x/provider-funding-actions?limit=1&cursor=n%2B1>; rel="next"' }
  const { client, cursors } = open(json([{ id: 1 }], { headers: link }), json([{ id: 2 }]))
  expect(await collect(items(client, 'listFundingActions', { path }))).toHaveLength(2)
  expect(cursors()).toEqual([null, 'n+1'])
})

describe('a failure', () => {
  test('is the last page, and the page before says where to go on', async () => {
    const { client } = open(page([1], 'b'), refusal(500, 'internal'))
    const found = await collect(pages(client, 'listExpenses', { path }))
    expect(found).toMatchObject([
      { ok: true, data: { items: [{ id: 1 }], nextCursor: 'b' } },
      { ok: false, failure: { code: 'internal' } },
    ])
  })

  test('is thrown by `items`', async () => {
    const { client } = open(refusal(403, 'forbidden'))
    const found = collect(items(client, 'listExpenses', { path }))
    await expect(found).rejects.toThrow(RequestFailed)
    await expect(found).rejects.toMatchObject({ failure: { code: 'forbidden' } })
  })

  test('is a cursor that leads back, instead of an endless iteration', async () => {
    const { client } = open(page([1], 'b'), page([2], 'b'))
    const found = await collect(pages(client, 'listExpenses', { path }))
    expect(found.at(-1)).toMatchObject({ ok: false, failure: { code: 'unexpected_response' } })
  })

  test('is an answer without the list', async () => {
    const { client } = open(json({ nextCursor: null }))
    const [only] = await collect(pages(client, 'listExpenses', { path }))
    expect(only).toMatchObject({ ok: false, failure: { code: 'unexpected_response' } })
  })
})
