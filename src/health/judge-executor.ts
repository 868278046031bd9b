/** Pure rules: an organization's executor, in words for its members, and all for operators. */

import type { ProvisioningState } from '#executor/executor.machine.ts'
import { GAS_LOW_WEI } from '#executor/watch-executor.ts'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import { rankOf, worstOf } from '#platform/severity.ts'
import type { ProviderState } from './judge-services.ts'
import { actionRequired, degraded, healthy, type Verdict } from './service-health.ts'

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
  /** Payments of its vaults that the service has no record of, and that are not acknowledged. */
  unrecordedPayments: number
}

export function judgeExecutor(facts: ExecutorFacts | undefined): Verdict {
  if (facts && facts.unrecordedPayments > 0) {
    const words =
      `The vaults made ${facts.unrecordedPayments} payments that are not on record. Find out who ` +
      'sent them. If it was a stranger, pause the policy. Then have an owner acknowledge them.'
    return actionRequired('payments_unrecorded', words)
  }
  if (!facts || (facts.address === null && facts.provisioningState === null)) {
    const words = 'There is no executor yet. An owner provisions one before payments can be sent.'
    return healthy(words, { code: 'not_provisioned' })
  }
  return facts.address === null ? judgeProvisioning(facts) : judgeBinding(facts)
}

function judgeProvisioning({ provisioningState, provisioningAgeSeconds }: ExecutorFacts): Verdict {
  if (provisioningState === 'failed') {
    const words = 'The executor could not be made. Reconcile it to try again.'
    return actionRequired('provisioning_failed', words)
  }
  if (provisioningAgeSeconds > PROVISIONING_SLOW_SECONDS) {
    const words = 'The executor takes longer to be made than it should. We are told.'
    return degraded('provisioning_slow', words)
  }
  return healthy('The executor is being made.', { code: 'provisioning' })
}

function judgeBinding(facts: ExecutorFacts): Verdict {
  const { isHeld, nativeBalanceWei, paysOwnGas, balanceAgeSeconds } = facts
  if (isHeld) {
    const words =
      'Payments are held: the chain is ahead of the books. They are matched; look at the payments.'
    return actionRequired('executor_held', words)
  }
  if (!paysOwnGas) return healthy('The executor is active, and others pay for its gas.')
  if (balanceAgeSeconds === null) return healthy('The executor is active; its gas is not read yet.')
  if (nativeBalanceWei < GAS_LOW_WEI) {
    const words = 'The executor has too little gas. Send native coins to its address.'
    return actionRequired('gas_low', words)
  }
  if (balanceAgeSeconds > GAS_OLD_SECONDS) {
    const words = 'The gas of the executor was not read for some minutes. We are told.'
    return degraded('gas_unknown', words)
  }
  return healthy('The executor is active and has gas.')
}

/** Undefined while all is well with whoever sends payments: the executors decide then. */
export function judgeExecutorProvider(state: ProviderState): Verdict | undefined {
  if (state === 'refuses_us') {
    const words =
      'The provider of the executors does not know us. Check its credentials, or open its session.'
    return actionRequired('executor_provider_refuses', words)
  }
  const words = 'The provider of the executors does not answer. Payments wait meanwhile.'
  return state === 'silent' ? degraded('executor_provider_unavailable', words) : undefined
}

/** What they have in common is no business of one organization, but that it is so is. */
export const isOfProvider = ({ code }: Verdict): boolean =>
  code?.startsWith('executor_provider_') ?? false

/** The worse of two; of equals the first. */
export const worseOf = (one: Verdict, other: Verdict | undefined): Verdict =>
  other && rankOf(other.severity) > rankOf(one.severity) ? other : one

/** What operators see: the worst, and how many. */
export function judgeExecutors(verdicts: readonly Verdict[]): Verdict {
  const severity = worstOf(verdicts.map((verdict) => verdict.severity))
  const troubled = verdicts.filter((verdict) => rankOf(verdict.severity) > 0)
  if (troubled.length === 0) return healthy(`${verdicts.length} executors, none in trouble.`)
  const codes = [...new Set(troubled.flatMap(({ code }) => (code === null ? [] : [code])))].sort()
  const summary =
    `${troubled.length} of ${verdicts.length} executors need attention (${codes.join(', ')}). ` +
    'Open the organizations and see what each needs.'
  const [only] = codes
  const code = codes.length === 1 && only !== undefined ? only : 'executors_need_attention'
  return { severity, code, summary, latencyMs: null }
}
