import { hashKey, InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { watchOutdated } from './watch-outdated.ts'

const KEY = ['listExpenses', {}, 'pages']

async function aLongList() {
  const client = new QueryClient()
  const options = {
    queryKey: KEY,
    initialPageParam: 0,
    queryFn: ({ pageParam }: { pageParam: number }) => Promise.resolve(pageParam),
    getNextPageParam: (last: number) => last + 1,
  }
  await client.fetchInfiniteQuery(options)
  const list = new InfiniteQueryObserver(client, { ...options, enabled: false })
  const stop = list.subscribe(() => undefined)
  let count = 0
  const watch = () =>
    watchOutdated(client.getQueryCache(), hashKey(KEY), () => {
      count += 1
    })
  return { client, list, stop, watch, count: () => count }
}

test('a change of a list that is not followed is noticed, though it is never stale', async () => {
  const { client, list, stop, watch, count } = await aLongList()
  const unwatch = watch()
  expect(count()).toBe(0)
  await client.invalidateQueries({ queryKey: ['listExpenses'] })
  expect(list.getCurrentResult().isStale).toBe(false)
  expect(count()).toBe(1)
  unwatch()
  stop()
})

test('a change before the watch began is noticed until the next page clears the mark', async () => {
  const { client, list, stop, watch, count } = await aLongList()
  await client.invalidateQueries({ queryKey: ['listExpenses'] })
  watch()()
  expect(count()).toBe(1)
  await list.fetchNextPage()
  watch()()
  expect(count()).toBe(1)
  stop()
})

test('a change of another read is not', async () => {
  const { client, stop, watch, count } = await aLongList()
  client.setQueryData(['getExpense'], {})
  const unwatch = watch()
  await client.invalidateQueries({ queryKey: ['getExpense'] })
  expect(count()).toBe(0)
  unwatch()
  stop()
})
