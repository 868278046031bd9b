/** Reads again what has become old. */
import type { OperationId } from '@countersign/client/operation-types.ts'
import type { QueryClient } from '@tanstack/react-query'

/**
 * A first read that is on its way is not started anew by an invalidation, and may answer with what
 * was true before: such a read is repeated once it has ended.
 */
export function outdate(cache: QueryClient, reads: Iterable<OperationId>): void {
  for (const id of reads) {
    const filters = { queryKey: [id] }
    const first = cache.getQueryCache().findAll({
      ...filters,
      fetchStatus: 'fetching',
      predicate: ({ state }) => state.data === undefined,
    })
    void cache.invalidateQueries(filters)
    for (const { queryKey, promise } of first) {
      const again = () => cache.invalidateQueries({ queryKey, exact: true })
      void promise?.then(again, () => undefined)
    }
  }
}
