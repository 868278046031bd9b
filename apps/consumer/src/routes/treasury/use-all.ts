import { client } from '@countersign/app-kit/data/api.ts'
import type { CallInput, ItemOf, ListId } from '@countersign/client/operation-types.ts'
import { items } from '@countersign/client/pages.ts'
import type { RequestFailed } from '@countersign/client/result.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'

/** A whole list, where a part of it would be wrong: a policy names all of its recipients. */
export const useAll = <Id extends ListId>(
  id: Id,
  input: CallInput<Id>,
): UseQueryResult<ItemOf<Id>[], RequestFailed> =>
  useQuery<ItemOf<Id>[], RequestFailed>({
    queryKey: [id, input, 'all'],
    queryFn: ({ signal }) => Array.fromAsync(items(client, id, { ...input, signal })),
  })
