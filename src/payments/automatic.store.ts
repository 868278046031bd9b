/** SQL of the facts behind automatic limits: sums, memberships and wallets ever linked. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { AutomaticStanding, AutomaticSums } from './automatic-limits.ts'

/**
 * Serialises automatic reservations of an organization until commit, so that payments of two vaults
 * cannot both take the last of its limit. Taken after the vault's lock.
 */
export function lockAutomaticSums(tx: Tx, organizationId: string): void {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 8))`)
}

export type AutomaticKey = {
  organizationId: string
  /** Excluded from the sums, so that a payment that is released again counts once. */
  paymentId: string
  vaultId: string
  /** Lower case. */
  recipientAddress: string
  /** The accounts of the submitter and of the revision's author. */
  accountIds: readonly string[]
}

type Flat = {
  [Name in keyof AutomaticSums as `${Name}Day` | `${Name}Week`]: bigint
} & Pick<AutomaticStanding, 'organizationCap' | 'memberForSeconds' | 'isOwnWallet'>

/**
 * From running totals of 15 minutes each; only the payments in the two buckets where the day and
 * the week begin are read one by one.
 */
export async function findAutomaticStanding(
  tx: Reader,
  { organizationId, paymentId, vaultId, recipientAddress, accountIds }: AutomaticKey,
): Promise<AutomaticStanding> {
  const accounts = [...new Set(accountIds)]
  const sum = (amount: ReturnType<typeof sql>, condition: ReturnType<typeof sql>) =>
    sql`coalesce(sum(${amount}) filter (where ${condition}), 0)`
  const [day, week] = [sql`day`, sql`week`]
  // By address, not by row: the API role can insert a second row for the same vault.
  const ofVault = sql`vault_id = any(array(select id from same_vault))`
  const ofCounted = sql`from counted_payments, bounds where organization_id = ${organizationId}`
  const toRecipient = sql`recipient_address = ${recipientAddress}`
  const [row] = await tx.query<Flat>(sql`
    with same_vault as materialized (
      select o.id from vaults v
      join vaults o on o.organization_id = v.organization_id and o.chain_id = v.chain_id
        and o.address = v.address
      where v.organization_id = ${organizationId} and v.id = ${vaultId}),
    bounds as (
      select day_ago, week_ago, bucket_of(day_ago) + interval '15 minutes' as day_bucket,
        bucket_of(week_ago) + interval '15 minutes' as week_bucket
      from (select now() - interval '1 day' as day_ago, now() - interval '7 days' as week_ago) t),
    parts as (
      select vault_id, recipient_address = '' as to_all, recipient_address <> '' as to_one,
        case when bucket >= day_bucket then amount else 0 end as day, amount as week
      from automatic_totals, bounds
      where organization_id = ${organizationId}
        and recipient_address in ('', ${recipientAddress}) and bucket >= week_bucket
      union all
      select vault_id, true, ${toRecipient}, 0, amount ${ofCounted}
        and authorised_at > week_ago and authorised_at < week_bucket
      union all
      select vault_id, true, ${toRecipient}, amount, 0 ${ofCounted}
        and authorised_at > day_ago and authorised_at < day_bucket
      union all
      select vault_id, true, ${toRecipient},
        case when authorised_at > day_ago then -amount else 0 end, -amount ${ofCounted}
        and id = ${paymentId} and authorised_at > week_ago)
    select ${sum(day, sql`to_all and ${ofVault}`)} as "vaultDay",
      ${sum(day, sql`to_all`)} as "organizationDay",
      ${sum(day, sql`to_one and ${ofVault}`)} as "recipientFromVaultDay",
      ${sum(day, sql`to_one`)} as "recipientDay",
      ${sum(week, sql`to_all and ${ofVault}`)} as "vaultWeek",
      ${sum(week, sql`to_all`)} as "organizationWeek",
      ${sum(week, sql`to_one and ${ofVault}`)} as "recipientFromVaultWeek",
      ${sum(week, sql`to_one`)} as "recipientWeek",
      coalesce((
        select max(y.automatic_cap) from vaults v
        join policies y on y.organization_id = v.organization_id and y.vault_id = v.id
          and y.version = v.policy_version
        where v.organization_id = ${organizationId} and v.state = 'verified'
          and v.archived_at is null and y.automatic_enabled), 0) as "organizationCap", (
        select case when count(*) = ${accounts.length}
          then floor(extract(epoch from now() - max(m.recorded_at)))::bigint end
        from memberships m where m.organization_id = ${organizationId}
          and m.account_id = any(${accounts}::uuid[]) and m.state = 'active')
        as "memberForSeconds", exists (
        select from wallet_links l where l.address = ${recipientAddress}
          and l.account_id = any(${accounts}::uuid[])) as "isOwnWallet"
    from parts`)
  if (!row) throw new Error('The query for automatic payment sums returned no row')
  return {
    day: sumsOf(row, 'Day'),
    week: sumsOf(row, 'Week'),
    organizationCap: row.organizationCap,
    memberForSeconds: row.memberForSeconds,
    isOwnWallet: row.isOwnWallet,
  }
}

const sumsOf = (row: Flat, period: 'Day' | 'Week'): AutomaticSums => ({
  vault: row[`vault${period}`],
  organization: row[`organization${period}`],
  recipientFromVault: row[`recipientFromVault${period}`],
  recipient: row[`recipient${period}`],
})

/** Whether an active member linked the wallet at least `days` ago, by database time. */
export async function findIsLinkedSince(
  tx: Reader,
  { organizationId, address, days }: { organizationId: string; address: string; days: number },
): Promise<boolean> {
  const [row] = await tx.query<{ isKnown: boolean }>(sql`
    select exists (
      select from wallet_links l
      join memberships m on m.organization_id = ${organizationId} and m.account_id = l.account_id
        and m.state = 'active'
      where l.address = ${address}
        and l.linked_at <= now() - make_interval(days => ${days}::integer)) as "isKnown"`)
  return row?.isKnown ?? false
}
