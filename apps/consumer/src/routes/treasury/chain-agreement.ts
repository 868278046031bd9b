/**
 * Compares the policy in force as the service tells it with what the wallet reads from the chain. A
 * service that lies about the present could make a dangerous policy look like a small change.
 */
import type { Policy } from './policy-terms.ts'

export type ChainPolicy = {
  owner: string
  version: bigint
  recipientsVersion: bigint
  policy: {
    executor: string
    expiresAt: bigint
    automaticEnabled: boolean
    paused: boolean
    approvedCap: bigint
    automaticCap: bigint
    lifetimeCap: bigint
    reserveFloor: bigint
    periodSeconds: number
    periodCap: bigint
    automaticPeriodCap: bigint
    tiers: readonly { above: bigint; approvals: number }[]
  }
  /** Addresses that are said to be listed already and are not. */
  unlisted: readonly string[]
}

export type ToldPolicy = {
  ownerAddress: string
  version: number
  recipientsVersion: number
  policy: Policy | null
}

export type Agreement =
  | { state: 'agrees' }
  /** Someone configured another policy meanwhile. */
  | { state: 'moved_on'; version: bigint }
  /** Someone changed the list of recipients meanwhile. */
  | { state: 'other_recipients' }
  | { state: 'differs'; fields: string[] }

const text = (value: unknown): string => String(value).toLowerCase()
const tiersText = (tiers: readonly { above: bigint | string; approvals: number }[]): string =>
  tiers.map(({ above, approvals }) => `${approvals} above ${above}`).join()

export function agreementOf(chain: ChainPolicy, told: ToldPolicy): Agreement {
  if (text(chain.owner) !== text(told.ownerAddress)) return { state: 'differs', fields: ['owner'] }
  if (chain.version !== BigInt(told.version)) return { state: 'moved_on', version: chain.version }
  if (chain.recipientsVersion !== BigInt(told.recipientsVersion)) {
    return { state: 'other_recipients' }
  }
  const { policy } = told
  if (!policy) return differsIn(chain.unlisted)
  const read = { ...chain.policy, tiers: tiersText(chain.policy.tiers) }
  const expected = {
    executor: policy.executorAddress,
    expiresAt: Math.trunc(Date.parse(policy.expiresAt) / 1000),
    automaticEnabled: policy.automaticEnabled,
    paused: policy.paused,
    approvedCap: policy.approvedCap,
    automaticCap: policy.automaticCap,
    lifetimeCap: policy.lifetimeCap,
    reserveFloor: policy.reserveFloor,
    periodSeconds: policy.periodSeconds ?? 0,
    periodCap: policy.periodCap ?? 0,
    automaticPeriodCap: policy.automaticPeriodCap ?? 0,
    tiers: tiersText(policy.tiers),
  } satisfies Record<keyof ChainPolicy['policy'], unknown>
  const names = Object.keys(expected) as (keyof typeof expected)[]
  return differsIn([
    ...names.filter((name) => text(read[name]) !== text(expected[name])),
    ...chain.unlisted,
  ])
}

const differsIn = (fields: readonly string[]): Agreement =>
  fields.length > 0 ? { state: 'differs', fields: [...fields] } : { state: 'agrees' }
