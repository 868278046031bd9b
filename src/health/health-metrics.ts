/** Health figures for Prometheus. Every process exposes them, even when no worker runs. */
import type { Context } from '#context.ts'
import { rankOf } from '#platform/severity.ts'
import {
  type Figures,
  findBeatAge,
  findWithheldAge,
  listStoredHealth,
  type StoredHealth,
} from './health.store.ts'
import { isFresh } from './read-service-health.ts'

/** The gauges of one scrape share one reading. */
const SHARED_FOR_MS = 500

type Reading = {
  beatAgeSeconds: number | null
  withheldSeconds: number
  stored: StoredHealth[]
  /** As the last probe round counted it; empty when that is stale. */
  queue: Figures
}

export function registerHealthMetrics({ observerDb, clock, metrics }: MetricsContext): void {
  const readNow = async (): Promise<Reading> => {
    const stored = await listStoredHealth(observerDb)
    const worker = stored.find(({ id }) => id === 'worker')
    const isKnown = worker && isFresh(worker, clock.now().toISOString())
    return {
      beatAgeSeconds: await findBeatAge(observerDb),
      withheldSeconds: await findWithheldAge(observerDb),
      stored,
      queue: (isKnown && worker.figures) || {},
    }
  }
  let shared: { at: number; reading: Promise<Reading | undefined> } | undefined
  const readShared = () => {
    if (!shared || performance.now() - shared.at > SHARED_FOR_MS) {
      shared = { at: performance.now(), reading: readNow().catch(() => undefined) }
    }
    return shared.reading
  }
  const gauge = (name: string, help: string, read: (found: Reading) => number | null | undefined) =>
    metrics.gauge(name, help, async () => {
      const found = await readShared()
      return (found && read(found)) ?? Number.NaN
    })
  gauge('job_queue_due', 'Due jobs that wait for a worker', ({ queue }) => queue.due)
  gauge(
    'job_queue_failed',
    'Jobs that failed permanently within the last hour',
    ({ queue }) => queue.failed,
  )
  gauge(
    'job_queue_oldest_due_seconds',
    'Age of the oldest due job in seconds',
    ({ queue }) => queue.oldestDueSeconds,
  )
  gauge(
    'worker_heartbeat_age_seconds',
    'Seconds since the last worker heartbeat',
    (found) => found.beatAgeSeconds,
  )
  gauge(
    'live_withheld_seconds',
    'Age of the oldest live event that streams must withhold',
    (found) => found.withheldSeconds,
  )
  metrics.gauges('service_severity', {
    help: 'Last severity of a service: 0 healthy, 1 degraded, 2 action required',
    label: 'service',
    read: async () => {
      const stored = (await readShared())?.stored ?? []
      return Object.fromEntries(stored.map(({ id, severity }) => [id, rankOf(severity)]))
    },
  })
}

type MetricsContext = Pick<Context, 'observerDb' | 'clock' | 'metrics'>
