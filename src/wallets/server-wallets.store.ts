/** SQL for server wallets: creation, leases and provider references. */
import sql, { empty } from 'sql-template-tag'
import type { WalletProviderType } from '#platform/config/providers.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { WalletChain } from '#ports/wallet-provider.ts'
import type { WalletState } from './wallet.machine.ts'

export type ServerWallet = {
  id: string
  accountId: string
  /** The organization it was created for; null when it serves only its account. */
  organizationId: string | null
  chainType: WalletChain
  provider: WalletProviderType
  state: WalletState
  fingerprint: Buffer
  attempts: number
  /** A worker is asking the provider for it now. */
  isTaken: boolean
}

const columns = sql`
  id, account_id as "accountId", for_organization_id as "organizationId",
  chain_type as "chainType", provider, state, fingerprint, attempts,
  coalesce(lease_until > now(), false) as "isTaken"`

export type NewServerWallet = Pick<
  ServerWallet,
  'id' | 'accountId' | 'organizationId' | 'chainType' | 'provider' | 'fingerprint'
> & { purpose: string; environment: string; idempotencyKey: string; at: Date }

/** False when the key was used before. Waits for an uncommitted insert with the same key. */
export async function insertServerWallet(tx: Tx, row: NewServerWallet): Promise<boolean> {
  const inserted = await tx.query(sql`
    insert into wallets (id, account_id, for_organization_id, kind, chain_type, state, purpose,
      creation_environment, provider, idempotency_key, fingerprint, created_at)
    values (${row.id}, ${row.accountId}, ${row.organizationId}, 'server', ${row.chainType},
      'provisioning', ${row.purpose}, ${row.environment}, ${row.provider},
      ${row.idempotencyKey}, ${row.fingerprint}, ${row.at})
    on conflict (account_id, idempotency_key) where state <> 'failed' do nothing returning id`)
  return inserted.length > 0
}

export async function lockServerWalletByKey(
  tx: Tx,
  { accountId, idempotencyKey }: { accountId: string; idempotencyKey: string },
): Promise<ServerWallet | undefined> {
  const [row] = await tx.query<ServerWallet>(sql`
    select ${columns} from wallets
    where account_id = ${accountId} and idempotency_key = ${idempotencyKey}
      and state <> 'failed' for update`)
  return row
}

type Owner = { accountId: string; organizationId: string | null }

/** Held until commit, account lock first, so that concurrent requests are counted one by one. */
export function lockWalletQuotas(tx: Tx, { accountId, organizationId }: Owner): void {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 10))`)
  if (organizationId === null) return
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 10))`)
}

/**
 * Excludes failed wallets. Row-level security hides other accounts' unfinished wallets, so a
 * function counts those of the organization.
 */
export async function countServerWallets(
  tx: Tx,
  { accountId, organizationId }: Owner,
): Promise<{ ofAccount: number; ofOrganization: number }> {
  const [row] = await tx.query<{ ofAccount: number; ofOrganization: number }>(sql`
    select count(*) as "ofAccount", count_server_wallets(${organizationId}) as "ofOrganization"
    from wallets
    where account_id = ${accountId} and kind = 'server' and state <> 'failed'`)
  return row ?? { ofAccount: 0, ofOrganization: 0 }
}

type WalletKey = { walletId: string; accountId: string }

export async function lockServerWallet(
  tx: Tx,
  { walletId, accountId }: WalletKey,
): Promise<ServerWallet | undefined> {
  const [row] = await tx.query<ServerWallet>(sql`
    select ${columns} from wallets
    where id = ${walletId} and account_id = ${accountId} and kind = 'server' for update`)
  return row
}

/** Longer than any provider call may take. */
const LEASE_SECONDS = 15

export function leaseServerWallet(tx: Tx, { id, accountId }: ServerWallet): void {
  tx.write(sql`
    update wallets set attempts = attempts + 1,
      lease_until = now() + make_interval(secs => ${LEASE_SECONDS}::double precision)
    where id = ${id} and account_id = ${accountId}`)
}

export function releaseServerWallet(tx: Tx, { id, accountId }: ServerWallet): void {
  tx.write(sql`
    update wallets set lease_until = null where id = ${id} and account_id = ${accountId}`)
}

export type ProvisionedWallet = {
  address: string | null
  nativeAddress: string | null
  reference: Uint8Array
}

/** `made` is given when the wallet becomes active. */
export function updateWalletState(
  tx: Tx,
  move: {
    walletId: string
    accountId: string
    from: WalletState
    to: WalletState
    made?: ProvisionedWallet
  },
): void {
  const { made } = move
  // Only workers may write these columns.
  const keys = made
    ? sql`, address = ${made.address}, native_address = ${made.nativeAddress},
        provider_reference = ${made.reference}`
    : empty
  tx.write(sql`
    update wallets set state = ${move.to}, lease_until = null ${keys}
    where id = ${move.walletId} and account_id = ${move.accountId} and state = ${move.from}`)
}

/** Needs the database owner's login. For the command line. */
export async function findServerWalletAccount(
  tx: Tx,
  walletId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ accountId: string }>(sql`
    select account_id as "accountId" from wallets where id = ${walletId} and kind = 'server'`)
  return row?.accountId
}

export type SealedWallet = { id: string; address: string }

const BATCH_SIZE = 100

/** Needs the database owner's login. Lists wallets of the local keystore, one batch at a time. */
export async function listSealedWallets(
  db: Pick<Db, 'query'>,
  afterId: string,
): Promise<SealedWallet[]> {
  return db.query<SealedWallet>(sql`
    select id, coalesce(address, native_address) as address from wallets
    where provider = 'local' and provider_reference is not null and id > ${afterId}
    order by id limit ${BATCH_SIZE}`)
}

export async function lockWalletReference(tx: Tx, id: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ reference: Buffer }>(sql`
    select provider_reference as reference from wallets where id = ${id} for update`)
  return row?.reference
}

export function updateWalletReference(
  tx: Tx,
  { id, reference }: { id: string; reference: Uint8Array },
): void {
  tx.write(sql`update wallets set provider_reference = ${reference} where id = ${id}`)
}
