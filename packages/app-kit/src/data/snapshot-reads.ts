/** Reads the live snapshot again after events: the tasks in it are computed by the service. */
import type { LiveSnapshot } from '@countersign/client/live.ts'
import type { Result } from '@countersign/client/result.ts'

export const GATHER_MS = 50
/** As often as a page without a stream asks. */
const RETRY_MS = 15_000

type Reading = {
  read(): Promise<Result<LiveSnapshot>>
  onSnapshot(snapshot: LiveSnapshot): void
  retryMs?: number
}

export type SnapshotReads = {
  /** Something has changed. Several changes are gathered for a moment. */
  request(): void
  /** The feed brought a snapshot of its own. */
  overtake(): void
  stop(): void
}

export function createSnapshotReads({
  read,
  onSnapshot,
  retryMs = RETRY_MS,
}: Reading): SnapshotReads {
  let gathering: ReturnType<typeof setTimeout> | undefined
  let retrying: ReturnType<typeof setTimeout> | undefined
  let started = 0
  let shown = 0
  let overtaken = 0
  let isStopped = false
  const refresh = async () => {
    gathering = undefined
    clearTimeout(retrying)
    started += 1
    const turn = started
    const result = await read()
    if (isStopped || turn <= shown) return
    if (result.ok) {
      shown = turn
      onSnapshot(result.data)
    } else if (turn === started && gathering === undefined) {
      retrying = setTimeout(refresh, retryMs)
    }
  }
  const request = () => {
    if (!isStopped) gathering ??= setTimeout(refresh, GATHER_MS)
  }
  return {
    request,
    overtake() {
      // It may be older than what was read meanwhile, or newer: another read is newer than both.
      if (started > overtaken) request()
      overtaken = started
      shown = started
    },
    stop() {
      isStopped = true
      clearTimeout(gathering)
      clearTimeout(retrying)
    },
  }
}
