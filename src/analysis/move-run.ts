/** The only writer of an agent run's state. */
import type { Context } from '#context.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { type AgentRunEvent, agentRunMachine } from './agent-run.machine.ts'
import { type AgentRun, insertRun, updateRunState } from './analysis.store.ts'

type RunContext = Pick<Context, 'clock' | 'ids'>

const names = { start: 'started', succeed: 'succeeded', fail: 'failed' } as const

export async function queueRun(
  ctx: RunContext,
  tx: Tx,
  {
    organizationId,
    expenseId,
    expenseRevision,
    actor,
  }: { organizationId: string; expenseId: string; expenseRevision: number; actor: Actor },
): Promise<string> {
  const id = ctx.ids.next()
  const at = ctx.clock.now()
  insertRun(tx, { id, organizationId, expenseId, expenseRevision, at })
  await recordChange(ctx, tx, {
    organizationId,
    actor,
    action: 'agent_run.queued',
    aggregateType: 'agent_run',
    aggregateId: id,
    data: { expenseId, revision: expenseRevision },
    live: {
      kind: 'agent_run.changed',
      aggregateType: 'agent_run',
      targetState: 'queued',
      severity: 'healthy',
      code: null,
    },
  })
  return id
}

export async function moveRun(
  ctx: RunContext,
  tx: Tx,
  {
    run,
    event,
    leaseSeconds = null,
    failureCode = null,
  }: {
    run: AgentRun
    event: AgentRunEvent
    leaseSeconds?: number | null
    failureCode?: string | null
  },
): Promise<AgentRun> {
  const to = next(agentRunMachine, { from: run.state, event })
  const taken = event === 'start' ? 1 : 0
  const attempts = run.attempts + taken
  const leaseEpoch = run.leaseEpoch + taken
  const at = ctx.clock.now()
  updateRunState(tx, { run, to, attempts, leaseEpoch, leaseSeconds, failureCode, at })
  await recordChange(ctx, tx, {
    organizationId: run.organizationId,
    actor: SYSTEM,
    action: `agent_run.${names[event]}`,
    aggregateType: 'agent_run',
    aggregateId: run.id,
    data: { expenseId: run.expenseId, revision: run.expenseRevision, attempts, failureCode },
    live: {
      kind: 'agent_run.changed',
      aggregateType: 'agent_run',
      targetState: to,
      severity: event === 'fail' ? 'action_required' : 'healthy',
      code: failureCode,
    },
  })
  return { ...run, state: to, attempts, leaseEpoch, failureCode, updatedAt: at.toISOString() }
}
