import { failureOf } from '@countersign/app-kit/data/api.ts'
import { QueryClient } from '@tanstack/react-query'

const STALE_MS = 15_000

export const createReadCache = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        // The client has retried already what is worth retrying.
        retry: false,
        // With something on the screen, a notice says it: the page may hold what somebody typed.
        throwOnError: (error, { state }) =>
          state.data === undefined && failureOf(error)?.treatment === 'sign_in',
      },
    },
  })
