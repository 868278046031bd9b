import type { QueryCache } from '@tanstack/react-query'

/**
 * Says when the data of a read became old. A read that is turned off is never stale, and its next
 * page clears the mark, so the cache is listened to.
 */
export function watchOutdated(
  cache: QueryCache,
  queryHash: string,
  onOutdated: () => void,
): () => void {
  const state = cache.get(queryHash)?.state
  if (state?.isInvalidated && state.fetchStatus === 'idle') onOutdated()
  return cache.subscribe((event) => {
    if (event.query.queryHash !== queryHash || event.type !== 'updated') return
    if (event.action.type === 'invalidate') onOutdated()
  })
}
