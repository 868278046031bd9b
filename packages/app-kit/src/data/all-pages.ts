/** A list that is needed whole, such as the recipients that a new address is compared with. */
import type { CallInput, ListId } from '@countersign/client/operation-types.ts'
import { useEffect } from 'react'
import { usePages } from './queries.ts'

const PAGE = 200

type Input<Id extends ListId> = CallInput<Id> & { query?: { cursor?: string } }

export function useAllPages<Id extends ListId>(id: Id, list: string, input: Input<Id>) {
  const query = usePages(id, list, {
    ...input,
    query: { ...input.query, limit: PAGE },
  } as Input<Id>)
  const { hasNextPage, isFetching, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  return { ...query, isComplete: query.isSuccess && !hasNextPage }
}
