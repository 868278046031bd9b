/** SQL for e-mails: what was sent, to which address, and what a message says about an event. */
import sql from 'sql-template-tag'
import type { JournalPosition } from '#journal/positions.store.ts'
import type { Db, Reader, Tx } from '#platform/database/database.ts'

export async function findEmailPosition(
  db: Pick<Db, 'query'>,
): Promise<JournalPosition | undefined> {
  const [row] = await db.query<JournalPosition>(sql`
    select transaction_id as "transactionId", seq from email_position`)
  return row
}

/** False when another worker inserted it first. */
export async function insertEmailPosition(tx: Tx, to: JournalPosition, at: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into email_position (transaction_id, seq, moved_at)
    values (${to.transactionId}, ${to.seq}, ${at}) on conflict do nothing returning seq`)
  return rows.length > 0
}

/** False when another worker has moved it, which then has done the work. */
export async function advanceEmailPosition(
  tx: Tx,
  { from, to, at }: { from: JournalPosition; to: JournalPosition; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update email_position
    set transaction_id = ${to.transactionId}, seq = ${to.seq}, moved_at = ${at}
    where transaction_id = ${from.transactionId} and seq = ${from.seq} returning seq`)
  return rows.length > 0
}

export type DeliveryKind = 'notification' | 'invitation'
export type DeliveryOutcome = 'accepted' | 'rejected' | 'given_up'

/** False when the message has an outcome: it was sent, refused or given up. */
export async function beginDelivery(
  tx: Tx,
  { id, kind, at }: { id: string; kind: DeliveryKind; at: Date },
): Promise<boolean> {
  tx.write(sql`
    insert into email_deliveries (id, kind, created_at) values (${id}, ${kind}, ${at})
    on conflict do nothing`)
  const rows = await tx.query(sql`
    select id from email_deliveries where id = ${id} and outcome is null`)
  return rows.length > 0
}

export function endDelivery(
  tx: Tx,
  { id, outcome, at }: { id: string; outcome: DeliveryOutcome; at: Date },
): void {
  tx.write(sql`
    update email_deliveries set outcome = ${outcome}, ended_at = ${at}
    where id = ${id} and outcome is null`)
}

/** Returns how many were deleted. */
export async function deleteOldDeliveries(
  tx: Tx,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const rows = await tx.query(sql`
    delete from email_deliveries where id in (
      select id from email_deliveries where created_at < ${before} limit ${limit})
    returning id`)
  return rows.length
}

/** The verified address of an active account. */
export async function findAddress(
  tx: Tx,
  { accountId }: { accountId: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ email: string | null }>(sql`
    select p.email from profiles p join accounts a on a.id = p.account_id
    where p.account_id = ${accountId} and a.status = 'active'`)
  return row?.email ?? undefined
}

export type ExpenseFacts = {
  purpose: string
  recipientLabel: string
  submitterName: string | null
}

/** By the id of the expense or of its payment. */
export async function findExpenseFacts(
  tx: Reader,
  key: { organizationId: string } & ({ expenseId: string } | { paymentId: string }),
): Promise<ExpenseFacts | undefined> {
  const filter =
    'expenseId' in key
      ? sql`e.id = ${key.expenseId}::uuid`
      : sql`e.payment_id = ${key.paymentId}::uuid`
  const [row] = await tx.query<ExpenseFacts>(sql`
    select r.purpose, r.recipient_label as "recipientLabel", p.display_name as "submitterName"
    from expenses e
    join expense_revisions r on r.organization_id = e.organization_id
      and r.expense_id = e.id and r.revision = e.current_revision
    left join profiles p on p.account_id = e.submitter_account_id
    where e.organization_id = ${key.organizationId} and ${filter}`)
  return row
}

export async function findCaseSubject(
  tx: Reader,
  { organizationId, caseId }: { organizationId: string; caseId: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ subject: string }>(sql`
    select subject from support_cases
    where organization_id = ${organizationId} and id = ${caseId}::uuid`)
  return row?.subject
}

export type InvitationToSend = {
  id: string
  organizationId: string
  role: 'manager' | 'employee'
  expiresAt: string
  email: string
  organizationName: string
  inviterName: string | null
}

/** Undefined unless the invitation is open, names an address, and its inviter is still active. */
export async function findInvitationToSend(
  tx: Reader,
  { organizationId, invitationId, at }: { organizationId: string; invitationId: string; at: Date },
): Promise<InvitationToSend | undefined> {
  const [row] = await tx.query<InvitationToSend>(sql`
    select i.id, i.organization_id as "organizationId", i.role, i.expires_at as "expiresAt",
      i.email, o.name as "organizationName", p.display_name as "inviterName"
    from invitations i
    join organizations o on o.id = i.organization_id
    join memberships m on m.organization_id = i.organization_id
      and m.id = i.invited_by_membership_id and m.state = 'active'
    join accounts a on a.id = m.account_id and a.status = 'active'
    left join profiles p on p.account_id = m.account_id
    where i.organization_id = ${organizationId} and i.id = ${invitationId} and i.state = 'open'
      and i.expires_at > ${at} and i.email is not null`)
  return row
}
