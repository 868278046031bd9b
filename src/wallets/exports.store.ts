/** SQL for export requests and for the failure count and lock of their wallets. */
import sql from 'sql-template-tag'
import type { Realm } from '#platform/config/config.ts'
import type { WalletProviderType } from '#platform/config/providers.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { WalletExport } from '#ports/wallet-provider.ts'
import type { WalletState } from './wallet.machine.ts'
import type { ExportState } from './wallet-export.machine.ts'

type WalletKey = { walletId: string; accountId: string }

/** A wallet of the account, active or disabled, with the data that an export needs. */
export type ExportableWallet = Omit<WalletExport, 'requestId' | 'expiresAt' | 'reference'> & {
  accountId: string
  organizationId: string | null
  state: WalletState
  /** Null for a linked wallet. */
  provider: WalletProviderType | null
  reference: Buffer
  failures: number
  lockedUntil: string | null
}

const walletColumns = sql`
  id as "walletId", account_id as "accountId", for_organization_id as "organizationId",
  chain_type as "chainType", coalesce(address, native_address) as address, state, provider,
  provider_reference as reference, export_failures as failures,
  export_locked_until as "lockedUntil"`

/** Every export command locks the wallet first. */
export async function lockExportableWallet(
  tx: Tx,
  { walletId, accountId }: WalletKey,
): Promise<ExportableWallet | undefined> {
  const [row] = await tx.query<ExportableWallet>(sql`
    select ${walletColumns} from wallets
    where id = ${walletId} and account_id = ${accountId} and state in ('active', 'disabled')
    for update`)
  return row
}

export function updateExportTries(
  tx: Tx,
  tries: WalletKey & { failures: number; lockedUntil: Date | null },
): void {
  tx.write(sql`
    update wallets set export_failures = ${tries.failures},
      export_locked_until = ${tries.lockedUntil}
    where id = ${tries.walletId} and account_id = ${tries.accountId}`)
}

export type HolderIdentity = { realm: Realm; issuer: string; subject: string }

/** The identity of an active account; undefined when it is missing or disabled. */
export async function findHolderIdentity(
  db: Pick<Db, 'query'>,
  accountId: string,
): Promise<HolderIdentity | undefined> {
  const [row] = await db.query<HolderIdentity>(sql`
    select realm, issuer, subject from accounts where id = ${accountId} and status = 'active'`)
  return row
}

export type ExportRequest = {
  id: string
  accountId: string
  walletId: string
  state: ExportState
  recipientKeyHash: Buffer
  expiresAt: string
}

const columns = sql`
  id, account_id as "accountId", wallet_id as "walletId", state,
  recipient_key_hash as "recipientKeyHash", expires_at as "expiresAt"`

/** Serialises the export requests of an account, so that they can be counted. */
export function lockExportsOf(tx: Tx, accountId: string): void {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 7))`)
}

/** Creation times of the account's requests since then, oldest first. */
export async function listExportTimes(
  tx: Tx,
  { accountId, since }: { accountId: string; since: Date },
): Promise<string[]> {
  const rows = await tx.query<{ createdAt: string }>(sql`
    select created_at as "createdAt" from wallet_exports
    where account_id = ${accountId} and created_at > ${since} order by created_at`)
  return rows.map(({ createdAt }) => createdAt)
}

export function insertExport(
  tx: Tx,
  row: {
    id: string
    accountId: string
    walletId: string
    recipientKeyHash: Buffer
    expiresAt: Date
    at: Date
  },
): void {
  tx.write(sql`
    insert into wallet_exports (id, account_id, wallet_id, state, recipient_key_hash, expires_at,
      created_at, updated_at)
    values (${row.id}, ${row.accountId}, ${row.walletId}, 'pending', ${row.recipientKeyHash},
      ${row.expiresAt}, ${row.at}, ${row.at})`)
}

export async function findExport(
  tx: Tx,
  { requestId, accountId }: { requestId: string; accountId: string },
): Promise<ExportRequest | undefined> {
  const [row] = await tx.query<ExportRequest>(sql`
    select ${columns} from wallet_exports where id = ${requestId} and account_id = ${accountId}`)
  return row
}

/** The caller must hold the lock of the wallet. */
export async function findPendingExport(
  tx: Tx,
  { walletId, accountId }: WalletKey,
): Promise<ExportRequest | undefined> {
  const [row] = await tx.query<ExportRequest>(sql`
    select ${columns} from wallet_exports
    where wallet_id = ${walletId} and account_id = ${accountId} and state = 'pending'`)
  return row
}

export function updateExportState(
  tx: Tx,
  move: { request: ExportRequest; to: ExportState; at: Date },
): void {
  const { request } = move
  tx.write(sql`
    update wallet_exports set state = ${move.to}, updated_at = ${move.at}
    where id = ${request.id} and account_id = ${request.accountId} and state = ${request.state}`)
}
