/** SQL of payments that a vault has logged and that have no payment row. */
import sql, { type Sql } from 'sql-template-tag'
import type { Db, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import { isUnwatched } from './executions.store.ts'
import type { UnrecordedState } from './unrecorded-payment.machine.ts'

/** The fields of the vault's log. Addresses are lower case. */
export type LoggedPayment = {
  vaultId: string
  chainPaymentId: string
  mode: 'approved' | 'automatic'
  recipientAddress: string
  amount: bigint
  policyVersion: number
  reportHash: string
  expenseVersionHash: string
  /** In the order of the approvers; empty for automatic payments. */
  approvalDigests: string[]
  /** Ascending. */
  approverAddresses: string[]
  transactionHash: string
  blockNumber: number
  blockHash: string
  blockTime: string
}

export type UnrecordedRow = LoggedPayment & {
  id: string
  organizationId: string
  vaultAddress: string
  /** Of the recipient with that address, an active one first. */
  recipientLabel: string | null
  state: UnrecordedState
  acknowledgedByAccountId: string | null
  acknowledgedAt: string | null
  acknowledgementReason: string | null
  createdAt: string
  updatedAt: string
}

const columns = sql`
  u.id, u.organization_id as "organizationId", u.vault_id as "vaultId",
  v.address as "vaultAddress", u.chain_payment_id as "chainPaymentId", u.mode,
  u.recipient_address as "recipientAddress", r.label as "recipientLabel", u.amount,
  u.policy_version as "policyVersion", u.report_hash as "reportHash",
  u.expense_version_hash as "expenseVersionHash", u.approval_digests as "approvalDigests",
  u.approver_addresses as "approverAddresses", u.transaction_hash as "transactionHash",
  u.block_number as "blockNumber", u.block_hash as "blockHash", u.block_time as "blockTime",
  u.state, u.acknowledged_by_account_id as "acknowledgedByAccountId",
  u.acknowledged_at as "acknowledgedAt", u.acknowledgement_reason as "acknowledgementReason",
  u.created_at as "createdAt", u.updated_at as "updatedAt"`

/** Lateral look-ups per row: with plain joins the planner reads whole tables for one page. */
const withNames = sql`
  cross join lateral (
    select x.address from vaults x
    where x.organization_id = u.organization_id and x.id = u.vault_id limit 1) v
  left join lateral (
    select x.label from recipients x
    where x.organization_id = u.organization_id and x.address = u.recipient_address
    order by (x.state = 'active') desc, x.id desc limit 1) r on true`

type Key = { organizationId: string; unrecordedPaymentId: string }

/** Locked until the transaction ends. */
export async function lockUnrecorded(
  tx: Tx,
  { organizationId, unrecordedPaymentId }: Key,
): Promise<UnrecordedRow | undefined> {
  const [row] = await tx.query<UnrecordedRow>(sql`
    select ${columns} from unrecorded_payments u ${withNames}
    where u.organization_id = ${organizationId} and u.id = ${unrecordedPaymentId} for update of u`)
  return row
}

export const listUnrecorded = (
  tx: Tx,
  {
    organizationId,
    states,
    page,
  }: { organizationId: string; states: readonly UnrecordedState[]; page: Page },
): Promise<UnrecordedRow[]> =>
  tx.query<UnrecordedRow>(sql`
    select ${columns} from (
      select * from unrecorded_payments
      where organization_id = ${organizationId} and state = any(${states}::text[])
        and id < ${page.beforeId}
      order by id desc limit ${page.limit + 1}) u ${withNames}
    order by u.id desc`)

/** Newest first. Null: of all organizations, for the observer. */
export const listOpenUnrecorded = (
  tx: Tx,
  { organizationId, limit }: { organizationId: string | null; limit: number },
): Promise<UnrecordedRow[]> => {
  const whose = organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`
  return tx.query<UnrecordedRow>(sql`
    select ${columns} from (
      select * from unrecorded_payments where ${whose} and state = 'open'
      order by updated_at desc, id desc limit ${limit}) u ${withNames}
    order by u.updated_at desc, u.id desc`)
}

/** The payments in the vault's logs, with the fields of each log. */
const logged = (organizationId: string, vaultId: string): Sql => sql`
  select x.vault_id as "vaultId", x.chain_payment_id as "chainPaymentId",
    x.recipient_address as "recipientAddress", x.amount,
    x.transaction_hash as "transactionHash", x.block_number as "blockNumber",
    x.block_time as "blockTime", l.block_hash as "blockHash", l.args ->> 'mode' as mode,
    (l.args ->> 'policyVersion')::bigint as "policyVersion",
    l.args ->> 'reportHash' as "reportHash",
    l.args ->> 'expenseVersionHash' as "expenseVersionHash",
    array(select jsonb_array_elements_text(l.args -> 'approvalDigests')) as "approvalDigests",
    array(select jsonb_array_elements_text(l.args -> 'approverAddresses'))
      as "approverAddresses"
  from vault_payments x
  join vaults w on w.organization_id = x.organization_id and w.id = x.vault_id
  join chain_logs l on l.vault_address = w.address and l.block_number = x.block_number
    and l.name = 'PaymentExecuted' and l.args ->> 'chainPaymentId' = x.chain_payment_id
  where x.organization_id = ${organizationId} and x.vault_id = ${vaultId}`

const isRecorded = (alias: Sql): Sql => sql`exists (
  select from payments p where p.chain_payment_id = ${alias}.chain_payment_id
    and p.organization_id = ${alias}.organization_id and p.vault_id = ${alias}.vault_id)`

type VaultKey = { organizationId: string; vaultId: string }

/** Logged by the vault, without a payment row, and not yet an unrecorded payment. */
export const listNewUnrecorded = (
  tx: Tx,
  { organizationId, vaultId, limit }: VaultKey & { limit: number },
): Promise<LoggedPayment[]> =>
  tx.query<LoggedPayment>(sql`
    ${logged(organizationId, vaultId)} and not ${isRecorded(sql`x`)} and not exists (
      select from unrecorded_payments u where u.organization_id = x.organization_id
        and u.vault_id = x.vault_id and u.chain_payment_id = x.chain_payment_id
        and u.state in ('open', 'acknowledged'))
    order by x.block_number, l.log_index limit ${limit}`)

export async function findUnrecordedId(
  tx: Tx,
  {
    organizationId,
    vaultId,
    chainPaymentId,
  }: { organizationId: string; vaultId: string; chainPaymentId: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from unrecorded_payments where organization_id = ${organizationId}
      and vault_id = ${vaultId} and chain_payment_id = ${chainPaymentId}`)
  return row?.id
}

export type Outdated = { id: string; isLogged: boolean }

/** No longer unrecorded: the payment row exists, or the log is gone. */
export const listOutdated = (tx: Tx, { organizationId, vaultId }: VaultKey): Promise<Outdated[]> =>
  tx.query<Outdated>(sql`
    select * from (
      select u.id, ${isRecorded(sql`u`)} as "isRecorded", u.state, exists (
        select from vault_payments x where x.organization_id = u.organization_id
          and x.vault_id = u.vault_id and x.chain_payment_id = u.chain_payment_id) as "isLogged"
      from unrecorded_payments u
      where u.organization_id = ${organizationId} and u.vault_id = ${vaultId}
        and u.state <> 'withdrawn') o
    where not "isLogged" or ("isRecorded" and state <> 'recorded')
    order by id`)

/** Only `move-unrecorded-payment.ts` calls this and `updateUnrecorded`. */
export function insertUnrecorded(
  tx: Tx,
  row: LoggedPayment & { id: string; organizationId: string; state: UnrecordedState; at: Date },
): void {
  tx.write(sql`
    insert into unrecorded_payments (id, organization_id, vault_id, chain_payment_id, mode,
      recipient_address, amount, policy_version, report_hash, expense_version_hash,
      approval_digests, approver_addresses, transaction_hash, block_number, block_hash, block_time,
      state, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${row.vaultId}, ${row.chainPaymentId}, ${row.mode},
      ${row.recipientAddress}, ${row.amount}, ${row.policyVersion}, ${row.reportHash},
      ${row.expenseVersionHash}, ${row.approvalDigests}, ${row.approverAddresses},
      ${row.transactionHash}, ${row.blockNumber}, ${row.blockHash}, ${row.blockTime},
      ${row.state}, ${row.at}, ${row.at})`)
}

export type UnrecordedUpdate = {
  organizationId: string
  id: string
  from: UnrecordedState
  to: UnrecordedState
  /** With `find`: the log may have changed. */
  logged?: LoggedPayment
  /** With `acknowledge`. */
  acknowledgement?: { accountId: string; reason: string }
  at: Date
}

export function updateUnrecorded(tx: Tx, update: UnrecordedUpdate): void {
  const { logged: log, acknowledgement: by } = update
  const content = log
    ? sql`, mode = ${log.mode}, recipient_address = ${log.recipientAddress},
        amount = ${log.amount}, policy_version = ${log.policyVersion},
        report_hash = ${log.reportHash}, expense_version_hash = ${log.expenseVersionHash},
        approval_digests = ${log.approvalDigests},
        approver_addresses = ${log.approverAddresses},
        transaction_hash = ${log.transactionHash}, block_number = ${log.blockNumber},
        block_hash = ${log.blockHash}, block_time = ${log.blockTime},
        acknowledged_by_account_id = null, acknowledged_at = null, acknowledgement_reason = null`
    : sql``
  const acknowledged = by
    ? sql`, acknowledged_by_account_id = ${by.accountId}, acknowledged_at = ${update.at},
        acknowledgement_reason = ${by.reason}`
    : sql``
  tx.write(sql`
    update unrecorded_payments set state = ${update.to}, updated_at = ${update.at}
      ${content} ${acknowledged}
    where organization_id = ${update.organizationId} and id = ${update.id}
      and state = ${update.from}`)
}

/** Vaults of all organizations with payments to match. Runs as the observer. */
export const listUnmatchedVaults = (
  observer: Pick<Db, 'query'>,
  limit: number,
): Promise<VaultKey[]> =>
  observer.query<VaultKey>(sql`
    select distinct x.organization_id as "organizationId", x.vault_id as "vaultId"
    from vault_payments x
    left join payments p on p.chain_payment_id = x.chain_payment_id
      and p.organization_id = x.organization_id and p.vault_id = x.vault_id
    left join unrecorded_payments u on u.organization_id = x.organization_id
      and u.vault_id = x.vault_id and u.chain_payment_id = x.chain_payment_id
    where case
      when p.id is null then u.state is null or u.state in ('recorded', 'withdrawn')
      else coalesce(u.state in ('open', 'acknowledged'), false)
        or ${isUnwatched}
    end
    order by 1, 2 limit ${limit}`)
