/** The same figures for Prometheus: every process shows them, also when no worker runs. */
import type { Context } from '#context.ts'
import { findWorkerFacts, listStoredHealth } from './health.store.ts'
import type { WorkerFacts } from './judge-services.ts'
import { rankOf } from './service-health.ts'

/** Several gauges of one scrape share one look. */
const SHARED_FOR_MS = 500

export function registerHealthMetrics({ observerDb, metrics }: MetricsContext): void {
  let looked: { at: number; facts: Promise<WorkerFacts | undefined> } | undefined
  const look = () => {
    if (!looked || performance.now() - looked.at > SHARED_FOR_MS) {
      const facts = findWorkerFacts(observerDb).catch(() => undefined)
      looked = { at: performance.now(), facts }
    }
    return looked.facts
  }
  const gauge = (name: string, help: string, read: (facts: WorkerFacts) => number | null) =>
    metrics.gauge(name, help, async () => {
      const facts = await look()
      return (facts && read(facts)) ?? Number.NaN
    })
  gauge('job_queue_due', 'Jobs that are due and wait for a worker', ({ due }) => due)
  gauge('job_queue_failed', 'Jobs that have failed for good', ({ failed }) => failed)
  gauge(
    'job_queue_oldest_due_seconds',
    'How long the oldest due job has waited',
    (facts) => facts.oldestDueSeconds,
  )
  gauge(
    'worker_heartbeat_age_seconds',
    'Time since a worker last showed itself',
    (facts) => facts.beatAgeSeconds,
  )
  metrics.gauges('service_severity', {
    help: 'How a part was last found: 0 healthy, 1 degraded, 2 action required',
    label: 'service',
    read: async () => {
      const stored = await listStoredHealth(observerDb).catch(() => [])
      return Object.fromEntries(stored.map(({ id, severity }) => [id, rankOf(severity)]))
    },
  })
}

type MetricsContext = Pick<Context, 'observerDb' | 'metrics'>
