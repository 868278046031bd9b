/** What the command menu says below its results. Pure. */

type Search = {
  /** Enough was typed to ask the service. */
  isSearched: boolean
  isFetching: boolean
  hasFailed: boolean
  /** Of screens and expenses. */
  count: number
}

/** A search that failed has no answer, even beside screens that match. */
export function searchEnd({
  isSearched,
  isFetching,
  hasFailed,
  count,
}: Search): 'searching' | 'failed' | 'no_matches' | null {
  if (isSearched && hasFailed && !isFetching) return 'failed'
  if (count > 0) return null
  return isSearched && isFetching ? 'searching' : 'no_matches'
}
