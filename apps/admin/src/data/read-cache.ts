/**
 * Reading is deliberate here: every read of an operator is recorded, most of them in the customer's
 * own trail. So nothing is read again because a window got the focus or the network came back, and
 * nothing is kept for later: whoever opens a page again reads again, and that is recorded too.
 */
import { failureOf } from '@countersign/app-kit/data/api.ts'
import { signOut } from '@countersign/app-kit/data/session.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { QueryCache, QueryClient } from '@tanstack/react-query'

/** Nobody can go on without the role, so the session ends where the service first says so. */
export const endWithoutRole = (): Promise<boolean> =>
  signOut({ everywhere: false, because: 'operator_required' })

export const isWithoutRole = ({ code }: Failure): boolean =>
  code === 'operator_required' || code === 'account_disabled'

const leaveIfRevoked = (error: unknown): void => {
  const failure = failureOf(error)
  if (failure && isWithoutRole(failure)) void endWithoutRole()
}

export const createReadCache = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfRevoked }),
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 0,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: false,
        // With something on the screen, a notice says it: the page may hold what somebody typed.
        throwOnError: (error, { state }) =>
          state.data === undefined && failureOf(error)?.treatment === 'sign_in',
      },
    },
  })
