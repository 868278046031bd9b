/** What is wrong with a treasury, worst first. Each has a step that mends it. */
import type { DataOf } from '@countersign/client/operation-types.ts'

export type TreasuryWarning =
  | { id: 'expired'; at: string }
  | { id: 'paused' }
  | { id: 'extra_approvers'; addresses: string[] }
  | { id: 'extra_recipients'; addresses: string[] }
  | { id: 'executor_differs' }
  | { id: 'gas_low'; address: string }
  | { id: 'expires_soon'; at: string }
  | { id: 'missing_recipients'; addresses: string[] }
  | { id: 'missing_approvers'; addresses: string[] }
  | { id: 'below_reserve' }

export type VaultFacts = Pick<
  DataOf<'getVault'>,
  'policy' | 'differences' | 'balanceBaseUnits' | 'archivedAt'
>
type Executor = DataOf<'getExecutor'>['binding']

const SOON_MS = 7 * 86_400_000
/** Enough for a few dozen payments: the service warns below the same figure. */
const GAS_LOW_WEI = 5_000_000_000_000_000n

export const isGasLow = (
  executor: Pick<NonNullable<Executor>, 'providerType' | 'nativeBalanceWei'>,
): boolean => executor.providerType === 'local' && BigInt(executor.nativeBalanceWei) < GAS_LOW_WEI

export function warningsOf(
  { policy, differences, balanceBaseUnits, archivedAt }: VaultFacts,
  executor: Executor | null,
  now: Date,
): TreasuryWarning[] {
  if (!policy || archivedAt !== null) return []
  const found: TreasuryWarning[] = []
  const endsAt = new Date(policy.expiresAt)
  if (endsAt <= now) found.push({ id: 'expired', at: policy.expiresAt })
  if (policy.paused) found.push({ id: 'paused' })
  const { extraApprovers = [], extraRecipients = [] } = differences ?? {}
  if (extraApprovers.length > 0) {
    found.push({ id: 'extra_approvers', addresses: extraApprovers })
  }
  if (extraRecipients.length > 0) {
    found.push({ id: 'extra_recipients', addresses: extraRecipients })
  }
  if (differences?.executorDiffers) found.push({ id: 'executor_differs' })
  if (executor && isGasLow(executor)) found.push({ id: 'gas_low', address: executor.address })
  if (endsAt > now && endsAt.getTime() - now.getTime() < SOON_MS) {
    found.push({ id: 'expires_soon', at: policy.expiresAt })
  }
  const { missingRecipients = [], missingApprovers = [] } = differences ?? {}
  if (missingRecipients.length > 0) {
    found.push({ id: 'missing_recipients', addresses: missingRecipients })
  }
  if (missingApprovers.length > 0) {
    found.push({ id: 'missing_approvers', addresses: missingApprovers })
  }
  const balance = BigInt(balanceBaseUnits)
  if (balance > 0n && balance <= BigInt(policy.reserveFloor)) found.push({ id: 'below_reserve' })
  return found
}
