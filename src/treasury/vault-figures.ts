/** The figures of a vault, as the overview and the vault's own page show them. */
import type { Tx } from '#platform/database/database.ts'
import { type PeriodSpending, readPeriod } from './period.ts'
import { findPolicy, type PolicyRow } from './policies.store.ts'
import { remainingAllowance } from './policy.ts'
import { availableFunds, periodRoom } from './spending.ts'
import { findHeld, type VaultRow } from './vaults.store.ts'

export type VaultFigures = {
  /** The policy in force. */
  policy: PolicyRow | undefined
  balance: bigint
  /** Held by live payments. */
  reserved: bigint
  /** Undefined without a policy: the vault pays nothing. */
  available: bigint | undefined
  remainingAllowance: bigint | undefined
  /** Undefined without a period. */
  period: (PeriodSpending & ReturnType<typeof periodRoom>) | undefined
}

/** Call it in a snapshot: a payment that settles in between must be counted once. */
export async function readVaultFigures(tx: Tx, vault: VaultRow, now: Date): Promise<VaultFigures> {
  const { organizationId, id: vaultId, policyVersion: version, spentTotal, balance } = vault
  const policy = await findPolicy(tx, { organizationId, vaultId, version })
  const held = await findHeld(tx, { organizationId, vaultId })
  const period = await readPeriod(tx, { policy, now: now.toISOString() })
  return {
    policy,
    balance,
    reserved: held.held,
    available: policy && availableFunds({ vault, held, policy }),
    remainingAllowance: policy && remainingAllowance({ ...policy, spentTotal, held: held.held }),
    period: policy && period && { ...period, ...periodRoom({ policy, held, period }) },
  }
}
