/**
 * Pins: what the user knows about the vault from another source. Without them evidence shows that
 * some vault paid by its own rules, not that it was the expected vault. Pure.
 */
import type { Evidence } from './evidence.ts'
import type { PaymentFacts } from './payment-facts.ts'
import { equal, type Finding } from './verify-evidence.ts'

export type Pins = {
  vault?: string | undefined
  owner?: string | undefined
  organizationHash?: string | undefined
  token?: string | undefined
}

/** Only the vault's code contains the owner, so its pin needs a node. */
export function pinFindings(
  { revision, payment }: Evidence,
  pins: Pins,
  facts: PaymentFacts | undefined,
): Finding[] {
  const vault = facts?.transaction?.vault
  const pinned = (name: string, pin: string | undefined, found: string): Finding[] =>
    pin === undefined ? [] : [equal(`pin: ${name}`, pin, found)]
  return [
    ...pinned('vault', pins.vault, revision.vaultAddress),
    ...pinned('organization hash', pins.organizationHash, payment.organizationHash),
    ...pinned('token', pins.token, revision.tokenAddress),
    ...(facts ? pinned('owner', pins.owner, vault?.ownerAddress ?? 'unknown') : []),
  ]
}

/** Where each value without a pin comes from. */
export function unpinned(pins: Pins): string[] {
  const names: [string | undefined, string][] = [
    [pins.vault, 'the vault (--vault ADDRESS)'],
    [pins.owner, "the vault's owner (--owner ADDRESS)"],
    [pins.organizationHash, 'the organization (--organization-hash HASH)'],
    [pins.token, 'the token (--token ADDRESS)'],
  ]
  return names.flatMap(([pin, what]) => (pin === undefined ? [what] : []))
}

const ONLY_A_NODE_KNOWS = [
  "that the vault's code is the published artifact, and who owns the vault",
  'that the vault ever had this policy, with these caps, tiers and approvers, and that it waited',
  'that the vault allowed the recipient, and had neither removed nor blocked it',
  'that no signer was revoked before the payment',
  'what else the vault had paid, in its life and in the period',
  "that the transaction exists, succeeded and carries the vault's log",
  'that the token moved the amount from the vault to the recipient',
  'that the block is canonical and final',
  "that the payment was mined by its deadline and before the policy's end",
]

export function unchecked(
  { payment }: Evidence,
  pins: Pins,
  facts: readonly PaymentFacts[],
): string[] {
  const [first] = facts
  if (!first) {
    return pins.owner === undefined
      ? ONLY_A_NODE_KNOWS
      : [...ONLY_A_NODE_KNOWS, 'the pinned owner, which is part of the code of the vault']
  }
  const isDeadlineHidden = payment.mode === 'automatic' && !first.transaction?.directCall
  return [
    ...(facts.length === 1 ? ['that the node tells the truth: give --rpc a second time'] : []),
    ...(isDeadlineHidden
      ? ['the deadline: the executor is a contract, and no log carries the deadline']
      : []),
  ]
}
