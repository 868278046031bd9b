import { usePages } from '@countersign/app-kit/data/queries.ts'
import type { CallInput, ListId } from '@countersign/client/operation-types.ts'
import { useEffect } from 'react'

/** Every page of a list that has to be chosen from or looked up in as a whole. */
export function useWholeList<Id extends ListId>(id: Id, list: string, input: CallInput<Id>) {
  const pages = usePages(id, list, input)
  const { hasNextPage, isFetching, error, fetchNextPage } = pages
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])
  return pages
}
