/** SQL for the chunks of attachments. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { AttachmentKey } from '#ports/attachment-store.ts'

export async function insertChunk(
  tx: Tx,
  row: AttachmentKey & { position: number; bytes: Uint8Array },
): Promise<void> {
  await tx.query(sql`
    insert into attachment_chunks (organization_id, attachment_id, position, bytes)
    values (${row.organizationId}, ${row.attachmentId}, ${row.position}, ${row.bytes})`)
}

export async function findChunk(
  reader: Reader,
  { organizationId, attachmentId, position }: AttachmentKey & { position: number },
): Promise<Buffer | undefined> {
  const [row] = await reader.query<{ bytes: Buffer }>(sql`
    select bytes from attachment_chunks
    where organization_id = ${organizationId} and attachment_id = ${attachmentId}
      and position = ${position}`)
  return row?.bytes
}

export async function deleteChunks(
  tx: Tx,
  { organizationId, attachmentId }: AttachmentKey,
): Promise<void> {
  await tx.query(sql`
    delete from attachment_chunks
    where organization_id = ${organizationId} and attachment_id = ${attachmentId}`)
}
