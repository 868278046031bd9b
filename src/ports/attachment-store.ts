/**
 * Stores attachments' bytes; everything else about an attachment is in the database. Bytes are
 * written during an upload, never changed, and removed when nothing refers to them any more.
 */

export type AttachmentKey = { organizationId: string; attachmentId: string }

export type AttachmentStore = {
  /**
   * Stores the parts in their order. Takes the next part only when it has stored the last one, so
   * that an upload is never in memory as a whole. After a failed call, call `remove`.
   */
  write(key: AttachmentKey, parts: AsyncIterable<Uint8Array>): Promise<void>
  /** All bytes, part by part. Fails if there are none. */
  read(key: AttachmentKey): AsyncIterable<Uint8Array>
  /** Succeeds if there is nothing to remove. */
  remove(key: AttachmentKey): Promise<void>
}
