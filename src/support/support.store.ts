/** SQL for support cases, their messages and their notes. */
import sql, { type Sql } from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import type { SupportCaseState } from './support-case.machine.ts'

export type CaseRow = {
  id: string
  organizationId: string
  openedByAccountId: string
  /** Of the member who opened it. */
  displayName: string | null
  expenseId: string | null
  paymentId: string | null
  subject: string
  priority: number
  state: SupportCaseState
  createdAt: string
  updatedAt: string
}

export type NoteRow = {
  id: string
  organizationId: string
  supportCaseId: string
  authorAccountId: string
  body: string
  stateAfter: SupportCaseState | null
  visibleToCustomer: boolean
  createdAt: string
}

export type MessageRow = {
  id: string
  authorAccountId: string
  displayName: string | null
  body: string
  createdAt: string
}

type CaseKey = { organizationId: string; caseId: string }

/** Of a case `c` and its opener's profile `p`. */
const caseColumns = sql`
  c.id, c.organization_id as "organizationId", c.opened_by_account_id as "openedByAccountId",
  p.display_name as "displayName", c.expense_id as "expenseId", c.payment_id as "paymentId",
  c.subject, c.priority, c.state, c.created_at as "createdAt", c.updated_at as "updatedAt"`

const noteColumns = sql`
  id, organization_id as "organizationId", support_case_id as "supportCaseId",
  author_account_id as "authorAccountId", body, state_after as "stateAfter",
  is_visible_to_customer as "visibleToCustomer", created_at as "createdAt"`

const opener = sql`left join profiles p on p.account_id = c.opened_by_account_id`

/** Serialises opening cases in an organization, so that the count holds until commit. */
export function lockCasesOf(tx: Tx, organizationId: string): void {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 6))`)
}

/** Unresolved cases of the organization, and those that the account opened. */
export async function countOpenCases(
  tx: Tx,
  { organizationId, accountId }: { organizationId: string; accountId: string },
): Promise<{ all: number; own: number }> {
  const [row] = await tx.query<{ all: number; own: number }>(sql`
    select count(*) as all, count(*) filter (where opened_by_account_id = ${accountId}) as own
    from support_cases where organization_id = ${organizationId} and state <> 'resolved'`)
  if (!row) throw new Error('The query returned no count of open cases')
  return row
}

export async function insertCase(
  tx: Tx,
  row: Omit<CaseRow, 'displayName' | 'state' | 'createdAt' | 'updatedAt'> & { at: Date },
): Promise<CaseRow> {
  const [inserted] = await tx.query<CaseRow>(sql`
    with c as (
      insert into support_cases (id, organization_id, opened_by_account_id, expense_id, payment_id,
        subject, priority, state, created_at, updated_at)
      values (${row.id}, ${row.organizationId}, ${row.openedByAccountId}, ${row.expenseId},
        ${row.paymentId}, ${row.subject}, ${row.priority}, 'open', ${row.at}, ${row.at})
      returning *)
    select ${caseColumns} from c ${opener}`)
  if (!inserted) throw new Error('The support case was not inserted')
  return inserted
}

/** Across tenants, with the observer's login. */
export async function findCaseOrganization(
  tx: Reader,
  caseId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ organizationId: string }>(sql`
    select organization_id as "organizationId" from support_cases where id = ${caseId}`)
  return row?.organizationId
}

/** `onlyOf`: only a case that this account opened; null for any case. */
export async function findCase(
  tx: Reader,
  { organizationId, caseId, onlyOf }: CaseKey & { onlyOf: string | null },
): Promise<CaseRow | undefined> {
  const [row] = await tx.query<CaseRow>(sql`
    select ${caseColumns} from support_cases c ${opener}
    where c.organization_id = ${organizationId} and c.id = ${caseId} and ${openedBy(onlyOf)}`)
  return row
}

export async function lockCase(
  tx: Tx,
  { organizationId, caseId, onlyOf }: CaseKey & { onlyOf: string | null },
): Promise<CaseRow | undefined> {
  const [row] = await tx.query<CaseRow>(sql`
    select ${caseColumns} from support_cases c ${opener}
    where c.organization_id = ${organizationId} and c.id = ${caseId} and ${openedBy(onlyOf)}
    for no key update of c`)
  return row
}

const openedBy = (accountId: string | null): Sql =>
  accountId === null ? sql`true` : sql`c.opened_by_account_id = ${accountId}`

/** Newest first, and one more than the limit. */
export const listMemberCases = (
  tx: Reader,
  {
    organizationId,
    onlyOf,
    state,
    page,
  }: {
    organizationId: string
    onlyOf: string | null
    state: SupportCaseState | undefined
    page: Page
  },
): Promise<CaseRow[]> =>
  tx.query<CaseRow>(sql`
    select ${caseColumns} from support_cases c ${opener}
    where c.organization_id = ${organizationId} and c.id < ${page.beforeId}
      and ${openedBy(onlyOf)} and ${state === undefined ? sql`true` : sql`c.state = ${state}`}
    order by c.id desc limit ${page.limit + 1}`)

/** Only `moveCase` calls this; a note or message without a new state moves to the same state. */
export function updateCaseState(
  tx: Tx,
  move: { supportCase: CaseRow; to: SupportCaseState; at: Date },
): void {
  const { organizationId, id, state } = move.supportCase
  tx.write(sql`
    update support_cases set state = ${move.to}, updated_at = ${move.at}
    where organization_id = ${organizationId} and id = ${id} and state = ${state}`)
}

export async function insertNote(
  tx: Tx,
  row: Omit<NoteRow, 'createdAt'> & { at: Date },
): Promise<NoteRow> {
  const [inserted] = await tx.query<NoteRow>(sql`
    insert into support_notes (id, organization_id, support_case_id, author_account_id, body,
      state_after, is_visible_to_customer, created_at)
    values (${row.id}, ${row.organizationId}, ${row.supportCaseId}, ${row.authorAccountId},
      ${row.body}, ${row.stateAfter}, ${row.visibleToCustomer}, ${row.at})
    returning ${noteColumns}`)
  if (!inserted) throw new Error('The note was not inserted')
  return inserted
}

/** The newest notes of a case, oldest first. */
export const listNotes = (
  tx: Reader,
  { organizationId, caseId, onlyVisible, limit }: CaseKey & { onlyVisible: boolean; limit: number },
): Promise<NoteRow[]> =>
  tx.query<NoteRow>(sql`
    select * from (
      select ${noteColumns} from support_notes
      where organization_id = ${organizationId} and support_case_id = ${caseId}
        and (${!onlyVisible} or is_visible_to_customer)
      order by id desc limit ${limit}) n
    order by id`)

export async function insertMessage(
  tx: Tx,
  row: {
    id: string
    organizationId: string
    supportCaseId: string
    authorAccountId: string
    body: string
    at: Date
  },
): Promise<MessageRow> {
  const [inserted] = await tx.query<MessageRow>(sql`
    with m as (
      insert into support_messages (id, organization_id, support_case_id, author_account_id, body,
        created_at)
      values (${row.id}, ${row.organizationId}, ${row.supportCaseId}, ${row.authorAccountId},
        ${row.body}, ${row.at})
      returning *)
    select m.id, m.author_account_id as "authorAccountId", p.display_name as "displayName",
      m.body, m.created_at as "createdAt"
    from m left join profiles p on p.account_id = m.author_account_id`)
  if (!inserted) throw new Error('The message was not inserted')
  return inserted
}

/** Messages of members, oldest first. Their number is bounded when they are written. */
export const listMessages = (
  tx: Reader,
  { organizationId, caseId }: CaseKey,
): Promise<MessageRow[]> =>
  tx.query<MessageRow>(sql`
    select m.id, m.author_account_id as "authorAccountId", p.display_name as "displayName",
      m.body, m.created_at as "createdAt"
    from support_messages m left join profiles p on p.account_id = m.author_account_id
    where m.organization_id = ${organizationId} and m.support_case_id = ${caseId}
    order by m.id`)

export async function countMessages(tx: Tx, { organizationId, caseId }: CaseKey): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from support_messages
    where organization_id = ${organizationId} and support_case_id = ${caseId}`)
  return row?.count ?? 0
}
