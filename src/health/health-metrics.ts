/** The same figures for Prometheus: every process shows them, also when no worker runs. */
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

/** Several gauges of one scrape share one look. */
const SHARED_FOR_MS = 500

type Look = {
  beatAgeSeconds: number | null
  withheldSeconds: number
  stored: StoredHealth[]
  /** As the last round has counted it; empty when that is too long ago. */
  queue: Figures
}

export function registerHealthMetrics({ observerDb, clock, metrics }: MetricsContext): void {
  const lookNow = async (): Promise<Look> => {
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
  let looked: { at: number; look: Promise<Look | undefined> } | undefined
  const look = () => {
    if (!looked || performance.now() - looked.at > SHARED_FOR_MS) {
      looked = { at: performance.now(), look: lookNow().catch(() => undefined) }
    }
    return looked.look
  }
  const gauge = (name: string, help: string, read: (found: Look) => number | null | undefined) =>
    metrics.gauge(name, help, async () => {
      const found = await look()
      return (found && read(found)) ?? Number.NaN
    })
  gauge('job_queue_due', 'Jobs that are due and wait for a worker', ({ queue }) => queue.due)
  gauge(
    'job_queue_failed',
    'Jobs that have failed for good within the last hour',
    ({ queue }) => queue.failed,
  )
  gauge(
    'job_queue_oldest_due_seconds',
    'How long the oldest due job has waited',
    ({ queue }) => queue.oldestDueSeconds,
  )
  gauge(
    'worker_heartbeat_age_seconds',
    'Time since a worker last showed itself',
    (found) => found.beatAgeSeconds,
  )
  gauge(
    'live_withheld_seconds',
    'How long the first live event waits that no stream may show yet',
    (found) => found.withheldSeconds,
  )
  metrics.gauges('service_severity', {
    help: 'How a part was last found: 0 healthy, 1 degraded, 2 action required',
    label: 'service',
    read: async () => {
      const stored = (await look())?.stored ?? []
      return Object.fromEntries(stored.map(({ id, severity }) => [id, rankOf(severity)]))
    },
  })
}

type MetricsContext = Pick<Context, 'observerDb' | 'clock' | 'metrics'>
