/** What to say about an amount while it is typed. Nothing here stops anyone: the service decides. */
import { type PeriodNote, periodNote } from '../../../approval/period-note.ts'
import type { Vault } from '../expense-types.ts'

export type AmountNote =
  | { kind: 'over_available'; available: string }
  | { kind: 'over_cap'; cap: string }
  | { kind: 'over_allowance'; left: string }
  | { kind: 'over_period'; note: PeriodNote }

const isAbove = (amount: bigint, limit: string | null | undefined): limit is string =>
  limit !== null && limit !== undefined && amount > BigInt(limit)

export function amountNotes(
  baseUnits: string | null,
  vault:
    | Pick<Vault, 'availableBaseUnits' | 'remainingAllowanceBaseUnits' | 'policy' | 'period'>
    | undefined,
): AmountNote[] {
  if (baseUnits === null || !vault) return []
  const amount = BigInt(baseUnits)
  const notes: AmountNote[] = []
  const { availableBaseUnits, remainingAllowanceBaseUnits: left, policy } = vault
  if (isAbove(amount, policy?.approvedCap)) {
    notes.push({ kind: 'over_cap', cap: policy.approvedCap })
  }
  if (isAbove(amount, availableBaseUnits)) {
    notes.push({ kind: 'over_available', available: availableBaseUnits })
  }
  if (isAbove(amount, left)) notes.push({ kind: 'over_allowance', left })
  const note = periodNote(vault, { amountBaseUnits: baseUnits, isAutomatic: false })
  if (note) notes.push({ kind: 'over_period', note })
  return notes
}

/** Why the expense cannot be paid without a signature. */
export type AutomaticOff =
  | { kind: 'no_policy' }
  | { kind: 'switched_off' }
  | { kind: 'over_cap'; cap: string }

export function automaticOff(
  baseUnits: string | null,
  vault: Pick<Vault, 'policy'> | undefined,
): AutomaticOff | null {
  if (!vault) return null
  const { policy } = vault
  if (!policy) return { kind: 'no_policy' }
  if (!policy.automaticEnabled) return { kind: 'switched_off' }
  return baseUnits !== null && isAbove(BigInt(baseUnits), policy.automaticCap)
    ? { kind: 'over_cap', cap: policy.automaticCap }
    : null
}
