/**
 * Removes failed uploads, and in a job also attachments that no expense uses. The row is deleted
 * first and the bytes after the commit, so that no row ever refers to missing bytes.
 */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import type { AttachmentKey } from '#ports/attachment-store.ts'
import { KEPT_SECONDS } from './attachment.ts'
import {
  addUsage,
  deleteAttachment,
  findIsAttached,
  type LockedAttachment,
  lockAttachment,
} from './attachments.store.ts'

type RemoveContext = Pick<Context, 'db' | 'clock' | 'ids' | 'attachmentStore'>

/** One job per attachment: a later call replaces the earlier one. */
export const enqueueExpiry = (
  tx: Tx,
  { organizationId, attachmentId }: AttachmentKey,
  runAt: Date,
): void =>
  enqueue(
    tx,
    'expire_attachment',
    { organizationId, attachmentId },
    { runAt, key: `attachment:${attachmentId}` },
  )

/** Removes an upload that was not completed. One that was completed stays. */
export async function discardUpload(
  { db, attachmentStore }: Pick<Context, 'db' | 'attachmentStore'>,
  key: AttachmentKey,
): Promise<void> {
  const { organizationId } = key
  const isRemoved = await db.transaction({ organizationId }, async (tx) => {
    const found = await lockAttachment(tx, key)
    if (found?.state === 'stored') return false
    if (found) await removeRow(tx, key, found)
    return true
  })
  if (isRemoved) await attachmentStore.remove(key)
}

async function removeRow(
  tx: Tx,
  key: AttachmentKey,
  { sizeBytes }: Pick<LockedAttachment, 'sizeBytes'>,
): Promise<void> {
  deleteAttachment(tx, key)
  await addUsage(tx, { organizationId: key.organizationId, bytes: -sizeBytes })
}

/** Job that runs when an upload must have ended, and again when it must have been attached. */
export async function expireAttachment(
  ctx: RemoveContext,
  key: JobPayloads['expire_attachment'],
): Promise<void> {
  const { organizationId } = key
  const isRemoved = await ctx.db.transaction({ organizationId }, async (tx) => {
    const found = await lockAttachment(tx, key)
    // Gone already: an earlier run may have failed to remove the bytes.
    if (!found) return true
    if (found.state === 'uploading') {
      await removeRow(tx, key, found)
      return true
    }
    return expireStored(ctx, tx, { key, found })
  })
  if (isRemoved) await ctx.attachmentStore.remove(key)
}

/** True if the attachment was removed. */
async function expireStored(
  ctx: RemoveContext,
  tx: Tx,
  { key, found }: { key: AttachmentKey; found: LockedAttachment },
): Promise<boolean> {
  if (await findIsAttached(tx, key)) return false
  const now = ctx.clock.now()
  const ageSeconds = (now.getTime() - timestampToMilliseconds(found.createdAt)) / 1000
  // The queue runs on the database's clock; the service's clock decides, and may be behind it.
  if (ageSeconds < KEPT_SECONDS) {
    enqueueExpiry(tx, key, addSeconds(now, KEPT_SECONDS - ageSeconds))
    return false
  }
  await removeRow(tx, key, found)
  await recordChange(ctx, tx, {
    organizationId: key.organizationId,
    actor: SYSTEM,
    action: 'attachment.removed',
    aggregateType: 'attachment',
    aggregateId: key.attachmentId,
    data: { sha256: found.sha256, reason: 'not_attached' },
  })
  return true
}
