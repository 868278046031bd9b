/** Sets the default vault and archives vaults. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { findUnsettledIntents } from './intents.store.ts'
import { requireUsable } from './vault.ts'
import {
  findHeld,
  lockVault,
  lockVaultsOf,
  updateDefaultVault,
  updateVaultArchived,
  type VaultRow,
} from './vaults.store.ts'

type ArrangeContext = Pick<Context, 'db' | 'clock' | 'ids'>
type Arrange = { actor: Member; vaultId: string }

const record = (
  ctx: ArrangeContext,
  tx: Tx,
  { actor, vault, action }: { actor: Member; vault: VaultRow; action: AuditAction },
) =>
  recordChange(ctx, tx, {
    organizationId: vault.organizationId,
    actor: asActor(actor),
    action,
    aggregateType: 'vault',
    aggregateId: vault.id,
    data: { label: vault.label },
    live: integrationChange({
      targetState: vault.state,
      severity: 'healthy',
      code: action.replace('.', '_'),
    }),
  })

async function lockOwnVault(tx: Tx, { actor, vaultId }: Arrange): Promise<VaultRow> {
  const { organizationId } = actor
  lockVaultsOf(tx, organizationId)
  const vault = await lockVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('not_found')
  return vault
}

export async function setDefaultVault(ctx: ArrangeContext, input: Arrange): Promise<VaultRow> {
  const { actor, vaultId } = input
  return asMember(ctx, actor, async (tx) => {
    const vault = await lockOwnVault(tx, input)
    requireUsable(vault)
    if (vault.isDefault) {
      throw new AppError('state_conflict', { message: 'This vault is already the default.' })
    }
    updateDefaultVault(tx, { organizationId: actor.organizationId, vaultId })
    await record(ctx, tx, { actor, vault, action: 'vault.made_default' })
    return { ...vault, isDefault: true }
  })
}

export async function archiveVault(ctx: ArrangeContext, input: Arrange): Promise<VaultRow> {
  const { actor, vaultId } = input
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const vault = await lockOwnVault(tx, input)
    if (vault.archivedAt !== null) throw new AppError('vault_archived')
    if (vault.isDefault) {
      throw new AppError('state_conflict', {
        message: 'The default vault cannot be archived. Make another vault the default first.',
      })
    }
    if ((await findUnsettledIntents(tx, { organizationId, vaultId })) > 0) {
      throw new AppError('state_conflict', {
        message: 'A policy change of this vault is unsettled. Wait for it to settle.',
      })
    }
    if ((await findHeld(tx, { organizationId, vaultId })).heldCount > 0) {
      throw new AppError('state_conflict', {
        message: 'This vault has pending payments. Wait for them to settle.',
      })
    }
    const at = ctx.clock.now()
    updateVaultArchived(tx, { organizationId, vaultId, at })
    await record(ctx, tx, { actor, vault, action: 'vault.archived' })
    return { ...vault, archivedAt: at.toISOString() }
  })
}
