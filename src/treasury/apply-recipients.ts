/** Applies logs about the recipients of a vault: added, removed, blocked, unblocked. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Tx } from '#platform/database/database.ts'
import {
  type AppliedEvent,
  type ApplyContext,
  placeOf,
  recordLog,
  vaultKeyOf,
} from './applied-log.ts'
import { findPreparedRecipients } from './intents.store.ts'
import { insertRecipientBlock, insertRecipientsChange } from './vault-recipients.store.ts'

/** Stores a change that the service did not prepare as well, and reports it as drift. */
export async function applyRecipients(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'RecipientsChanged'>,
): Promise<void> {
  const key = vaultKeyOf(applied)
  const { recipientsVersion, allowedFromSeconds, added, removed } = applied.event
  const change = { recipientsVersion, added, removed }
  insertRecipientsChange(tx, { ...key, ...placeOf(applied), ...change, allowedFromSeconds })
  const isOurs = (await findPreparedRecipients(tx, { ...key, ...change })) !== undefined
  await recordLog(ctx, tx, {
    ...applied,
    action: 'vault.recipients_changed',
    data: {
      recipientsVersion,
      added: added.map(checksummed),
      removed: removed.map(checksummed),
      prepared: isOurs,
    },
    targetState: 'configured',
    code: isOurs ? 'recipients_changed' : 'recipients_drift',
    isExpected: isOurs,
  })
}

/** Approvers and the owner block recipients in their own wallets, so each block is reported. */
export async function applyRecipientBlock(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'RecipientBlocked' | 'RecipientUnblocked'>,
): Promise<void> {
  const { event } = applied
  const isBlock = event.name === 'RecipientBlocked'
  const kind = isBlock ? 'blocked' : 'unblocked'
  const by = isBlock ? event.by : null
  const address = event.recipientAddress
  insertRecipientBlock(tx, { ...vaultKeyOf(applied), ...placeOf(applied), kind, address, by })
  await recordLog(ctx, tx, {
    ...applied,
    action: isBlock ? 'vault.recipient_blocked' : 'vault.recipient_unblocked',
    data: { recipientAddress: checksummed(address), by: by && checksummed(by) },
    targetState: kind,
    code: isBlock ? 'recipient_blocked' : 'recipient_unblocked',
    isExpected: !isBlock,
  })
}
