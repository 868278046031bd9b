/** How the parts are doing, from the database alone: nobody outside is asked by a read. */
import type { Context } from '#context.ts'
import { timestampToSeconds } from '#platform/clock.ts'
import {
  findExecutorFacts,
  findWorkerFacts,
  listStoredHealth,
  type StoredHealth,
} from './health.store.ts'
import { type ExecutorFacts, judgeExecutor } from './judge-executor.ts'
import { judgeDatabase, judgeWorker, type WorkerFacts } from './judge-services.ts'
import {
  degraded,
  type ServiceHealth,
  type ServiceId,
  serviceIds,
  serviceNames,
  type Verdict,
} from './service-health.ts'

export type ReadContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'config'>

/** Some rounds long: past it nobody seems to be looking any more. */
const STALE_AFTER_SECONDS = 60

/** The organization's own view, or with null the operators'. */
export async function readServiceHealth(
  ctx: ReadContext,
  { organizationId }: { organizationId: string | null },
): Promise<ServiceHealth[]> {
  const { worker, stored, executor, latencyMs } = await readFacts(ctx, organizationId)
  const now = ctx.clock.now().toISOString()
  const fresh: Partial<Record<ServiceId, Verdict>> = {
    database: judgeDatabase(latencyMs),
    worker: judgeWorker(worker),
    ...(organizationId === null ? {} : { executor: judgeExecutor(executor) }),
  }
  return serviceIds.map((id) => {
    const seen = fresh[id]
    const { checkedAt, ...verdict } = seen
      ? { ...seen, checkedAt: now }
      : current(
          stored.find((row) => row.id === id),
          now,
        )
    return {
      id,
      service: serviceNames[id],
      environment: ctx.config.environment,
      severity: verdict.severity,
      summary: verdict.summary,
      heartbeatAgeSeconds: id === 'worker' ? worker.beatAgeSeconds : null,
      latencyMs: verdict.latencyMs,
      code: verdict.code,
      checkedAt,
      provider: providerOf(ctx, id, executor),
      deployment: ctx.config.version,
    }
  })
}

type Facts = {
  worker: WorkerFacts
  stored: StoredHealth[]
  executor: ExecutorFacts | undefined
  /** Of the first statement: what it takes to reach the database and come back. */
  latencyMs: number
}

async function readFacts(
  { db, observerDb }: ReadContext,
  organizationId: string | null,
): Promise<Facts> {
  const read = async (tx: Pick<typeof db, 'query'>): Promise<Facts> => {
    const startedAt = performance.now()
    const stored = await listStoredHealth(tx)
    const latencyMs = Math.round(performance.now() - startedAt)
    const worker = await findWorkerFacts(tx)
    const executor =
      organizationId === null ? undefined : await findExecutorFacts(tx, organizationId)
    return { worker, stored, executor, latencyMs }
  }
  return organizationId === null
    ? observerDb.transaction({}, read)
    : db.transaction({ organizationId }, read)
}

/** As it was stored, unless nobody has looked for so long that it may be anything by now. */
function current(row: StoredHealth | undefined, now: string): Verdict & { checkedAt: string } {
  if (!row) {
    const words = 'This part was not looked at yet. Start a worker if none runs: npm run worker.'
    return { ...degraded('not_checked', words), checkedAt: now }
  }
  const age = timestampToSeconds(now) - timestampToSeconds(row.checkedAt)
  if (age <= STALE_AFTER_SECONDS || row.severity === 'action_required') return row
  const words = 'This part was not looked at for over a minute. Check that a worker runs.'
  return { ...degraded('not_checked', words), checkedAt: row.checkedAt }
}

/** Kinds and product names: never an address, a key or the id of one. */
function providerOf(
  { config }: ReadContext,
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
      return executor?.providerType ?? 'local'
    case 'analyst':
      return config.analyst ? 'rules and a model' : 'rules'
    case 'push':
      return 'Web Push'
    case 'identity':
      return 'OpenID Connect'
    case 'wallets':
      return config.wallets.provider === 'privy' ? 'Privy' : 'local keystore'
  }
}
