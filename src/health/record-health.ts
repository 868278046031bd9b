/** Stores the verdicts of a probe round and records each change of severity once. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Severity } from '#platform/severity.ts'
import {
  lockExecutorHealth,
  lockHealth,
  lockRecording,
  upsertExecutorHealth,
  upsertHealth,
} from './health.store.ts'
import { judgeExecutor } from './judge-executor.ts'
import type { Looks } from './probe-services.ts'
import type { HealthVerdict, ServiceId } from './service-health.ts'

type RecordContext = Pick<Context, 'db' | 'clock' | 'ids'>

/** Stops when `goesOn` returns false, because there may be many executors and the lease ends. */
export async function recordHealth(
  ctx: RecordContext,
  looks: Looks,
  { goesOn = async () => true }: { goesOn?: () => Promise<boolean> } = {},
): Promise<void> {
  if (!(await goesOn())) return
  const at = ctx.clock.now()
  await ctx.db.transaction({}, async (tx) => {
    lockRecording(tx)
    for (const [id, verdict] of looks.services) {
      const from = await lockHealth(tx, id)
      const figures = looks.figures.get(id)
      upsertHealth(tx, { id, verdict, at, ...(figures && { figures }) })
      await recordSeverity(ctx, tx, { organizationId: null, id, from, verdict })
    }
  })
  for (const executor of looks.executors) {
    const verdict = judgeExecutor(executor)
    if ((executor.told ?? 'healthy') === verdict.severity) continue
    if (!(await goesOn())) return
    await recordExecutor(ctx, { organizationId: executor.organizationId, verdict })
  }
}

/** In the organization's scope, so that its members are notified too. */
async function recordExecutor(
  ctx: RecordContext,
  { organizationId, verdict }: { organizationId: string; verdict: HealthVerdict },
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    lockRecording(tx)
    const from = await lockExecutorHealth(tx, organizationId)
    upsertExecutorHealth(tx, { organizationId, verdict, at: ctx.clock.now() })
    await recordSeverity(ctx, tx, { organizationId, id: 'executor', from, verdict })
  })
}

/** A new service that is healthy counts as unchanged. */
async function recordSeverity(
  ctx: RecordContext,
  tx: Tx,
  change: {
    organizationId: string | null
    id: ServiceId
    from: Severity | undefined
    verdict: HealthVerdict
  },
): Promise<void> {
  const { organizationId, id, from = 'healthy', verdict } = change
  const { severity, code } = verdict
  if (severity === from) return
  await recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: 'service.changed',
    aggregateType: 'service',
    aggregateId: id,
    data: { from, to: severity, code },
    live: {
      kind: 'service.changed',
      aggregateType: 'service',
      targetState: severity,
      severity,
      code,
    },
  })
}
