/**
 * Wallets that announce themselves (EIP-6963), and the four things the page asks of them. Reads that
 * protect the person go through the wallet's own connection to the chain, never through the gateway:
 * a gateway that lies about a payment would lie about the chain as well.
 */
import { createStore, type EIP6963ProviderDetail } from 'mipd'
import { useSyncExternalStore } from 'react'
import { type Address, getAddress, type Hex, numberToHex } from 'viem'

export type AnnouncedWallet = EIP6963ProviderDetail
type Provider = AnnouncedWallet['provider']

const store = createStore()

export const useAnnouncedWallets = (): readonly AnnouncedWallet[] =>
  useSyncExternalStore(store.subscribe, store.getProviders)

/** What can go wrong with a wallet, as a person has to know it. */
export type WalletProblem =
  /** The person said no in the wallet. Nothing happened. */
  | 'rejected'
  /** The wallet shows a request already. */
  | 'busy'
  | 'wrong_chain'
  /** The connection to the wallet or its chain is gone. */
  | 'lost'
  | 'failed'

export type WalletResult<Value> =
  | { ok: true; value: Value }
  | { ok: false; problem: WalletProblem; message: string }

const PROBLEMS: Record<number, WalletProblem> = {
  4001: 'rejected',
  [-32002]: 'busy',
  4900: 'lost',
  4901: 'wrong_chain',
  4902: 'wrong_chain',
}

/** Reads need nobody's consent. A wallet that is silent for this long is not there. */
const READ_WITHIN_MS = 20_000
const READS = new Set(['eth_accounts', 'eth_call', 'eth_chainId', 'eth_getCode'])
const SILENT = { code: 4900, message: 'The wallet does not answer.' }

/** What waits for the person has no limit. */
function inTime(method: string, answer: Promise<unknown>): Promise<unknown> {
  if (!READS.has(method)) return answer
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(SILENT), READ_WITHIN_MS)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

type RpcError = { code?: number; message?: string }

async function ask<Value>(
  provider: Provider,
  method: string,
  params: unknown[] = [],
): Promise<WalletResult<Value>> {
  try {
    const request = provider.request as (asked: {
      method: string
      params: unknown[]
    }) => Promise<unknown>
    return { ok: true, value: (await inTime(method, request({ method, params }))) as Value }
  } catch (error) {
    const { code, message } = error as RpcError
    return {
      ok: false,
      problem: PROBLEMS[code ?? 0] ?? 'failed',
      message: message ?? String(error),
    }
  }
}

/** Asks the person, in the wallet, to show its accounts. The first is the one that signs. */
export async function connect({ provider }: AnnouncedWallet): Promise<WalletResult<Address[]>> {
  const accounts = await ask<string[]>(provider, 'eth_requestAccounts')
  return accounts.ok
    ? { ok: true, value: accounts.value.map((account) => getAddress(account)) }
    : accounts
}

/** Accounts that the person has shown before. Asks nothing. */
export async function shownAccounts({ provider }: AnnouncedWallet): Promise<Address[]> {
  const accounts = await ask<string[]>(provider, 'eth_accounts')
  return accounts.ok ? accounts.value.map((account) => getAddress(account)) : []
}

export type ChainFacts = { id: number; name: string }

/**
 * A chain that the wallet does not know is not added from here: its address would come from the
 * service, and then the service would answer the wallet's reads.
 */
export async function switchChain(
  { provider }: AnnouncedWallet,
  chain: ChainFacts,
): Promise<WalletResult<null>> {
  const now = await ask<string>(provider, 'eth_chainId')
  if (now.ok && BigInt(now.value) === BigInt(chain.id)) return { ok: true, value: null }
  return ask<null>(provider, 'wallet_switchEthereumChain', [{ chainId: numberToHex(chain.id) }])
}

/** `typedData` as the client computed it, not as the service sent it. */
export const signTypedData = (
  { provider }: AnnouncedWallet,
  account: Address,
  typedData: object,
): Promise<WalletResult<Hex>> =>
  ask<Hex>(provider, 'eth_signTypedData_v4', [
    account,
    JSON.stringify(typedData, (_key, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    ),
  ])

export const signMessage = (
  { provider }: AnnouncedWallet,
  account: Address,
  message: Hex,
): Promise<WalletResult<Hex>> => ask<Hex>(provider, 'personal_sign', [message, account])

export type Transaction = { to?: Address | null; data: Hex; value?: bigint }

export const sendTransaction = (
  { provider }: AnnouncedWallet,
  from: Address,
  { to, data, value = 0n }: Transaction,
): Promise<WalletResult<Hex>> =>
  ask<Hex>(provider, 'eth_sendTransaction', [
    { from, ...(to && { to }), data, value: numberToHex(value) },
  ])

/** A read of the chain by the wallet. */
export const callThroughWallet = (
  { provider }: AnnouncedWallet,
  to: Address,
  data: Hex,
): Promise<WalletResult<Hex>> => ask<Hex>(provider, 'eth_call', [{ to, data }, 'latest'])

export const receiptThroughWallet = ({ provider }: AnnouncedWallet, hash: Hex) =>
  ask<{ status: Hex; blockNumber: Hex } | null>(provider, 'eth_getTransactionReceipt', [hash])

/** The code at an address, as the wallet's node has it; `0x` if there is none. */
export const codeThroughWallet = (
  { provider }: AnnouncedWallet,
  address: Address,
): Promise<WalletResult<Hex>> => ask<Hex>(provider, 'eth_getCode', [address, 'latest'])

/** Which chain the wallet would send on now. */
export async function chainOf({ provider }: AnnouncedWallet): Promise<WalletResult<number>> {
  const id = await ask<string>(provider, 'eth_chainId')
  return id.ok ? { ok: true, value: Number(id.value) } : id
}
