/** Reads service health from the database only: a read never calls an external service. */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { executorNameOf } from '#platform/config/executor.ts'
import { executorTypes } from '#platform/config/providers.ts'
import { walletProviderName } from '#platform/config/wallets.ts'
import type { Reader } from '#platform/database/database.ts'
import {
  findBeatAge,
  findExecutorFacts,
  listStoredHealth,
  type StoredHealth,
} from './health.store.ts'
import { type ExecutorFacts, isProviderVerdict, judgeExecutor, worseOf } from './judge-executor.ts'
import { judgeDatabase, judgeWorker } from './judge-services.ts'
import {
  degraded,
  forMembers,
  type HealthVerdict,
  type ServiceHealth,
  type ServiceId,
  serviceIds,
  serviceNames,
} from './service-health.ts'

export type ReadContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'config'>

/** Several rounds: after this nobody seems to probe any more. */
const STALE_AFTER_SECONDS = 60

/** The view of an organization, or the operators' view when null. */
export async function readServiceHealth(
  ctx: ReadContext,
  { organizationId }: { organizationId: string | null },
): Promise<ServiceHealth[]> {
  const read = (reader: Reader) => readHealthFacts(reader, { organizationId })
  const facts = await (organizationId === null
    ? ctx.observerDb.read({}, read)
    : ctx.db.read({ organizationId }, read))
  return judgeServices(ctx, { organizationId, facts })
}

export function judgeServices(
  ctx: Pick<ReadContext, 'clock' | 'config'>,
  { organizationId, facts }: { organizationId: string | null; facts: HealthFacts },
): ServiceHealth[] {
  const now = ctx.clock.now().toISOString()
  return serviceIds.map((id) => {
    const found = judge(id, facts, { now, organizationId })
    const isOwn = id === 'executor' && organizationId !== null
    const { checkedAt, ...verdict } = organizationId === null || isOwn ? found : forMembers(found)
    return {
      id,
      service: serviceNames[id],
      environment: ctx.config.environment,
      severity: verdict.severity,
      summary: verdict.summary,
      heartbeatAgeSeconds: id === 'worker' ? facts.beatAgeSeconds : null,
      latencyMs: verdict.latencyMs,
      code: verdict.code,
      checkedAt,
      provider: providerOf(ctx, id, facts.executor),
      deployment: ctx.config.version,
    }
  })
}

export type HealthFacts = {
  beatAgeSeconds: number | null
  stored: StoredHealth[]
  executor: ExecutorFacts | undefined
  /** Of the round trip that read them. */
  latencyMs: number
}

/** In one round trip. */
export async function readHealthFacts(
  reader: Reader,
  { organizationId }: { organizationId: string | null },
): Promise<HealthFacts> {
  const startedAt = performance.now()
  const [stored, beatAgeSeconds, executor] = await Promise.all([
    listStoredHealth(reader),
    findBeatAge(reader),
    organizationId === null ? undefined : findExecutorFacts(reader, organizationId),
  ])
  const latencyMs = Math.round(performance.now() - startedAt)
  return { beatAgeSeconds, stored, executor, latencyMs }
}

type Found = HealthVerdict & { checkedAt: string }

function judge(
  id: ServiceId,
  { beatAgeSeconds, stored, executor, latencyMs }: HealthFacts,
  { now, organizationId }: { now: string; organizationId: string | null },
): Found {
  const row = stored.find((each) => each.id === id)
  const figures = row && isFresh(row, now) ? row.figures : null
  if (id === 'database') {
    const counted = { withheldSeconds: 0, forgedPayments: 0, ...figures }
    return { ...judgeDatabase({ ...counted, latencyMs }), checkedAt: now }
  }
  if (id === 'worker') {
    const queue = { due: 0, failed: 0, oldestDueSeconds: 0, ...figures }
    // A failed job of one tenant is no concern of the others.
    const failed = organizationId === null ? queue.failed : 0
    const verdict = judgeWorker({ ...queue, failed, beatAgeSeconds })
    // A heartbeat alone does not prove that the queue is healthy.
    const isKnown = figures !== null || verdict.severity !== 'healthy'
    if (isKnown) return { ...verdict, checkedAt: now }
    return row && isFresh(row, now) ? row : notChecked(row, now)
  }
  if (id === 'executor' && organizationId !== null) {
    const shared = row && isFresh(row, now) && isProviderVerdict(row) ? forMembers(row) : undefined
    return { ...worseOf(judgeExecutor(executor), shared), checkedAt: now }
  }
  // A stale `action_required` verdict stays until a new probe replaces it.
  return row && (isFresh(row, now) || row.severity === 'action_required')
    ? row
    : notChecked(row, now)
}

/** A stale verdict may no longer be true. */
export const isFresh = ({ checkedAt }: Pick<StoredHealth, 'checkedAt'>, now: string): boolean =>
  timestampToSeconds(now) - timestampToSeconds(checkedAt) <= STALE_AFTER_SECONDS

function notChecked(row: StoredHealth | undefined, now: string): Found {
  const summary = row
    ? 'This service was not probed for over a minute. Check that a worker is running.'
    : 'This service was not probed yet. Start a worker if none is running: npm run worker.'
  return { ...degraded('not_checked', summary), checkedAt: row?.checkedAt ?? now }
}

/** Only kinds and product names, never an address, a key or its id. */
function providerOf(
  { config }: Pick<ReadContext, 'config'>,
  id: ServiceId,
  executor: ExecutorFacts | undefined,
): string {
  switch (id) {
    case 'database':
      return 'PostgreSQL'
    case 'worker':
      return 'job queue'
    case 'chain':
      return `JSON-RPC, chain ${config.chain.id}`
    case 'executor':
      return executor?.providerType ?? executorTypes[executorNameOf(config.executor)]
    case 'analyst':
      return config.analyst ? 'rules and a model' : 'rules'
    case 'push':
      return 'Web Push'
    case 'identity':
      return 'OpenID Connect'
    case 'wallets':
      return walletProviderName(config.wallets) === 'privy' ? 'Privy' : 'local keystore'
  }
}
