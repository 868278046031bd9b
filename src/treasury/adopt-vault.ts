/** Stores a vault that was read back from the chain and verified. */
import { watchAddress } from '#chain/watch.ts'
import type { Context } from '#context.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { vaultMachine } from './vault.machine.ts'
import {
  findOwnVaultByAddress,
  insertVault,
  type NewVault,
  updateVaultState,
  type VaultRow,
} from './vaults.store.ts'

type AdoptContext = Pick<Context, 'clock' | 'ids'>

export const recordVault = (
  ctx: AdoptContext,
  tx: Tx,
  {
    vault,
    action,
    actor,
  }: {
    vault: VaultRow
    action: 'vault.registered' | 'vault.verified' | 'vault.disabled'
    actor: Actor
  },
) =>
  recordChange(ctx, tx, {
    organizationId: vault.organizationId,
    actor,
    action,
    aggregateType: 'vault',
    aggregateId: vault.id,
    data: {
      address: vault.address,
      transactionHash: vault.deploymentTransactionHash,
      isDefault: vault.isDefault,
    },
    live: integrationChange({
      targetState: vault.state,
      severity: vault.state === 'disabled' ? 'action_required' : 'healthy',
      code: action.replace('.', '_'),
    }),
  })

/** The caller must hold the lock on the organization's vaults. */
export async function adoptVault(
  ctx: AdoptContext,
  tx: Tx,
  { fromBlock, ...vault }: Omit<NewVault, 'id' | 'state' | 'at'> & { fromBlock: number },
): Promise<VaultRow> {
  await disablePending(ctx, tx, vault)
  const adopted = await insertVault(tx, {
    ...vault,
    id: ctx.ids.next(),
    state: 'verified',
    at: ctx.clock.now(),
  })
  watchAddress(tx, { address: vault.address, fromBlock })
  return adopted
}

/**
 * Disables an unverified claim to the same address, which would otherwise block the verified vault.
 */
async function disablePending(
  ctx: AdoptContext,
  tx: Tx,
  at: Pick<NewVault, 'organizationId' | 'chainId' | 'address'>,
): Promise<void> {
  const earlier = await findOwnVaultByAddress(tx, at)
  if (earlier?.state !== 'pending') return
  const { organizationId, id: vaultId, state: from, ownerAddress, changeDelaySeconds } = earlier
  const to = next(vaultMachine, { from, event: 'disable' })
  const failureCode = 'superseded'
  const kept = { ownerAddress, changeDelaySeconds }
  updateVaultState(tx, { organizationId, vaultId, from, to, ...kept, failureCode })
  const vault = { ...earlier, state: to }
  await recordVault(ctx, tx, { vault, action: 'vault.disabled', actor: SYSTEM })
}
