/**
 * Keeps attachments' bytes in PostgreSQL, one row per part. Each part is one short
 * transaction or one read, so a slow client holds neither a transaction nor a connection.
 */
import type { Db } from '#platform/database/database.ts'
import type { AttachmentStore } from '#ports/attachment-store.ts'
import { deleteChunks, findChunk, insertChunk } from './attachment-chunks.store.ts'

export function createPostgresAttachments({ db }: { db: Db }): AttachmentStore {
  return {
    async write(key, parts) {
      const { organizationId } = key
      let position = 0
      for await (const bytes of parts) {
        const chunk = { ...key, position, bytes }
        await db.transaction({ organizationId }, (tx) => insertChunk(tx, chunk))
        position += 1
      }
    },

    async *read(key) {
      const { organizationId } = key
      for (let position = 0; ; position += 1) {
        const bytes = await db.read({ organizationId }, (reader) =>
          findChunk(reader, { ...key, position }),
        )
        if (bytes) yield bytes
        else if (position > 0) return
        else throw new Error(`Attachment ${key.attachmentId} has no bytes`)
      }
    },

    async remove(key) {
      const { organizationId } = key
      await db.transaction({ organizationId }, (tx) => deleteChunks(tx, key))
    },
  }
}
