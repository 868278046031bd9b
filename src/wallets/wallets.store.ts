import sql from 'sql-template-tag'
import type { Tx } from '#platform/database.ts'
import { checksummed, ZERO_ADDRESS } from '#platform/values.ts'
import type { LinkedWallet } from '#ports/identity-provider.ts'

export type Wallet = {
  id: string
  address: string
  kind: 'embedded' | 'external' | 'server'
  chainType: 'ethereum' | 'solana'
  /** Base58, for a wallet that has no EVM address. */
  nativeAddress?: string
}

type WalletRow = Omit<Wallet, 'nativeAddress' | 'address'> & {
  address: string | null
  nativeAddress: string | null
}

/** A Solana wallet shows the zero address where an EVM address must stand. */
const toWallet = ({ address, nativeAddress, ...row }: WalletRow): Wallet => ({
  ...row,
  address: address === null ? ZERO_ADDRESS : checksummed(address),
  ...(nativeAddress === null ? {} : { nativeAddress }),
})

export async function listAccountWallets(tx: Tx, accountId: string): Promise<Wallet[]> {
  const rows = await tx.query<WalletRow>(sql`
    select id, address, native_address as "nativeAddress", kind, chain_type as "chainType"
    from wallets where account_id = ${accountId} order by id`)
  return rows.map(toWallet)
}

export type OwnedWallet = { id: string; accountId: string; address: string | null }

export async function findAccountWallet(
  tx: Tx,
  { walletId, accountId }: { walletId: string; accountId: string },
): Promise<OwnedWallet | undefined> {
  const [wallet] = await tx.query<OwnedWallet>(sql`
    select id, account_id as "accountId", address
    from wallets where id = ${walletId} and account_id = ${accountId}`)
  return wallet
}

export type WalletInsertion = 'inserted' | 'already_own' | 'of_another_account'

/** The unique index decides between two accounts that bring the same wallet at once. */
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
      and (address = ${address} or native_address = ${nativeAddress})`)
  return own.length > 0 ? 'already_own' : 'of_another_account'
}
