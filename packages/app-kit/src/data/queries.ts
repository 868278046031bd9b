/** Reads. A key is the operation and its input, so that a live event can name what it outdates. */
import type {
  CallInput,
  DataOf,
  ItemOf,
  ListId,
  OperationId,
} from '@countersign/client/operation-types.ts'
import type { RequestFailed } from '@countersign/client/result.ts'
import {
  infiniteQueryOptions,
  queryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { firstClient, read } from './api.ts'

export const reading = <Id extends OperationId>(id: Id, input: CallInput<Id>) =>
  queryOptions<DataOf<Id>, RequestFailed>({
    queryKey: [id, input],
    queryFn: ({ signal }) => read(id, input, { signal }),
  })

/** The same read, at the start of the application. */
export const firstReading = <Id extends OperationId>(id: Id, input: CallInput<Id>) => ({
  ...reading(id, input),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    read(id, input, { signal, through: firstClient }),
})

export const useRead = <Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options: { isEnabled?: boolean } = {},
): UseQueryResult<DataOf<Id>, RequestFailed> =>
  useQuery({ ...reading(id, input), enabled: options.isEnabled ?? true })

type Paged = { nextCursor: string | null }
type ListInput<Id extends ListId> = CallInput<Id> & { query?: { cursor?: string } }

/** A list that grows page by page. */
export const readingPages = <Id extends ListId>(id: Id, input: ListInput<Id>) =>
  infiniteQueryOptions({
    queryKey: [id, input, 'pages'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...input.query, ...(pageParam !== null && { cursor: pageParam }) }
      return read(id, { ...input, query } as CallInput<Id>, { signal })
    },
    getNextPageParam: (page: DataOf<Id>) => (page as Paged).nextCursor ?? null,
  })

export function usePages<Id extends ListId>(id: Id, list: string, input: ListInput<Id>) {
  const query = useInfiniteQuery(readingPages(id, input))
  const pages = (query.data?.pages ?? []) as unknown as Record<string, ItemOf<Id>[]>[]
  const rows: ItemOf<Id>[] = pages.flatMap((page) => page[list] ?? [])
  return { ...query, rows }
}
