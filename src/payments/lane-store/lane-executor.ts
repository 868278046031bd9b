/** The configured executor as the engine of one lane sees it. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import type { LaneRow } from '#executor/lane.ts'
import type { DelegationStore, HoldStore, LaneExecutor, Provider } from '#payments/engine/lane.ts'
import { isUnavailable } from '#platform/errors.ts'
import type { EntrustedExecutor, Sign } from '#ports/executor-provider.ts'

type LaneOf = {
  organizationId: string
  lane: Pick<LaneRow, 'address' | 'reference' | 'providerType'>
  stopping: AbortSignal
}
type ExecutorContext = Pick<Context, 'executor' | 'chain' | 'log'>

/** Undefined where somebody else has the executor's key. */
export function laneSigner(
  { executor, chain: { chainId } }: ExecutorContext,
  { organizationId, lane: { reference, providerType } }: Omit<LaneOf, 'stopping'>,
): Sign | undefined {
  if (executor.type !== providerType || executor.entrusting) return undefined
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
    log.error({ organizationId, configured }, "the executor's provider is not configured here")
    return { kind: 'away' }
  }
  if (!executor.entrusting) return { kind: 'signs', holds: store }
  return { kind: 'sends', provider: providerOf(ctx, executor, input), delegations: store }
}

function providerOf(
  { log }: ExecutorContext,
  { entrusting }: EntrustedExecutor,
  { organizationId, lane: { address, reference }, stopping }: LaneOf,
): Provider {
  /** To the engine every failure is silence; one that is not an outage is ours to repair. */
  const told = (error: unknown): never => {
    if (!isUnavailable(error)) log.error({ err: error, organizationId }, 'the provider failed')
    throw error
  }
  const { submit, poll } = entrusting
  return {
    ...entrusting,
    submit: async (asked) => submit({ ...asked, address, reference }).catch(told),
    poll: poll && (async (asked) => poll(asked).catch(told)),
    pause: (ms, signal) => wait(ms, undefined, { signal, ref: false }).catch(() => {}),
    stopping,
  }
}
