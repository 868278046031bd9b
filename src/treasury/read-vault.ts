/** Reads one vault with its figures, its policy, and the policy's differences. */
import type { Member } from '#access/permissions.ts'
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { toVaultPolicyRecord, type VaultPolicyRecord } from './intent-records.ts'
import { readListedAddresses } from './listed-addresses.ts'
import { differencesFrom, type PolicyDifferences } from './policy.ts'
import { toVaultRecord, type VaultRecord } from './vault.ts'
import { readVaultFigures } from './vault-figures.ts'
import { findVault } from './vaults.store.ts'

export type VaultDetail = VaultRecord & {
  balanceBaseUnits: string
  reservedBaseUnits: string
  availableBaseUnits: string | null
  remainingAllowanceBaseUnits: string | null
  policy: VaultPolicyRecord | null
  differences: PolicyDifferences | null
  asOfBlock: number | null
  asOfTime: string | null
}

type VaultOf = { member: Member; vaultId: string }

export async function readVault(
  ctx: Pick<Context, 'db'>,
  { member, vaultId }: VaultOf,
): Promise<VaultDetail> {
  const { organizationId } = member
  return ctx.db.transaction(scopeOf(member), (tx) => detailAt(tx, { organizationId, vaultId }), {
    isolation: 'snapshot',
  })
}

async function detailAt(
  tx: Tx,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
): Promise<VaultDetail> {
  const position = await findPosition(tx)
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('not_found')
  const { chainId } = vault
  const { policy, balance, reserved, ...figures } = await readVaultFigures(tx, vault)
  const listed = await readListedAddresses(tx, { organizationId, chainId })
  return {
    ...toVaultRecord(vault),
    balanceBaseUnits: balance.toString(),
    reservedBaseUnits: reserved.toString(),
    availableBaseUnits: figures.available?.toString() ?? null,
    remainingAllowanceBaseUnits: figures.remainingAllowance?.toString() ?? null,
    policy: policy ? toVaultPolicyRecord(policy, vault) : null,
    differences: policy ? differencesFrom(policy, listed) : null,
    asOfBlock: position?.number ?? null,
    asOfTime: position?.seenAt ?? null,
  }
}
