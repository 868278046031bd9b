/**
 * Compares the policy in force as the service tells it with what the wallet reads from the chain. A
 * service that lies about the present could make a dangerous policy look like a small change.
 */
import type { Policy } from './policy-terms.ts'

export type ChainPolicy = {
  owner: string
  version: bigint
  policy: {
    executor: string
    expiresAt: bigint
    automaticEnabled: boolean
    paused: boolean
    approvedCap: bigint
    automaticCap: bigint
    lifetimeCap: bigint
    reserveFloor: bigint
  }
  /** Addresses that are said to be listed already and are not. */
  unlisted: readonly string[]
}

export type ToldPolicy = { ownerAddress: string; version: number; policy: Policy | null }

export type Agreement =
  | { state: 'agrees' }
  /** Someone configured another policy meanwhile. */
  | { state: 'moved_on'; version: bigint }
  | { state: 'differs'; fields: string[] }

const text = (value: unknown): string => String(value).toLowerCase()

export function agreementOf(chain: ChainPolicy, told: ToldPolicy): Agreement {
  if (text(chain.owner) !== text(told.ownerAddress)) return { state: 'differs', fields: ['owner'] }
  if (chain.version !== BigInt(told.version)) return { state: 'moved_on', version: chain.version }
  if (!told.policy) return { state: 'agrees' }
  const { policy } = told
  const expected = {
    executor: policy.executorAddress,
    expiresAt: Math.trunc(Date.parse(policy.expiresAt) / 1000),
    automaticEnabled: policy.automaticEnabled,
    paused: policy.paused,
    approvedCap: policy.approvedCap,
    automaticCap: policy.automaticCap,
    lifetimeCap: policy.lifetimeCap,
    reserveFloor: policy.reserveFloor,
  } satisfies Record<keyof ChainPolicy['policy'], unknown>
  const names = Object.keys(expected) as (keyof typeof expected)[]
  const fields = [
    ...names.filter((name) => text(chain.policy[name]) !== text(expected[name])),
    ...chain.unlisted,
  ]
  return fields.length > 0 ? { state: 'differs', fields } : { state: 'agrees' }
}
