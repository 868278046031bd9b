/** Adapts the configured executor to one lane of the engine. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import type { LaneRow } from '#executor/lane.ts'
import type { DelegationStore, HoldStore, LaneExecutor, Provider } from '#payments/engine/lane.ts'
import { isUnavailable } from '#platform/errors.ts'
import type { DelegatedExecutor, Sign } from '#ports/executor-provider.ts'

type LaneOf = {
  organizationId: string
  lane: Pick<LaneRow, 'address' | 'reference' | 'providerType'>
  stopping: AbortSignal
}
type ExecutorContext = Pick<Context, 'executor' | 'chain' | 'log'>

/** Undefined where the service does not hold the executor's key. */
export function laneSigner(
  { executor, chain: { chainId } }: ExecutorContext,
  { organizationId, lane: { reference, providerType } }: Omit<LaneOf, 'stopping'>,
): Sign | undefined {
  if (executor.type !== providerType || executor.delegation) return undefined
  return (asked) => executor.sign({ ...asked, organizationId, reference, chainId })
}

export function createLaneExecutor(
  ctx: ExecutorContext,
  input: LaneOf & { store: HoldStore & DelegationStore },
): LaneExecutor {
  const { executor, log } = ctx
  const { organizationId, lane, store } = input
  if (executor.type !== lane.providerType) {
    const configured = executor.type
    log.error(
      { organizationId, configured },
      'the provider of this executor is not configured; its payments are only observed',
    )
    return { kind: 'unavailable' }
  }
  if (!executor.delegation) return { kind: 'signs', holds: store }
  return { kind: 'sends', provider: providerOf(ctx, executor, input), delegations: store }
}

function providerOf(
  { log }: ExecutorContext,
  { delegation }: DelegatedExecutor,
  { organizationId, lane: { address, reference }, stopping }: LaneOf,
): Provider {
  /** The engine treats every failure as no answer. One that is not an outage is a bug: log it. */
  const logFailure = (error: unknown): never => {
    if (!isUnavailable(error)) {
      log.error({ err: error, organizationId }, 'the executor provider failed unexpectedly')
    }
    throw error
  }
  const { submit, poll } = delegation
  return {
    ...delegation,
    submit: async (asked) => submit({ ...asked, address, reference }).catch(logFailure),
    poll: poll && (async (asked) => poll(asked).catch(logFailure)),
    pause: (ms, signal) => wait(ms, undefined, { signal, ref: false }).catch(() => {}),
    stopping,
  }
}
