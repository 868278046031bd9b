import { readingPages } from '@countersign/app-kit/data/queries.ts'
import { hashKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { ListedExpense } from '../expense-types.ts'
import type { Query } from './filters.ts'
import { splitFresh } from './steady-rows.ts'
import { watchOutdated } from './watch-outdated.ts'

/** A change reads every page again. A list longer than this waits until it is asked to. */
const PAGES_FOLLOWED = 5
const PAGE_SIZE = 100

/** The rows of the list, page by page, without moving what is already on the screen. */
export function useExpenseRows(query: Query) {
  const { id: organizationId } = useOrganization()
  const cache = useQueryClient()
  const [isLong, setLong] = useState(false)
  const options = readingPages('listExpenses', {
    path: { organizationId },
    query: { ...query, limit: PAGE_SIZE },
  })
  const pages = useInfiniteQuery({ ...options, enabled: !isLong })
  const all: ListedExpense[] = pages.data?.pages.flatMap(({ expenses }) => expenses) ?? []
  const count = pages.data?.pages.length ?? 0
  useEffect(() => setLong(count > PAGES_FOLLOWED), [count])

  const asked = hashKey(options.queryKey)
  const known = useRef<{ asked: string; ids: Set<string> }>({ asked, ids: new Set() })
  if (known.current.asked !== asked) known.current = { asked, ids: new Set() }
  const { shown, fresh } = splitFresh(all, known.current.ids)
  useEffect(() => {
    for (const { id } of shown) known.current.ids.add(id)
  })

  const [isOutdated, setOutdated] = useState(false)
  useEffect(() => {
    if (!isLong) return
    const stop = watchOutdated(cache.getQueryCache(), asked, () => setOutdated(true))
    return () => {
      stop()
      setOutdated(false)
    }
  }, [cache, asked, isLong])

  const { hasNextPage, isFetching, error, fetchNextPage } = pages
  const isWantedAt = useRef(-1)
  const fetchMore = () => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage({ cancelRefetch: false })
  }
  // A filtered page can be short or empty and still not be the last one.
  useEffect(() => {
    const isShort = all.length < PAGE_SIZE / 4
    if (count > 0 && (isShort || isWantedAt.current === all.length)) fetchMore()
  })

  const [, draw] = useState(0)
  return {
    ...pages,
    rows: shown,
    freshCount: fresh.length,
    /** The list is too long to follow every change, and something has changed. */
    isOutdated,
    wantMore: () => {
      isWantedAt.current = all.length
      fetchMore()
    },
    showFresh: () => {
      known.current = { asked, ids: new Set() }
      if (isLong) void cache.resetQueries({ queryKey: options.queryKey })
      setLong(false)
      draw((times) => times + 1)
      scrollTo({ top: 0 })
    },
  }
}
