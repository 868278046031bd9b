/** How the parts that the service needs are doing, from what was measured and written down. */
import type { Context } from '#context.ts'
import { findWorkerHeartbeat } from './health.store.ts'
import { isDatabaseReady } from './readiness.ts'
import type { ServiceHealth } from './service-health.ts'

/** A worker beats once a second. */
const BEAT_MAX_SECONDS = 10

export async function readServiceHealth(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  _whose: { organizationId: string | null },
): Promise<ServiceHealth[]> {
  const startedAt = ctx.clock.now()
  const isReady = await isDatabaseReady(ctx)
  const checkedAt = ctx.clock.now()
  const age = isReady ? await findWorkerHeartbeat(ctx.db) : undefined
  const common = {
    environment: ctx.config.environment,
    checkedAt: checkedAt.toISOString(),
    provider: null,
    deployment: null,
  }
  const isAlive = age !== undefined && age <= BEAT_MAX_SECONDS
  return [
    {
      ...common,
      id: 'database',
      service: 'Database',
      severity: isReady ? 'healthy' : 'action_required',
      summary: isReady ? 'The database answers.' : 'The database does not answer.',
      heartbeatAgeSeconds: null,
      latencyMs: Math.max(0, checkedAt.getTime() - startedAt.getTime()),
      code: isReady ? null : 'database_unavailable',
    },
    {
      ...common,
      id: 'worker',
      service: 'Worker',
      severity: isAlive ? 'healthy' : 'action_required',
      summary: isAlive ? 'A worker is at work.' : 'No worker is at work.',
      heartbeatAgeSeconds: age ?? null,
      latencyMs: null,
      code: isAlive ? null : 'worker_missing',
    },
  ]
}
