/** SQL for wallets as their holders and other modules see them: only active and disabled ones. */
import { checksummed, ZERO_ADDRESS } from '@countersign/proof/values.ts'
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import type { LinkedWallet } from '#ports/identity-provider.ts'
import type { WalletChain } from '#ports/wallet-provider.ts'

export type Wallet = {
  id: string
  address: string
  kind: 'embedded' | 'external' | 'server'
  chainType: WalletChain
  /** Base58, for a wallet that has no EVM address. */
  nativeAddress?: string
  /** The next four are set only for server wallets. */
  purpose?: string
  creationEnvironment?: string
  lifecycleStatus?: 'active' | 'disabled'
  customExportAvailable?: boolean
}

type WalletRow = Pick<Wallet, 'id' | 'kind' | 'chainType'> & {
  address: string | null
  nativeAddress: string | null
  state: 'active' | 'disabled'
  purpose: string | null
  creationEnvironment: string | null
}

const columns = sql`
  id, address, native_address as "nativeAddress", kind, chain_type as "chainType", state, purpose,
  creation_environment as "creationEnvironment"`

/** The contract requires an EVM address, so a Solana wallet shows the zero address. */
const toWallet = (row: WalletRow): Wallet => ({
  id: row.id,
  kind: row.kind,
  chainType: row.chainType,
  address: row.address === null ? ZERO_ADDRESS : checksummed(row.address),
  ...(row.nativeAddress === null ? {} : { nativeAddress: row.nativeAddress }),
  ...(row.kind === 'server' && {
    purpose: row.purpose ?? '',
    creationEnvironment: row.creationEnvironment ?? '',
    lifecycleStatus: row.state,
    customExportAvailable: row.state === 'active',
  }),
})

export async function listAccountWallets(tx: Reader, accountId: string): Promise<Wallet[]> {
  const rows = await tx.query<WalletRow>(sql`
    select ${columns} from wallets
    where account_id = ${accountId} and state in ('active', 'disabled') order by id`)
  return rows.map(toWallet)
}

/** Newest first. */
export async function listWalletPage(
  tx: Reader,
  { accountId, page }: { accountId: string; page: Page },
): Promise<Wallet[]> {
  const rows = await tx.query<WalletRow>(sql`
    select ${columns} from wallets
    where account_id = ${accountId} and state in ('active', 'disabled') and id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)
  return rows.map(toWallet)
}

type WalletKey = { walletId: string; accountId: string }

/** The wallet as its creation was first answered: active, even if it was disabled since. */
export async function findCreatedWallet(
  tx: Reader,
  { walletId, accountId }: WalletKey,
): Promise<Wallet | undefined> {
  const [row] = await tx.query<WalletRow>(sql`
    select ${columns} from wallets
    where id = ${walletId} and account_id = ${accountId} and state in ('active', 'disabled')`)
  return row && toWallet({ ...row, state: 'active' })
}

export type OwnedWallet = {
  id: string
  accountId: string
  kind: Wallet['kind']
  address: string | null
  /** The organization that a server wallet was created for; null for all other wallets. */
  organizationId: string | null
}

/** Active wallets only. It stays linked until the transaction ends. */
export async function lockAccountWallet(
  tx: Tx,
  { walletId, accountId }: WalletKey,
): Promise<OwnedWallet | undefined> {
  const [wallet] = await tx.query<OwnedWallet>(sql`
    select id, account_id as "accountId", kind, address, for_organization_id as "organizationId"
    from wallets where id = ${walletId} and account_id = ${accountId} and state = 'active'
    for share`)
  return wallet
}

/** The given lower-case addresses that are server wallets of any account. */
export async function listServerWalletsAmong(
  tx: Reader,
  addresses: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ address: string }>(sql`
    select address from server_wallets_among(${addresses}::text[]) as address order by 1`)
  return rows.map(({ address }) => address)
}

/** A wallet of the account that is not unlinked. */
export async function findLinkedWallet(
  tx: Tx,
  { accountId, address }: { accountId: string; address: string },
): Promise<Wallet | undefined> {
  const [row] = await tx.query<WalletRow>(sql`
    select ${columns} from wallets
    where account_id = ${accountId} and address = ${address} and state in ('active', 'disabled')`)
  return row && toWallet(row)
}

/** Locks against a role that is assigned at the same time. */
export async function lockOwnWallet(
  tx: Tx,
  { walletId, accountId }: WalletKey,
): Promise<{ wallet: Wallet; state: WalletRow['state'] } | undefined> {
  const [row] = await tx.query<WalletRow>(sql`
    select ${columns} from wallets
    where id = ${walletId} and account_id = ${accountId} and state in ('active', 'disabled')
    for update`)
  return row && { wallet: toWallet(row), state: row.state }
}

/** An active role in any organization. */
export async function findHasRole(tx: Tx, walletId: string): Promise<boolean> {
  const [row] = await tx.query<{ hasRole: boolean }>(sql`
    select wallet_has_role(${walletId}) as "hasRole"`)
  return row?.hasRole ?? false
}

/** Of wallets that are not server wallets; EVM addresses are in lower case. */
export type LinkedAddresses = { active: Set<string>; unlinked: Set<string> }

/** Until the commit no other transaction links a wallet to the account. */
export async function lockLinkedAddresses(tx: Tx, accountId: string): Promise<LinkedAddresses> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 45))`)
  const rows = await tx.query<{ address: string; state: 'active' | 'unlinked' }>(sql`
    select coalesce(address, native_address) as address, state from wallets
    where account_id = ${accountId} and kind <> 'server' and state in ('active', 'unlinked')`)
  const addressesIn = (wanted: string) =>
    new Set(rows.filter(({ state }) => state === wanted).map(({ address }) => address))
  return { active: addressesIn('active'), unlinked: addressesIn('unlinked') }
}

export type WalletInsertion = 'inserted' | 'already_own' | 'of_another_account'

/** The unique index decides when two accounts link the same wallet at once. */
export async function insertLinkedWallet(
  tx: Tx,
  { id, accountId, wallet, at }: { id: string; accountId: string; wallet: LinkedWallet; at: Date },
): Promise<WalletInsertion> {
  const address = wallet.chainType === 'ethereum' ? wallet.address : null
  const nativeAddress = wallet.chainType === 'solana' ? wallet.nativeAddress : null
  const inserted = await tx.query(sql`
    insert into wallets (id, account_id, kind, chain_type, address, native_address, created_at)
    values (${id}, ${accountId}, ${wallet.kind}, ${wallet.chainType}, ${address}, ${nativeAddress},
      ${at})
    on conflict do nothing returning id`)
  if (inserted.length > 0) return 'inserted'
  const own = await tx.query(sql`
    select id from wallets
    where account_id = ${accountId}
      and (address = ${address} or native_address = ${nativeAddress}) and state <> 'unlinked'`)
  return own.length > 0 ? 'already_own' : 'of_another_account'
}
