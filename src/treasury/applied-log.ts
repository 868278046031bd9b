/** A log that the treasury applies to one of its vaults. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import type { VaultEvent, VaultLog } from '#ports/chain.ts'
import type { VaultRow } from './vaults.store.ts'

export type ApplyContext = Pick<Context, 'clock' | 'ids'>

export type Applied = { vault: VaultRow; log: VaultLog; timeSeconds: number }

/** With the event of one or several kinds that the log carries. */
export type AppliedEvent<Name extends VaultEvent['name']> = Applied & {
  event: Extract<VaultEvent, { name: Name }>
}

export const vaultKeyOf = ({ vault }: Applied) => ({
  organizationId: vault.organizationId,
  vaultId: vault.id,
})

/** Where in the chain the log is. */
export const placeOf = ({ log, timeSeconds }: Applied) => ({
  blockNumber: log.blockNumber,
  logIndex: log.logIndex,
  transactionHash: log.transactionHash,
  timeSeconds,
})

/** Records what a log did to the vault itself. */
export const recordLog = (
  ctx: ApplyContext,
  tx: Tx,
  {
    vault,
    log,
    action,
    data,
    targetState,
    code,
    isExpected,
  }: Applied & {
    action: AuditAction
    data: Record<string, unknown>
    targetState: string
    code: string
    /** False if somebody should look at it. */
    isExpected: boolean
  },
) =>
  recordChange(ctx, tx, {
    organizationId: vault.organizationId,
    actor: SYSTEM,
    action,
    aggregateType: 'vault',
    aggregateId: vault.id,
    data: { ...data, transactionHash: log.transactionHash },
    live: integrationChange({
      targetState,
      severity: isExpected ? 'healthy' : 'action_required',
      code,
    }),
  })
