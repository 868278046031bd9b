/** SQL for attachments and for the organization's quota that they use. */
import sql from 'sql-template-tag'
import { isVisibleExpense } from '#organizations/visible-expenses.store.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { AttachmentKey } from '#ports/attachment-store.ts'
import type { AttachmentState } from './attachment.machine.ts'
import type { AttachmentRecord, MediaType } from './attachment.ts'

const columns = sql`
  a.id, a.name, a.media_type as "mediaType", a.size_bytes as "sizeBytes", a.sha256,
  a.created_at as "createdAt"`

export type NewAttachment = AttachmentKey & {
  uploaderAccountId: string
  name: string
  mediaType: MediaType
  /** The most bytes that may arrive. */
  sizeBytes: number
  at: Date
}

export function insertUpload(tx: Tx, row: NewAttachment): void {
  tx.write(sql`
    insert into attachments (id, organization_id, uploader_account_id, state, name, media_type,
      size_bytes, created_at)
    values (${row.attachmentId}, ${row.organizationId}, ${row.uploaderAccountId}, 'uploading',
      ${row.name}, ${row.mediaType}, ${row.sizeBytes}, ${row.at})`)
}

/** Returns the organization's total, and locks it until the commit. */
export async function addUsage(
  tx: Tx,
  { organizationId, bytes }: { organizationId: string; bytes: number },
): Promise<number> {
  const [row] = await tx.query<{ bytes: number }>(sql`
    insert into attachment_usage as u (organization_id, bytes)
    values (${organizationId}, greatest(0, ${bytes}::bigint))
    on conflict (organization_id) do update set bytes = u.bytes + ${bytes}::bigint
    returning bytes`)
  return row?.bytes ?? 0
}

export type LockedAttachment = {
  state: AttachmentState
  sizeBytes: number
  sha256: string | null
  createdAt: string
}

export async function lockAttachment(
  tx: Tx,
  { organizationId, attachmentId }: AttachmentKey,
): Promise<LockedAttachment | undefined> {
  const [row] = await tx.query<LockedAttachment>(sql`
    select state, size_bytes as "sizeBytes", sha256, created_at as "createdAt" from attachments
    where organization_id = ${organizationId} and id = ${attachmentId} for update`)
  return row
}

/** Undefined when the upload is no longer in the state `from`. */
export async function updateAttachmentState(
  tx: Tx,
  move: AttachmentKey & {
    from: AttachmentState
    to: AttachmentState
    sizeBytes: number
    sha256: string
  },
): Promise<AttachmentRecord | undefined> {
  const [row] = await tx.query<AttachmentRecord>(sql`
    update attachments as a set state = ${move.to}, size_bytes = ${move.sizeBytes},
      sha256 = ${move.sha256}
    where a.organization_id = ${move.organizationId} and a.id = ${move.attachmentId}
      and a.state = ${move.from}
    returning ${columns}`)
  return row
}

export function deleteAttachment(tx: Tx, { organizationId, attachmentId }: AttachmentKey): void {
  tx.write(sql`
    delete from attachments where organization_id = ${organizationId} and id = ${attachmentId}`)
}

/** Whether a revision of any expense has the attachment. */
export async function findIsAttached(
  tx: Tx,
  { organizationId, attachmentId }: AttachmentKey,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from revision_attachments
    where organization_id = ${organizationId} and attachment_id = ${attachmentId} limit 1`)
  return rows.length > 0
}

/** `seesAll`: may see every expense of the organization. */
export type AttachmentViewer = { organizationId: string; accountId: string; seesAll: boolean }

/** The uploader sees an attachment, and so does everybody who may see an expense that uses it. */
const visibleTo = ({ accountId, seesAll }: AttachmentViewer) => sql`
  (a.uploader_account_id = ${accountId} or exists (
    select from revision_attachments x
    join expenses e on e.organization_id = x.organization_id and e.id = x.expense_id
    where x.organization_id = a.organization_id and x.attachment_id = a.id
      and ${isVisibleExpense(seesAll ? null : accountId)}))`

export async function findAttachment(
  reader: Reader,
  { attachmentId, ...viewer }: AttachmentViewer & { attachmentId: string },
): Promise<AttachmentRecord | undefined> {
  const [row] = await reader.query<AttachmentRecord>(sql`
    select ${columns} from attachments a
    where a.organization_id = ${viewer.organizationId} and a.id = ${attachmentId}
      and a.state = 'stored' and ${visibleTo(viewer)}`)
  return row
}

/**
 * The attachments that the viewer may see, locked so that none is removed or attached elsewhere
 * meanwhile.
 */
export async function lockAttachments(
  tx: Tx,
  { attachmentIds, ...viewer }: AttachmentViewer & { attachmentIds: readonly string[] },
): Promise<AttachmentRecord[]> {
  return tx.query<AttachmentRecord>(sql`
    select ${columns} from attachments a
    where a.organization_id = ${viewer.organizationId} and a.id = any(${attachmentIds}::uuid[])
      and a.state = 'stored' and ${visibleTo(viewer)}
    order by a.id for no key update of a`)
}

/**
 * The number of expenses other than `expenseId` that use the most used of the attachments. It needs
 * its own statement after the lock: one that waits for a lock does not see what was just committed.
 */
export async function findOtherUses(
  tx: Tx,
  {
    organizationId,
    attachmentIds,
    expenseId,
  }: { organizationId: string; attachmentIds: readonly string[]; expenseId: string | null },
): Promise<number> {
  const [row] = await tx.query<{ uses: number }>(sql`
    select coalesce(max(used.expenses), 0) as uses from (
      select count(distinct expense_id) as expenses from revision_attachments
      where organization_id = ${organizationId} and attachment_id = any(${attachmentIds}::uuid[])
        and expense_id is distinct from ${expenseId}::uuid
      group by attachment_id) used`)
  return row?.uses ?? 0
}
