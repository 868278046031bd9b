/** SQL for support cases and their notes. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { SupportCaseState } from './support-case.machine.ts'

export type CaseRow = {
  id: string
  organizationId: string
  openedByAccountId: string
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
  createdAt: string
}

const columns = sql`
  id, organization_id as "organizationId", opened_by_account_id as "openedByAccountId",
  expense_id as "expenseId", payment_id as "paymentId", subject, priority, state,
  created_at as "createdAt", updated_at as "updatedAt"`

/** Serialises opening cases in an organization, so that the count holds until commit. */
export async function lockCasesOf(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 6))`)
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
  row: Omit<CaseRow, 'state' | 'createdAt' | 'updatedAt'> & { at: Date },
): Promise<CaseRow> {
  const [inserted] = await tx.query<CaseRow>(sql`
    insert into support_cases (id, organization_id, opened_by_account_id, expense_id, payment_id,
      subject, priority, state, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${row.openedByAccountId}, ${row.expenseId},
      ${row.paymentId}, ${row.subject}, ${row.priority}, 'open', ${row.at}, ${row.at})
    returning ${columns}`)
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

export async function lockCase(
  tx: Tx,
  { organizationId, caseId }: { organizationId: string; caseId: string },
): Promise<CaseRow | undefined> {
  const [row] = await tx.query<CaseRow>(sql`
    select ${columns} from support_cases
    where organization_id = ${organizationId} and id = ${caseId} for no key update`)
  return row
}

/** Only `moveCase` calls this; a note without a new status moves to the same state. */
export async function updateCaseState(
  tx: Tx,
  move: { supportCase: CaseRow; to: SupportCaseState; at: Date },
): Promise<void> {
  const { organizationId, id, state } = move.supportCase
  await tx.query(sql`
    update support_cases set state = ${move.to}, updated_at = ${move.at}
    where organization_id = ${organizationId} and id = ${id} and state = ${state}`)
}

export async function insertNote(
  tx: Tx,
  row: Omit<NoteRow, 'createdAt'> & { at: Date },
): Promise<NoteRow> {
  const [inserted] = await tx.query<NoteRow>(sql`
    insert into support_notes (id, organization_id, support_case_id, author_account_id, body,
      state_after, created_at)
    values (${row.id}, ${row.organizationId}, ${row.supportCaseId}, ${row.authorAccountId},
      ${row.body}, ${row.stateAfter}, ${row.at})
    returning id, organization_id as "organizationId", support_case_id as "supportCaseId",
      author_account_id as "authorAccountId", body, state_after as "stateAfter",
      created_at as "createdAt"`)
  if (!inserted) throw new Error('The note was not inserted')
  return inserted
}
