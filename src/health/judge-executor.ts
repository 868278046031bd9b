/**
 * Pure rules for the health of executors, worded for the organization's members and for operators.
 */
import type { ProvisioningState } from '#executor/executor.machine.ts'
import { GAS_LOW_WEI } from '#executor/watch-executor.ts'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import { rankOf, worstOf } from '#platform/severity.ts'
import type { ProviderState } from './judge-services.ts'
import { actionRequired, degraded, type HealthVerdict, healthy } from './service-health.ts'

const GAS_OLD_SECONDS = 300
const PROVISIONING_SLOW_SECONDS = 120

export type ExecutorFacts = {
  organizationId: string
  providerType: ExecutorProviderType | null
  /** Lower case; null without a binding. */
  address: string | null
  isHeld: boolean
  nativeBalanceWei: bigint
  paysOwnGas: boolean
  /** Null when the balance was never read. */
  balanceAgeSeconds: number | null
  provisioningState: ProvisioningState | null
  provisioningAgeSeconds: number
  /** Unacknowledged payments of its vaults that the service has no record of. */
  unrecordedPayments: number
}

export function judgeExecutor(facts: ExecutorFacts | undefined): HealthVerdict {
  if (facts && facts.unrecordedPayments > 0) {
    const summary =
      `The vaults made ${facts.unrecordedPayments} payments that the service has no record of. ` +
      'Find out who sent them. If it was a stranger, pause the policy. Then have an owner ' +
      'acknowledge them.'
    return actionRequired('payments_unrecorded', summary)
  }
  if (!facts || (facts.address === null && facts.provisioningState === null)) {
    const summary = 'There is no executor. An owner must provision one before payments can be sent.'
    return healthy(summary, { code: 'not_provisioned' })
  }
  return facts.address === null ? judgeProvisioning(facts) : judgeBinding(facts)
}

function judgeProvisioning({
  provisioningState,
  provisioningAgeSeconds,
}: ExecutorFacts): HealthVerdict {
  if (provisioningState === 'failed') {
    const summary = 'Provisioning the executor failed. Reconcile it to try again.'
    return actionRequired('provisioning_failed', summary)
  }
  if (provisioningAgeSeconds > PROVISIONING_SLOW_SECONDS) {
    const summary = 'Provisioning the executor takes longer than usual. Operators are informed.'
    return degraded('provisioning_slow', summary)
  }
  return healthy('The executor is being provisioned.', { code: 'provisioning' })
}

function judgeBinding(facts: ExecutorFacts): HealthVerdict {
  const { isHeld, nativeBalanceWei, paysOwnGas, balanceAgeSeconds } = facts
  if (isHeld) {
    const summary =
      'Payments are on hold: the chain has transactions that the database lacks. Check the ' +
      'payments.'
    return actionRequired('executor_held', summary)
  }
  if (!paysOwnGas) return healthy('The executor is active, and its gas is sponsored.')
  if (balanceAgeSeconds === null)
    return healthy('The executor is active; its gas balance is not known yet.')
  if (nativeBalanceWei < GAS_LOW_WEI) {
    const summary = 'The executor is low on gas. Send native tokens to its address.'
    return actionRequired('gas_low', summary)
  }
  if (balanceAgeSeconds > GAS_OLD_SECONDS) {
    const summary = 'The gas balance of the executor is some minutes old. Operators are informed.'
    return degraded('gas_unknown', summary)
  }
  return healthy('The executor is active and has gas.')
}

/** `sponsored`: the provider pays. `unread`: the balance is not known yet. */
type GasLevel = 'enough' | 'low' | 'unread' | 'sponsored'

export type ExecutorFigures = {
  executors: { gas: Record<GasLevel, number>; held: number }
  /** Of the executors that pay for their own gas; a decimal number, null without any. */
  gasLowestWei: string | null
}

function gasLevelOf({ paysOwnGas, balanceAgeSeconds, nativeBalanceWei }: ExecutorFacts): GasLevel {
  if (!paysOwnGas) return 'sponsored'
  if (balanceAgeSeconds === null) return 'unread'
  return nativeBalanceWei < GAS_LOW_WEI ? 'low' : 'enough'
}

/** Of all executors together, for metrics. */
export function countExecutors(all: readonly ExecutorFacts[]): ExecutorFigures {
  const gas: Record<GasLevel, number> = { enough: 0, low: 0, unread: 0, sponsored: 0 }
  let lowest: bigint | null = null
  const bound = all.filter(({ address }) => address !== null)
  for (const facts of bound) {
    const level = gasLevelOf(facts)
    gas[level] += 1
    const isKnown = level === 'enough' || level === 'low'
    if (isKnown && (lowest === null || facts.nativeBalanceWei < lowest)) {
      lowest = facts.nativeBalanceWei
    }
  }
  const held = bound.filter(({ isHeld }) => isHeld).length
  return { executors: { gas, held }, gasLowestWei: lowest?.toString() ?? null }
}

/** Undefined while the provider is ready; then the executors decide. */
export function judgeExecutorProvider(state: ProviderState): HealthVerdict | undefined {
  if (state === 'rejects_credentials') {
    const summary = 'The executor provider rejects our credentials. Check them, or log in again.'
    return actionRequired('executor_provider_refuses', summary)
  }
  const summary = 'The executor provider does not answer. Payments wait until it does.'
  return state === 'silent' ? degraded('executor_provider_unavailable', summary) : undefined
}

/** Whether the cause is the shared provider, whose details members do not see. */
export const isProviderVerdict = ({ code }: HealthVerdict): boolean =>
  code?.startsWith('executor_provider_') ?? false

/** The worse of two verdicts; the first if they are equal. */
export const worseOf = (one: HealthVerdict, other: HealthVerdict | undefined): HealthVerdict =>
  other && rankOf(other.severity) > rankOf(one.severity) ? other : one

function allWell(count: number): string {
  if (count === 0) return 'There is no executor yet.'
  return count === 1 ? 'The only executor is healthy.' : `All ${count} executors are healthy.`
}

/** For operators: the worst severity and the number affected. */
export function judgeExecutors(verdicts: readonly HealthVerdict[]): HealthVerdict {
  const severity = worstOf(verdicts.map((verdict) => verdict.severity))
  const unhealthy = verdicts.filter((verdict) => rankOf(verdict.severity) > 0)
  if (unhealthy.length === 0) return healthy(allWell(verdicts.length))
  const codes = [...new Set(unhealthy.flatMap(({ code }) => (code === null ? [] : [code])))].sort()
  const summary =
    `${unhealthy.length} of ${verdicts.length} executors need attention (${codes.join(', ')}). ` +
    'Open the organizations for details.'
  const [only] = codes
  const code = codes.length === 1 && only !== undefined ? only : 'executors_need_attention'
  return { severity, code, summary, latencyMs: null }
}
