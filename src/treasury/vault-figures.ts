/** The figures of a vault, as the overview and the vault's own page show them. */
import type { Tx } from '#platform/database/database.ts'
import { findPolicy, type PolicyRow } from './policies.store.ts'
import { remainingAllowance } from './policy.ts'
import { availableFunds } from './spending.ts'
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
}

/** Call it in a snapshot: a payment that settles in between must be counted once. */
export async function readVaultFigures(tx: Tx, vault: VaultRow): Promise<VaultFigures> {
  const { organizationId, id: vaultId, policyVersion: version, spentTotal, balance } = vault
  const policy = await findPolicy(tx, { organizationId, vaultId, version })
  const held = await findHeld(tx, { organizationId, vaultId })
  return {
    policy,
    balance,
    reserved: held.held,
    available: policy && availableFunds({ vault, held, policy }),
    remainingAllowance: policy && remainingAllowance({ ...policy, spentTotal, held: held.held }),
  }
}
