/** Whether the vault's current spending period has room for an amount. Pure. */
import type { DataOf } from '@countersign/client/operation-types.ts'

type Vault = Pick<DataOf<'getVault'>, 'period' | 'policy'>

export type PeriodNote =
  /** The next period has room for it. */
  | { kind: 'later'; left: string; from: string }
  /** No period ever has. */
  | { kind: 'never'; cap: string }

export function periodNote(
  { period, policy }: Vault,
  { amountBaseUnits, isAutomatic }: { amountBaseUnits: string; isAutomatic: boolean },
): PeriodNote | null {
  if (!period || !policy) return null
  const amount = BigInt(amountBaseUnits)
  const cap = (isAutomatic ? policy.automaticPeriodCap : policy.periodCap) ?? '0'
  if (amount > BigInt(cap)) return { kind: 'never', cap }
  const left = isAutomatic ? period.automaticRemainingBaseUnits : period.remainingBaseUnits
  return amount > BigInt(left) ? { kind: 'later', left, from: period.endsAt } : null
}
