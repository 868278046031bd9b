/** SQL for the recipients of a vault: who may be paid now, and the logs that say so. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'

type VaultKey = { organizationId: string; vaultId: string }

/** What the vault says of an address. Without a row it is neither listed nor blocked. */
export type RecipientStanding = {
  /** Lower case. */
  address: string
  /** From when on it may be paid. Null if it is not listed. */
  allowedFrom: string | null
  blocked: boolean
}

/** Whoever may be paid at once may be so here too, even if the chain's clock is ahead of ours. */
const columns = sql`address, blocked, case when allowed_from <= block_time
  then least(allowed_from, now()) else allowed_from end as "allowedFrom"`

export async function findVaultRecipient(
  tx: Reader,
  { organizationId, vaultId, address }: VaultKey & { address: string },
): Promise<RecipientStanding | undefined> {
  const [row] = await tx.query<RecipientStanding>(sql`
    select ${columns} from vault_recipients
    where organization_id = ${organizationId} and vault_id = ${vaultId}
      and address = ${address}`)
  return row
}

/** Of the given addresses, those that the vault lists or blocks. */
export const listRecipientsAmong = (
  tx: Tx,
  { organizationId, vaultId, addresses }: VaultKey & { addresses: readonly string[] },
): Promise<RecipientStanding[]> =>
  tx.query<RecipientStanding>(sql`
    select ${columns} from vault_recipients
    where organization_id = ${organizationId} and vault_id = ${vaultId}
      and address = any(${[...addresses]}::text[])`)

/** All that the vault lists or blocks. */
export const listVaultRecipients = (
  tx: Tx,
  { organizationId, vaultId }: VaultKey,
): Promise<RecipientStanding[]> =>
  tx.query<RecipientStanding>(sql`
    select ${columns} from vault_recipients
    where organization_id = ${organizationId} and vault_id = ${vaultId}
    order by address`)

/** Whether the follower has stored the change of recipients that this transaction made. */
export async function findHasRecipientsLog(
  tx: Tx,
  log: VaultKey & { recipientsVersion: number; transactionHash: string },
): Promise<boolean> {
  const [row] = await tx.query<{ exists: boolean }>(sql`
    select exists (
      select from vault_recipient_logs
      where organization_id = ${log.organizationId} and vault_id = ${log.vaultId}
        and transaction_hash = ${log.transactionHash}
        and recipients_version = ${log.recipientsVersion}) as exists`)
  return row?.exists ?? false
}

type LogPlace = VaultKey & {
  blockNumber: number
  logIndex: number
  transactionHash: string
  timeSeconds: number
}

const LOG_COLUMNS = sql`organization_id, vault_id, address, block_number, log_index, kind,
  allowed_from, recipients_version, by_address, transaction_hash, block_time`

export function insertRecipientsChange(
  tx: Tx,
  log: LogPlace & {
    recipientsVersion: number
    allowedFromSeconds: number
    added: readonly string[]
    removed: readonly string[]
  },
): void {
  const { organizationId, vaultId } = log
  tx.write(sql`
    insert into vault_recipient_logs (${LOG_COLUMNS})
    select ${organizationId}, ${vaultId}, n.address, ${log.blockNumber}, ${log.logIndex}, n.kind,
      case when n.kind = 'added' then to_timestamp(${log.allowedFromSeconds}) end,
      ${log.recipientsVersion}, null, ${log.transactionHash}, to_timestamp(${log.timeSeconds})
    from (
      select address, 'removed' as kind from unnest(${[...log.removed]}::text[]) as r (address)
      union all
      select address, 'added' from unnest(${[...log.added]}::text[]) as a (address)) n`)
  tx.write(sql`
    update vaults set recipients_version = greatest(recipients_version, ${log.recipientsVersion})
    where organization_id = ${organizationId} and id = ${vaultId}`)
  rebuild(tx, { organizationId, vaultId, addresses: [...log.added, ...log.removed] })
}

export function insertRecipientBlock(
  tx: Tx,
  log: LogPlace & { kind: 'blocked' | 'unblocked'; address: string; by: string | null },
): void {
  const { organizationId, vaultId, address } = log
  tx.write(sql`
    insert into vault_recipient_logs (${LOG_COLUMNS})
    values (${organizationId}, ${vaultId}, ${address}, ${log.blockNumber}, ${log.logIndex},
      ${log.kind}, null, null, ${log.by}, ${log.transactionHash},
      to_timestamp(${log.timeSeconds}))`)
  rebuild(tx, { organizationId, vaultId, addresses: [address] })
}

export async function deleteRecipientLogsAbove(
  tx: Tx,
  { organizationId, vaultId, blockNumber }: VaultKey & { blockNumber: number },
): Promise<void> {
  const rows = await tx.query<{ address: string }>(sql`
    with deleted as (
      delete from vault_recipient_logs where organization_id = ${organizationId}
        and vault_id = ${vaultId} and block_number > ${blockNumber}
      returning address)
    select distinct address from deleted`)
  const addresses = rows.map(({ address }) => address)
  if (addresses.length > 0) rebuild(tx, { organizationId, vaultId, addresses })
}

/**
 * Derives what the logs say of these addresses now. Forwards and after a rollback alike, so that
 * both give the same rows. Of one log that names an address twice, the addition counts.
 */
function rebuild(
  tx: Tx,
  { organizationId, vaultId, addresses }: VaultKey & { addresses: readonly string[] },
): void {
  const ofVault = sql`organization_id = ${organizationId} and vault_id = ${vaultId}`
  const named = [...new Set(addresses)]
  tx.write(sql`
    delete from vault_recipients where ${ofVault} and address = any(${named}::text[])`)
  tx.write(sql`
    insert into vault_recipients (organization_id, vault_id, address, allowed_from, blocked,
      recipients_version, transaction_hash, block_number, block_time)
    select ${organizationId}, ${vaultId}, n.address, l.allowed_from, b.is_blocked,
      case when l.allowed_from is not null then l.recipients_version end,
      case when l.allowed_from is not null then l.transaction_hash end,
      case when l.allowed_from is not null then l.block_number end,
      case when l.allowed_from is not null then l.block_time end
    from unnest(${named}::text[]) as n (address)
    left join lateral (
      select allowed_from, block_time, recipients_version, transaction_hash, block_number
      from vault_recipient_logs
      where ${ofVault} and address = n.address and kind in ('added', 'removed')
      order by block_number desc, log_index desc, kind limit 1) l on true
    cross join lateral (
      select coalesce((
        select kind = 'blocked' from vault_recipient_logs
        where ${ofVault} and address = n.address and kind in ('blocked', 'unblocked')
        order by block_number desc, log_index desc limit 1), false) as is_blocked) b
    where l.allowed_from is not null or b.is_blocked`)
}
