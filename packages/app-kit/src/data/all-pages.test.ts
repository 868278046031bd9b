import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

// The client of the page asks for its origin as soon as it is loaded.
beforeAll(() => vi.stubGlobal('location', new URL('https://app.example')))
afterAll(() => vi.unstubAllGlobals())

/** More than any test asks for: a list that repeats without end fails here instead of hanging. */
const ASKED_MAX = 20

/** A list of three pages, of which the failing ones are refused. */
async function showList(failing = new Set<number>()) {
  const { lacksPage } = await import('./all-pages.ts')
  const asked: number[] = []
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const observer = new InfiniteQueryObserver(cache, {
    queryKey: ['listMembers', {}, 'pages'],
    initialPageParam: 1,
    queryFn: async ({ pageParam }) => {
      asked.push(pageParam)
      if (failing.has(pageParam)) throw new Error(`page ${pageParam}`)
      return pageParam
    },
    getNextPageParam: (page) => (page < 3 ? page + 1 : null),
  })
  const stop = observer.subscribe((result) => {
    if (lacksPage(result) && asked.length < ASKED_MAX) void observer.fetchNextPage()
  })
  const shown = () => observer.getCurrentResult().data?.pages
  return { asked, cache, observer, shown, stop }
}

test('reads every page of a list', async () => {
  const { asked, shown, stop } = await showList()
  await expect.poll(shown).toEqual([1, 2, 3])
  expect(asked).toEqual([1, 2, 3])
  stop()
})

test('asks once for a page that fails, and again after the next refetch', async () => {
  const failing = new Set([2])
  const { asked, cache, observer, shown, stop } = await showList(failing)
  await expect.poll(() => observer.getCurrentResult().error?.message).toBe('page 2')
  await expect.poll(() => observer.getCurrentResult().isFetching).toBe(false)
  expect(asked).toEqual([1, 2])
  expect(shown()).toEqual([1])
  failing.clear()
  await cache.invalidateQueries({ queryKey: ['listMembers'] })
  await expect.poll(shown).toEqual([1, 2, 3])
  expect(asked).toEqual([1, 2, 1, 2, 3])
  stop()
})
