/** A list that is needed whole, to choose from, to look up in, or to compare a new address with. */
import type { CallInput, ListId } from '@countersign/client/operation-types.ts'
import { useEffect } from 'react'
import { usePages } from './queries.ts'

const PAGE = 200

type Input<Id extends ListId> = CallInput<Id> & { query?: { cursor?: string } }

type Pages = { hasNextPage: boolean; isFetching: boolean; error: Error | null }

/** A page that failed is read again when somebody asks for it or an event outdates the list. */
export const lacksPage = ({ hasNextPage, isFetching, error }: Pages): boolean =>
  hasNextPage && !isFetching && error === null

export function useAllPages<Id extends ListId>(id: Id, list: string, input: Input<Id>) {
  const query = usePages(id, list, {
    ...input,
    query: { ...input.query, limit: PAGE },
  } as Input<Id>)
  const { hasNextPage, isFetching, error, fetchNextPage } = query
  useEffect(() => {
    if (lacksPage({ hasNextPage, isFetching, error })) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])
  return { ...query, isComplete: query.isSuccess && !hasNextPage }
}
