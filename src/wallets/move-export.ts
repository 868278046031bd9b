/** The only writer of an export request's state, and the record of each change. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import type { Severity } from '#platform/severity.ts'
import type { WalletTerms } from '#ports/wallet-provider.ts'
import { type ExportRequest, updateExportState } from './exports.store.ts'
import { type ExportEvent, walletExportMachine } from './wallet-export.machine.ts'

/** What API processes need: the provider's public terms, none of its keys. */
export type ExportContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'identity' | 'outcomes' | 'secrets'
> & { walletProvider: WalletTerms | undefined }

/** Records no secrets: no keys, signatures or ciphertext. */
export const recordExport = (
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  change: {
    organizationId: string | null
    walletId: string
    requestId: string
    actor: Actor
    action: AuditAction
    state: string
    severity?: Severity
    data?: Record<string, unknown>
  },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: change.organizationId,
    actor: change.actor,
    action: change.action,
    aggregateType: 'wallet_export',
    aggregateId: change.requestId,
    data: { walletId: change.walletId, ...change.data },
    // Push uses the code to notify the holder's devices and the owners of the wallet's
    // organization.
    live: integrationChange({
      targetState: change.state,
      severity: change.severity ?? 'healthy',
      code: change.action.replace('.', '_'),
    }),
  })

const actions = {
  claim: 'wallet_export.claimed',
  complete: 'wallet_export.completed',
  cancel: 'wallet_export.cancelled',
  expire: 'wallet_export.expired',
} as const

export async function moveExport(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    request,
    organizationId,
    event,
    actor,
  }: {
    request: ExportRequest
    organizationId: string | null
    event: ExportEvent
    actor: Actor
  },
): Promise<void> {
  const to = next(walletExportMachine, { from: request.state, event })
  updateExportState(tx, { request, to, at: ctx.clock.now() })
  const { id: requestId, walletId } = request
  await recordExport(ctx, tx, {
    organizationId,
    walletId,
    requestId,
    actor,
    action: actions[event],
    state: to,
    // A key that left the service always needs attention, whoever exported it.
    severity: event === 'complete' ? 'action_required' : 'healthy',
  })
}
