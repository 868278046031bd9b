/** SQL for vaults and for what the follower derives from their logs. */
import type { PeriodSums } from '@countersign/proof/spending-period.ts'
import sql, { type Sql } from 'sql-template-tag'
import { isUniqueViolation, type Reader, type Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { Page } from '#platform/paging.ts'
import type { VaultState } from './vault.machine.ts'

type PaymentMode = 'approved' | 'automatic'

/** Addresses are lower case, as stored. */
export type VaultRow = {
  id: string
  organizationId: string
  label: string
  isDefault: boolean
  archivedAt: string | null
  createdByAccountId: string | null
  chainId: number
  address: string
  tokenAddress: string
  ownerAddress: string
  artifactHash: string
  deploymentTransactionHash: string
  state: VaultState
  balance: bigint
  spentTotal: bigint
  policyVersion: number
  /** How long policies and new recipients wait; 0 if they take effect at once. */
  changeDelaySeconds: number
  /** Counts the changes of the list of recipients. */
  recipientsVersion: number
  /** Number of the newest pause. */
  pauseNumber: number
  createdAt: string
}

const columns = sql`
  id, organization_id as "organizationId", label, is_default as "isDefault",
  archived_at as "archivedAt", created_by_account_id as "createdByAccountId",
  chain_id as "chainId", address, token_address as "tokenAddress",
  owner_address as "ownerAddress", artifact_hash as "artifactHash",
  deployment_transaction_hash as "deploymentTransactionHash", state, balance,
  spent_total as "spentTotal", policy_version as "policyVersion",
  change_delay_seconds as "changeDelaySeconds", recipients_version as "recipientsVersion",
  pause_number as "pauseNumber", created_at as "createdAt"`

export type NewVault = Pick<
  VaultRow,
  | 'id'
  | 'organizationId'
  | 'label'
  | 'createdByAccountId'
  | 'chainId'
  | 'address'
  | 'tokenAddress'
  | 'ownerAddress'
  | 'artifactHash'
  | 'deploymentTransactionHash'
  | 'changeDelaySeconds'
> & { state: 'pending' | 'verified'; at: Date }

/** The first verified vault is the default. */
export async function insertVault(tx: Tx, vault: NewVault): Promise<VaultRow> {
  const [row] = await tx
    .query<VaultRow>(sql`
      insert into vaults (id, organization_id, label, created_by_account_id, chain_id, address,
        token_address, owner_address, artifact_hash, deployment_transaction_hash,
        change_delay_seconds, state, created_at, is_default)
      values (${vault.id}, ${vault.organizationId}, ${vault.label}, ${vault.createdByAccountId},
        ${vault.chainId}, ${vault.address}, ${vault.tokenAddress}, ${vault.ownerAddress},
        ${vault.artifactHash}, ${vault.deploymentTransactionHash}, ${vault.changeDelaySeconds},
        ${vault.state}, ${vault.at},
        ${vault.state} = 'verified' and not exists (
          select from vaults where organization_id = ${vault.organizationId} and is_default))
      returning ${columns}`)
    .catch((error) => {
      if (!isUniqueViolation(error, 'vaults_organization_address')) throw error
      throw new AppError('duplicate', { message: 'This vault is already registered.' })
    })
  if (!row) throw new Error('The vault was not inserted')
  return row
}

type VaultKey = { organizationId: string; vaultId: string }

export async function findVault(tx: Reader, key: VaultKey): Promise<VaultRow | undefined> {
  const [row] = await tx.query<VaultRow>(sql`
    select ${columns} from vaults
    where organization_id = ${key.organizationId} and id = ${key.vaultId}`)
  return row
}

export async function lockVault(tx: Tx, key: VaultKey): Promise<VaultRow | undefined> {
  const [row] = await tx.query<VaultRow>(sql`
    select ${columns} from vaults
    where organization_id = ${key.organizationId} and id = ${key.vaultId} for no key update`)
  return row
}

export async function findDefaultVault(
  tx: Reader,
  organizationId: string,
): Promise<VaultRow | undefined> {
  const [row] = await tx.query<VaultRow>(sql`
    select ${columns} from vaults where organization_id = ${organizationId} and is_default`)
  return row
}

export async function listVaults(
  tx: Reader,
  { organizationId, page }: { organizationId: string; page: Page },
): Promise<VaultRow[]> {
  return tx.query<VaultRow>(sql`
    select ${columns} from vaults where organization_id = ${organizationId}
      and id < ${page.beforeId} order by id desc limit ${page.limit + 1}`)
}

export const listVaultsById = (
  tx: Reader,
  { organizationId, vaultIds }: { organizationId: string; vaultIds: readonly string[] },
): Promise<VaultRow[]> =>
  tx.query<VaultRow>(sql`
    select ${columns} from vaults
    where organization_id = ${organizationId} and id = any(${[...vaultIds]}::uuid[])`)

/** Needs the scope of the vault's address, to find whose log it is. */
export async function findVaultByAddress(
  tx: Tx,
  { chainId, address }: { chainId: number; address: string },
): Promise<VaultRow | undefined> {
  const [row] = await tx.query<VaultRow>(sql`
    select ${columns} from vaults
    where chain_id = ${chainId} and address = ${address} and state = 'verified'`)
  return row
}

/** A pending or verified vault of this organization. */
export async function findOwnVaultByAddress(
  tx: Tx,
  { organizationId, ...at }: { organizationId: string; chainId: number; address: string },
): Promise<VaultRow | undefined> {
  const [row] = await tx.query<VaultRow>(sql`
    select ${columns} from vaults where organization_id = ${organizationId}
      and chain_id = ${at.chainId} and address = ${at.address} and state <> 'disabled'`)
  return row
}

/** Serialises changes to an organization's vaults and their default. */
export function lockVaultsOf(tx: Tx, organizationId: string): void {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 1))`)
}

export function updateDefaultVault(tx: Tx, key: VaultKey): void {
  tx.write(sql`
    update vaults set is_default = false
    where organization_id = ${key.organizationId} and is_default and id <> ${key.vaultId}`)
  tx.write(sql`
    update vaults set is_default = true
    where organization_id = ${key.organizationId} and id = ${key.vaultId}`)
}

export function updateVaultArchived(tx: Tx, key: VaultKey & { at: Date }): void {
  tx.write(sql`
    update vaults set archived_at = ${key.at}
    where organization_id = ${key.organizationId} and id = ${key.vaultId}`)
}

export function updateVaultState(
  tx: Tx,
  move: VaultKey & {
    from: VaultState
    to: VaultState
    ownerAddress: string
    changeDelaySeconds: number
    failureCode: string | null
  },
): void {
  tx.write(sql`
    update vaults set state = ${move.to}, owner_address = ${move.ownerAddress},
      change_delay_seconds = ${move.changeDelaySeconds}, failure_code = ${move.failureCode}
    where organization_id = ${move.organizationId} and id = ${move.vaultId}
      and state = ${move.from}`)
}

/** The totals of a part of a vault's history would be wrong, so until then it has none. */
const isHistoryRead = (address: Sql): Sql => sql`
  not exists (select from chain_watches w where w.address = ${address} and not w.caught_up)`

/** Only the follower's log handlers call this, once per log. */
export function addToVault(
  tx: Tx,
  change: VaultKey & { balance?: bigint; spent?: bigint; policyVersion?: number },
): void {
  tx.write(sql`
    update vaults set balance = balance + ${change.balance ?? 0n},
      spent_total = spent_total + ${change.spent ?? 0n},
      policy_version = greatest(policy_version, ${change.policyVersion ?? 0}::bigint)
    where organization_id = ${change.organizationId} and id = ${change.vaultId}
      and ${isHistoryRead(sql`vaults.address`)}`)
}

/** Computes the totals from all stored logs: when the history is complete, after a rollback. */
export function recountVault(tx: Tx, { organizationId, vaultId }: VaultKey): void {
  const isComplete = isHistoryRead(sql`v.address`)
  tx.write(sql`
    update vaults v set
      balance = case when ${isComplete} then (
        select coalesce(max(w.opening_balance), 0) from chain_watches w where w.address = v.address
      ) + (
        select coalesce(sum(case l.name when 'TokenReceived' then (l.args ->> 'amount')::numeric
                                        else -(l.args ->> 'amount')::numeric end), 0)
        from chain_logs l
        where l.vault_address = v.address and l.name in ('TokenReceived', 'TokenSent')) else 0 end,
      spent_total = (
        select coalesce(sum(amount), 0) from vault_payments p
        where p.organization_id = v.organization_id and p.vault_id = v.id and ${isComplete}),
      policy_version = (
        select coalesce(max(version), 0) from policies p
        where p.organization_id = v.organization_id and p.vault_id = v.id and ${isComplete}),
      recipients_version = (
        select coalesce(max(l.recipients_version), 0) from vault_recipient_logs l
        where l.organization_id = v.organization_id and l.vault_id = v.id),
      pause_number = (
        select coalesce(max(s.pause_number), 0) from vault_pauses s
        where s.organization_id = v.organization_id and s.vault_id = v.id)
    where v.organization_id = ${organizationId} and v.id = ${vaultId}`)
}

export function insertVaultPayment(
  tx: Tx,
  row: VaultKey & {
    chainPaymentId: string
    recipientAddress: string
    mode: PaymentMode
    amount: bigint
    transactionHash: string
    blockNumber: number
    timeSeconds: number
  },
): void {
  tx.write(sql`
    insert into vault_payments (organization_id, vault_id, chain_payment_id, recipient_address,
      mode, amount, transaction_hash, block_number, block_time)
    values (${row.organizationId}, ${row.vaultId}, ${row.chainPaymentId}, ${row.recipientAddress},
      ${row.mode}, ${row.amount}, ${row.transactionHash}, ${row.blockNumber},
      to_timestamp(${row.timeSeconds}))`)
}

export function deleteVaultPaymentsAbove(
  tx: Tx,
  { organizationId, vaultId, blockNumber }: VaultKey & { blockNumber: number },
): void {
  tx.write(sql`
    delete from vault_payments where organization_id = ${organizationId}
      and vault_id = ${vaultId} and block_number > ${blockNumber}`)
}

/** Sums the payments of blocks from that time on. */
export async function findSpentSince(
  tx: Tx,
  { organizationId, vaultId, sinceSeconds }: VaultKey & { sinceSeconds: number },
): Promise<PeriodSums> {
  const [row] = await tx.query<PeriodSums>(sql`
    select coalesce(sum(amount), 0) as total,
      coalesce(sum(amount) filter (where mode = 'automatic'), 0) as automatic
    from vault_payments
    where organization_id = ${organizationId} and vault_id = ${vaultId}
      and block_time >= to_timestamp(${sinceSeconds})`)
  return row ?? { total: 0n, automatic: 0n }
}

export type ReceivedFunds = { total: bigint; count: number; latestAt: string | null }

export async function findReceivedFunds(
  tx: Reader,
  {
    organizationId,
    addresses,
    upToBlock,
  }: { organizationId: string; addresses: readonly string[]; upToBlock: number },
): Promise<ReceivedFunds> {
  const [row] = await tx.query<ReceivedFunds>(sql`
    select coalesce(sum(amount), 0) as total, count(*) as count, max(block_time) as "latestAt"
    from vault_payments
    where organization_id = ${organizationId} and recipient_address = any(${addresses})
      and block_number <= ${upToBlock}`)
  return row ?? { total: 0n, count: 0, latestAt: null }
}

export type Held = {
  held: bigint
  /** The part of it that needs no signature. */
  heldAutomatic: bigint
  heldCount: number
}

/**
 * The amount that live payments of the vault hold, and their number. Those that wait are in the
 * running total, and only the few that were sent are summed. A sent payment whose log the follower
 * has applied is already in the spent total and is not counted twice. After a restored backup a
 * waiting payment may have such a log too: it counts twice until the engine finds its proof.
 */
export async function findHeld(tx: Reader, { organizationId, vaultId }: VaultKey): Promise<Held> {
  const ofVault = sql`organization_id = ${organizationId} and vault_id = ${vaultId}`
  const [row] = await tx.query<Held>(sql`
    select coalesce(sum(amount), 0) as held, coalesce(sum(automatic), 0) as "heldAutomatic",
      coalesce(sum(payments), 0)::bigint as "heldCount"
    from (
      select amount, automatic, payments from vault_unsent_totals where ${ofVault}
      union all
      select amount, automatic, payments from vault_unsent_changes where ${ofVault}
      union all
      select s.amount, case when s.mode = 'automatic' then s.amount else 0 end, 1
      from (
        select p.mode, case when exists (
            select from vault_payments v where v.organization_id = p.organization_id
              and v.vault_id = p.vault_id and v.chain_payment_id = p.chain_payment_id)
          then 0 else p.amount end as amount
        from sent_payments p where ${ofVault}) s
    ) parts`)
  return row ?? { held: 0n, heldAutomatic: 0n, heldCount: 0 }
}

export type VerifiedVault = Pick<
  VaultRow,
  'organizationId' | 'chainId' | 'address' | 'deploymentTransactionHash'
>

/** Across all organizations, including archived vaults. Needs the observer's login. */
export const listVerifiedVaults = (reader: Reader): Promise<VerifiedVault[]> =>
  reader.query<VerifiedVault>(sql`
    select organization_id as "organizationId", chain_id as "chainId", address,
      deployment_transaction_hash as "deploymentTransactionHash"
    from vaults where state = 'verified' order by organization_id, id`)
