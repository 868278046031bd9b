/**
 * Stores an upload. It begins with a row and a reservation of the quota, writes its bytes without
 * an open transaction, and is completed in a last transaction with its Idempotency-Key. A failed
 * upload leaves nothing behind; a job removes what a crashed process left. An upload with a used
 * Idempotency-Key stores nothing.
 */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, findIsRepeated, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { next } from '#platform/machine.ts'
import type { AttachmentKey } from '#ports/attachment-store.ts'
import { attachmentMachine } from './attachment.machine.ts'
import {
  type AttachmentRecord,
  KEPT_SECONDS,
  type MediaType,
  SIZE_MAX_BYTES,
  TOO_LARGE,
  toBytes,
} from './attachment.ts'
import { addUsage, insertUpload, updateAttachmentState } from './attachments.store.ts'
import { type ReceivedBytes, type Receiving, receiveBytes } from './receive-bytes.ts'
import { discardUpload, enqueueExpiry } from './remove-attachment.ts'

export type UploadAttachment = {
  actor: Member
  name: string
  mediaType: MediaType
  /** As the caller states it; undefined if the length is not known in advance. */
  statedBytes: number | undefined
  source: AsyncIterable<Uint8Array>
  /** Its body is replaced by what identifies the upload: hash, media type and name. */
  request: IdempotentRequest
}

type UploadContext = Pick<Context, 'db' | 'clock' | 'ids' | 'log' | 'config' | 'attachmentStore'>

/** Longer than any request may take to arrive. */
const UPLOAD_MAX_SECONDS = 60 * 60

export async function uploadAttachment(
  ctx: UploadContext,
  upload: UploadAttachment,
): Promise<Answer<AttachmentRecord>> {
  const { organizationId } = upload.actor
  const key = { organizationId, attachmentId: ctx.ids.next() }
  const opened = await openUpload(ctx, key, upload)
  const receiving = receiveBytes(upload.source, upload.mediaType)
  if (opened.isRepeated) return replayUpload(ctx, { upload, receiving })
  const { reservedBytes } = opened
  try {
    await ctx.attachmentStore.write(key, receiving.parts)
    const received = receiving.received()
    const answer = await completeUpload(ctx, key, { upload, received, reservedBytes })
    if (answer.replayed) await discard(ctx, key)
    return answer
  } catch (error) {
    await discard(ctx, key)
    throw error
  }
}

type OpenedUpload = { isRepeated: true } | { isRepeated: false; reservedBytes: number }

/** A repeated Idempotency-Key reserves nothing, because nothing of its upload is stored. */
function openUpload(
  ctx: UploadContext,
  key: AttachmentKey,
  { actor, name, mediaType, statedBytes, request }: UploadAttachment,
): Promise<OpenedUpload> {
  const sizeBytes = statedBytes ?? SIZE_MAX_BYTES
  if (sizeBytes > SIZE_MAX_BYTES) throw new AppError('payload_too_large', { message: TOO_LARGE })
  if (sizeBytes === 0) {
    throw new AppError('validation_failed', { message: 'The attachment is empty. Send a file.' })
  }
  return asMember(ctx, actor, async (tx) => {
    if (await findIsRepeated(tx, request)) return { isRepeated: true }
    await reserve(ctx, tx, { organizationId: key.organizationId, bytes: sizeBytes })
    const at = ctx.clock.now()
    const uploaderAccountId = actor.accountId
    insertUpload(tx, { ...key, uploaderAccountId, name, mediaType, sizeBytes, at })
    enqueueExpiry(tx, key, addSeconds(at, UPLOAD_MAX_SECONDS))
    return { isRepeated: false, reservedBytes: sizeBytes }
  })
}

async function reserve(
  { config }: Pick<Context, 'config'>,
  tx: Tx,
  usage: { organizationId: string; bytes: number },
): Promise<void> {
  const quota = config.limits.quotas.attachmentMibPerOrganization
  if ((await addUsage(tx, usage)) <= toBytes(quota)) return
  throw new AppError('state_conflict', {
    message: `The upload exceeds the organization's quota of ${quota} MiB. Ask support for more.`,
  })
}

/** Whether it repeats the same upload is known only once all its bytes have arrived. */
async function replayUpload(
  ctx: UploadContext,
  { upload, receiving }: { upload: UploadAttachment; receiving: Receiving },
): Promise<Answer<AttachmentRecord>> {
  for await (const _part of receiving.parts);
  const request = identified(upload, receiving.received())
  return asMember(ctx, upload.actor, (tx) =>
    once<AttachmentRecord>(tx, request, {
      at: ctx.clock.now(),
      work: () => {
        // The key was forgotten meanwhile; the next request with it is the first again.
        throw new AppError('idempotency_in_progress', { retryAfterSeconds: 1 })
      },
    }),
  )
}

const identified = (
  { request, mediaType, name }: UploadAttachment,
  { sha256 }: ReceivedBytes,
): IdempotentRequest => ({ ...request, body: { sha256, mediaType, name } })

type Completion = { upload: UploadAttachment; received: ReceivedBytes; reservedBytes: number }

function completeUpload(
  ctx: UploadContext,
  key: AttachmentKey,
  { upload, received, reservedBytes }: Completion,
): Promise<Answer<AttachmentRecord>> {
  const { actor, name, mediaType } = upload
  const { sizeBytes, sha256 } = received
  const request = identified(upload, received)
  const to = next(attachmentMachine, { from: 'uploading', event: 'store' })
  return asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      work: async () => {
        const move = { ...key, from: 'uploading', to, sizeBytes, sha256 } as const
        const stored = await updateAttachmentState(tx, move)
        if (!stored) throw new AppError('state_conflict')
        const { organizationId } = key
        await addUsage(tx, { organizationId, bytes: sizeBytes - reservedBytes })
        enqueueExpiry(tx, key, addSeconds(ctx.clock.now(), KEPT_SECONDS))
        await recordChange(ctx, tx, {
          organizationId,
          actor: asActor(actor),
          action: 'attachment.uploaded',
          aggregateType: 'attachment',
          aggregateId: key.attachmentId,
          data: { name, mediaType, sizeBytes, sha256 },
        })
        return stored
      },
    }),
  )
}

/** If it fails, the job `expire_attachment` removes the upload later. */
async function discard(ctx: UploadContext, key: AttachmentKey): Promise<void> {
  try {
    await discardUpload(ctx, key)
  } catch (err) {
    ctx.log.warn({ ...key, err }, 'cannot discard an upload; the job expire_attachment will')
  }
}
