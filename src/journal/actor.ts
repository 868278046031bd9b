/** Who made a change. `system` is the service itself: a job, or the command line. */
export type Actor = {
  realm: 'consumer' | 'admin' | 'system'
  accountId: string | null
  requestId: string | null
}

export const SYSTEM: Actor = { realm: 'system', accountId: null, requestId: null }
