/**
 * The id of the request that caused the current work. It is propagated through promises and jobs,
 * so that one id finds the request in the API's log, its jobs in the workers' logs and its events
 * in the audit trail. No behaviour depends on it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const storage = new AsyncLocalStorage<string | null>()

export const inRequest = <T>(requestId: string | null, work: () => T): T =>
  storage.run(requestId, work)

export const currentRequestId = (): string | null => storage.getStore() ?? null

/** Field of a job's stored payload; removed before the job's function runs. */
const FIELD = 'sourceRequestId'

export function withRequest(payload: object): object {
  const requestId = currentRequestId()
  return requestId === null ? payload : { ...payload, [FIELD]: requestId }
}

/** The inverse of `withRequest`. */
export function splitRequest(stored: unknown): { payload: unknown; requestId: string | null } {
  if (typeof stored !== 'object' || stored === null) return { payload: stored, requestId: null }
  const { [FIELD]: requestId, ...payload } = stored as Record<string, unknown>
  return { payload, requestId: typeof requestId === 'string' ? requestId : null }
}
