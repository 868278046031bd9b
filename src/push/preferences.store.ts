/** SQL for notification preferences. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Choice } from './preferences.ts'

export const listChoices = (
  reader: Reader,
  { accountId }: { accountId: string },
): Promise<Choice[]> =>
  reader.query<Choice>(sql`
    select category, channel, is_on as "isOn" from notification_preferences
    where account_id = ${accountId} order by category, channel`)

/** Serialises changes per account, so that the audit trail shows each change once. */
export async function lockChoices(tx: Tx, { accountId }: { accountId: string }): Promise<Choice[]> {
  tx.write(sql`
    select pg_advisory_xact_lock(hashtextextended(${`notifications:${accountId}`}, 0))`)
  return listChoices(tx, { accountId })
}

/** False when there is no such account. */
export async function saveChoices(
  tx: Tx,
  { accountId, changed, at }: { accountId: string; changed: readonly Choice[]; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into notification_preferences (account_id, category, channel, is_on, updated_at)
    select a.id, c.category, c.channel, c.is_on, ${at}
    from accounts a, unnest(${changed.map(({ category }) => category)}::text[],
      ${changed.map(({ channel }) => channel)}::text[],
      ${changed.map(({ isOn }) => isOn)}::boolean[]) as c (category, channel, is_on)
    where a.id = ${accountId}
    on conflict (account_id, category, channel)
      do update set is_on = excluded.is_on, updated_at = excluded.updated_at
    returning account_id`)
  return rows.length > 0
}

/** The verified address; null when there is none. */
export async function findOwnEmail(
  reader: Reader,
  { accountId }: { accountId: string },
): Promise<string | null> {
  const [row] = await reader.query<{ email: string | null }>(sql`
    select email from profiles where account_id = ${accountId}`)
  return row?.email ?? null
}
