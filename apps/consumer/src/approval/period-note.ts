/** Whether the vault's current spending period has room for an amount. Pure. */
import type { DataOf } from '@countersign/client/operation-types.ts'

type Vault = Pick<DataOf<'getVault'>, 'period' | 'policy'>

export type PeriodNote =
  /** The next period has room for it. */
  | { kind: 'later'; left: string; from: string }
  /** No period ever has. */
  | { kind: 'never'; cap: string }

type Asked = {
  amountBaseUnits: string
  isAutomatic: boolean
  /** A first signature has set the amount aside, so what is left is without it. */
  isReserved?: boolean
}

export function periodNote(
  { period, policy }: Vault,
  { amountBaseUnits, isAutomatic, isReserved = false }: Asked,
): PeriodNote | null {
  if (!period || !policy || isReserved) return null
  const amount = BigInt(amountBaseUnits)
  const cap = (isAutomatic ? policy.automaticPeriodCap : policy.periodCap) ?? '0'
  if (amount > BigInt(cap)) return { kind: 'never', cap }
  const left = isAutomatic ? period.automaticRemainingBaseUnits : period.remainingBaseUnits
  return amount > BigInt(left) ? { kind: 'later', left, from: period.endsAt } : null
}
