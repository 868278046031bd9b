/** SQL for the index of the search: the words of revisions, and how far the journal is indexed. */
import sql, { type Sql } from 'sql-template-tag'
import type { JournalPosition } from '#journal/positions.store.ts'
import type { Db, Reader, Tx } from '#platform/database/database.ts'

export type WordsPosition = JournalPosition & { epoch: string }

/** `hasGap`: events after the position are gone, because they were pruned or their epoch ended. */
export async function findWordsPosition(
  db: Pick<Db, 'query'>,
): Promise<{ position: WordsPosition; hasGap: boolean }> {
  const [row] = await db.query<WordsPosition & { hasGap: boolean }>(sql`
    select p.epoch, p.transaction_id as "transactionId", p.seq,
      p.epoch <> s.epoch or (p.transaction_id, p.seq)
        < (s.horizon_transaction_id, s.horizon_seq) as "hasGap"
    from expense_words_position p cross join live_state s`)
  if (!row) throw new Error('expense_words_position has no row')
  const { hasGap, ...position } = row
  return { position, hasGap }
}

/** The newest event that no running transaction can still precede, or the last that was pruned. */
export async function findJournalEnd(tx: Tx): Promise<WordsPosition> {
  const [row] = await tx.query<WordsPosition>(sql`
    select s.epoch, p.transaction_id as "transactionId", p.seq
    from live_state s cross join lateral (
      (select e.transaction_id, e.seq from live_events e
        where e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
        order by e.transaction_id desc, e.seq desc limit 1)
      union all select s.horizon_transaction_id, s.horizon_seq
      order by 1 desc, 2 desc limit 1) p`)
  if (!row) throw new Error('live_state has no row')
  return row
}

/** False when another worker has moved it. */
export async function advanceWordsPosition(
  tx: Tx,
  { from, to }: { from: WordsPosition; to: WordsPosition },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update expense_words_position
    set epoch = ${to.epoch}, transaction_id = ${to.transactionId}, seq = ${to.seq}
    where epoch = ${from.epoch} and transaction_id = ${from.transactionId} and seq = ${from.seq}
    returning seq`)
  return rows.length > 0
}

/** Of a new expense and of a new revision. */
const bringsRevision = sql`e.aggregate_type = 'expense' and e.target_state = 'draft'`

export type WordsEvent = JournalPosition & {
  /** Null when the event brings no revision. */
  expenseId: string | null
  organizationId: string | null
}

/** In order, and only those that no running transaction can still precede. */
export const listWordsEvents = (
  reader: Reader,
  { transactionId, seq, limit }: JournalPosition & { limit: number },
): Promise<WordsEvent[]> =>
  reader.query<WordsEvent>(sql`
    select e.transaction_id as "transactionId", e.seq, e.organization_id as "organizationId",
      case when ${bringsRevision} then e.aggregate_id end as "expenseId"
    from live_events e
    where (e.transaction_id, e.seq) > (${transactionId}::xid8, ${seq}::bigint)
      and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by e.transaction_id, e.seq limit ${limit}`)

/** Of all revisions of these expenses. Ordered, so that two workers cannot deadlock. */
export function insertWords(
  tx: Tx,
  { organizationId, expenseIds }: { organizationId: string; expenseIds: readonly string[] },
): void {
  tx.write(sql`
    insert into expense_words (organization_id, word, expense_id, revision)
    select distinct r.organization_id, left(w.word, 60) collate "C", r.expense_id, r.revision
    from expense_revisions r cross join lateral
      string_to_table(revision_words(r.purpose, r.reference, r.recipient_label), ' ') w (word)
    where r.organization_id = ${organizationId} and r.expense_id = any(${expenseIds}::uuid[])
      and w.word <> ''
    order by 2, 3, 4
    on conflict do nothing`)
}

/**
 * Whether the indexed word `w` begins like this one. The greatest code point ends the range of such
 * words.
 */
export const isIndexedWord = (word: string): Sql =>
  sql`w.word >= ${word} and w.word < ${word} || chr(1114111)`

/** Whether a word of the revision `r` begins like this one, which is of letters and digits. */
export const isWordOfRevision = (word: string): Sql => sql`' ' || r.words like ${`% ${word}%`}`

/** Across tenants. */
export const listIndexedOrganizations = (tx: Tx): Promise<{ id: string }[]> =>
  tx.query<{ id: string }>(sql`select id from organizations order by id`)

export const listExpenseIdsAfter = (
  tx: Reader,
  { organizationId, after, limit }: { organizationId: string; after: string; limit: number },
): Promise<{ id: string }[]> =>
  tx.query<{ id: string }>(sql`
    select e.id from expenses e where e.organization_id = ${organizationId} and e.id > ${after}
    order by e.id limit ${limit}`)

/** With more events than this after the position, the oldest expenses wait for the index. */
const EVENTS_MAX = 1_000

/** The organization's expenses with revisions that may not be indexed yet. Few, usually none. */
export async function listUnindexed(tx: Tx, organizationId: string): Promise<string[]> {
  const indexed = (column: Sql) => sql`(select ${column} from expense_words_position p)`
  const rows = await tx.query<{ id: string }>(sql`
    select distinct e.aggregate_id as id from (
      select * from live_events x where x.organization_id = ${organizationId}
        and (x.transaction_id, x.seq) > (${indexed(sql`p.transaction_id`)}, ${indexed(sql`p.seq`)})
      order by x.transaction_id desc, x.seq desc limit ${EVENTS_MAX}) e
    where ${bringsRevision}`)
  return rows.map(({ id }) => id)
}
