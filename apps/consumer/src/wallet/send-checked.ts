/** Hands a transaction to a wallet that was decoded and checked in this page, and no other. */
import type { DecodedTransaction } from '@countersign/proof/owner-call.ts'
import type { Address, Hex } from 'viem'
import {
  type AnnouncedWallet,
  type ChainFacts,
  chainOf,
  sendTransaction,
  shownAccounts,
  switchChain,
  type WalletResult,
} from './wallets.ts'

export async function sendChecked(
  wallet: AnnouncedWallet,
  { account, chain, decoded }: { account: Address; chain: ChainFacts; decoded: DecodedTransaction },
): Promise<WalletResult<Hex>> {
  const switched = await switchChain(wallet, chain)
  if (!switched.ok) return switched
  // A wallet may say that it switched and not do it: the transaction would go to another chain.
  const now = await chainOf(wallet)
  if (!now.ok) return now
  if (now.value !== chain.id || decoded.transaction.chainId !== chain.id) {
    return { ok: false, problem: 'wrong_chain', message: `The wallet is on chain ${now.value}.` }
  }
  const accounts = await shownAccounts(wallet)
  if (!accounts.includes(account)) {
    return { ok: false, problem: 'lost', message: 'The account is not connected any more.' }
  }
  const { to, data, value } = decoded.transaction
  return sendTransaction(wallet, account, { to, data, value })
}
