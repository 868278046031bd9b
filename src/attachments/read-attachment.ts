/** Reads an attachment, for members who may see it. */
import { createHash } from 'node:crypto'
import { isManager, type Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import type { AttachmentRecord } from './attachment.ts'
import { type AttachmentViewer, findAttachment } from './attachments.store.ts'

export const viewerOf = (member: Member): AttachmentViewer => ({
  organizationId: member.organizationId,
  accountId: member.accountId,
  seesAll: isManager(member),
})

export type ReadAttachment = { attachment: AttachmentRecord; bytes: AsyncIterable<Uint8Array> }

export async function readAttachment(
  ctx: Pick<Context, 'db' | 'attachmentStore'>,
  { member, attachmentId }: { member: Member; attachmentId: string },
): Promise<ReadAttachment> {
  const attachment = await ctx.db.read(scopeOf(member), (reader) =>
    findAttachment(reader, { ...viewerOf(member), attachmentId }),
  )
  if (!attachment) throw new AppError('not_found')
  const { organizationId } = member
  const bytes = ctx.attachmentStore.read({ organizationId, attachmentId })
  return { attachment, bytes: await started(verified(bytes, attachment)) }
}

/** Waits for the first part, so that a failure there still gets an error response. */
async function started(parts: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = parts[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* all() {
    try {
      for (let part = first; !part.done; part = await iterator.next()) yield part.value
    } finally {
      await iterator.return?.()
    }
  }
  return all()
}

/** Holds back the last part until the hash is verified: a changed file never arrives complete. */
async function* verified(
  parts: AsyncIterable<Uint8Array>,
  { id, sha256 }: AttachmentRecord,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  let last: Uint8Array | undefined
  for await (const part of parts) {
    if (last) yield last
    hash.update(part)
    last = part
  }
  if (hash.digest('hex') !== sha256) throw new Error(`The bytes of attachment ${id} have changed`)
  if (last) yield last
}
