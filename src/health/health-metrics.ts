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
import type { ServiceId } from './service-health.ts'

/** The gauges of one scrape share one reading. */
const SHARED_FOR_MS = 500

type Reading = {
  beatAgeSeconds: number | null
  withheldSeconds: number
  stored: StoredHealth[]
  /** As the last probe round counted them; empty when that is stale. */
  queue: Figures
  chain: Figures
  executor: Figures
}

export function registerHealthMetrics({ observerDb, clock, metrics }: MetricsContext): void {
  const readNow = async (): Promise<Reading> => {
    const stored = await listStoredHealth(observerDb)
    const now = clock.now().toISOString()
    const figuresOf = (id: ServiceId): Figures => {
      const found = stored.find((each) => each.id === id)
      return (found && isFresh(found, now) && found.figures) || {}
    }
    return {
      beatAgeSeconds: await findBeatAge(observerDb),
      withheldSeconds: await findWithheldAge(observerDb),
      stored,
      queue: figuresOf('worker'),
      chain: figuresOf('chain'),
      executor: figuresOf('executor'),
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
  gauge('countersign_job_queue_due', 'Due jobs that wait for a worker', ({ queue }) => queue.due)
  gauge(
    'countersign_job_queue_failed',
    'Jobs that failed permanently within the last hour',
    ({ queue }) => queue.failed,
  )
  gauge(
    'countersign_job_queue_oldest_due_seconds',
    'Age of the oldest due job in seconds',
    ({ queue }) => queue.oldestDueSeconds,
  )
  gauge(
    'countersign_worker_heartbeat_age_seconds',
    'Seconds since the last worker heartbeat',
    (found) => found.beatAgeSeconds,
  )
  gauge(
    'countersign_live_withheld_seconds',
    'Age of the oldest live event that streams must withhold',
    (found) => found.withheldSeconds,
  )
  const gauges = (name: string, help: string, label: string, read: Read) =>
    metrics.gauges(name, {
      help,
      label,
      read: async () => {
        const found = await readShared()
        return found ? read(found) : {}
      },
    })
  gauges(
    'countersign_service_severity',
    'Last severity of a service: 0 healthy, 1 degraded, 2 action required',
    'service',
    ({ stored }) => Object.fromEntries(stored.map(({ id, severity }) => [id, rankOf(severity)])),
  )
  registerPaymentMetrics(gauge, gauges)
  registerChainMetrics(gauges)
}

type Read = (found: Reading) => Record<string, number>
type RegisterGauge = (
  name: string,
  help: string,
  read: (found: Reading) => number | null | undefined,
) => void
type RegisterGauges = (name: string, help: string, label: string, read: Read) => void

/** Of all organizations together: one series per organization would be too many. */
function registerPaymentMetrics(gauge: RegisterGauge, gauges: RegisterGauges): void {
  gauges('countersign_payments', 'Open payments, by state', 'state', ({ executor }) =>
    valuesOf(executor.payments, ({ count }) => count),
  )
  gauges(
    'countersign_payments_oldest_seconds',
    'How long the oldest open payment has been in its state',
    'state',
    ({ executor }) => valuesOf(executor.payments, ({ oldestSeconds }) => oldestSeconds),
  )
  gauges(
    'countersign_lane_depth',
    'Payments of the lane that has most, by stage',
    'stage',
    ({ executor: { laneDepth } }): Record<string, number> =>
      laneDepth ? { queued: laneDepth.queued, in_flight: laneDepth.inFlight } : {},
  )
  gauge(
    'countersign_lanes_busy',
    'Lanes with payments to send or to settle',
    ({ executor }) => executor.busyLanes,
  )
  gauge(
    'countersign_executors_held',
    'Executors whose lane only observes, because the chain is ahead of the database',
    ({ executor }) => executor.executors?.held,
  )
  gauges(
    'countersign_executors',
    'Executors, by their gas',
    'gas',
    ({ executor }) => executor.executors?.gas ?? {},
  )
  gauge(
    'countersign_executor_gas_lowest_wei',
    'Lowest balance of the executors that pay for their own gas',
    ({ executor: { gasLowestWei } }) =>
      gasLowestWei === null || gasLowestWei === undefined ? null : Number(gasLowestWei),
  )
}

function registerChainMetrics(gauges: RegisterGauges): void {
  gauges(
    'countersign_vault_histories_unread',
    'Vaults whose history is not read yet, by state',
    'state',
    ({ chain }) => valuesOf(chain.vaultHistories, ({ count }) => count),
  )
  gauges(
    'countersign_vault_histories_unread_oldest_seconds',
    'Seconds since the oldest of these vaults was registered',
    'state',
    ({ chain }) => valuesOf(chain.vaultHistories, ({ oldestSeconds }) => oldestSeconds),
  )
  gauges(
    'countersign_rpc_lag_blocks',
    'Blocks that a chain node is behind the highest, by its place in RPC_URLS',
    'node',
    ({ chain }) =>
      Object.fromEntries(
        (chain.nodeLagBlocks ?? []).map((lag, n) => [String(n + 1), lag ?? Number.NaN]),
      ),
  )
}

const valuesOf = <T>(
  found: Record<string, T> | undefined,
  value: (one: T) => number,
): Record<string, number> =>
  Object.fromEntries(Object.entries(found ?? {}).map(([name, one]) => [name, value(one)]))

type MetricsContext = Pick<Context, 'observerDb' | 'clock' | 'metrics'>
