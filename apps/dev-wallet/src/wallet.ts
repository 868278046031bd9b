/**
 * A wallet for trying the application out with `npm start`. It announces itself as wallets in
 * browsers do (EIP-6963) and answers as they do (EIP-1193). Its key lies in the browser's storage,
 * so it is never part of a production build.
 */
import type { Hex, TypedDataDefinition } from 'viem'
import { rpc, WalletError } from './gateway.ts'
import { ownAccount } from './keys.ts'
import { confirm } from './panel.ts'
import { type Requested, send } from './transactions.ts'
import { messageWords, transactionWords, typedDataWords } from './words.ts'

type Request = { method: string; params?: readonly unknown[] | object }
type Listener = (value: unknown) => void

const ICON =
  'data:image/svg+xml;base64,' +
  btoa(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" ' +
      'rx="8" fill="#1f5fbf"/><path d="M8 11h16v12H8zM8 11l10-4v4M19 16h5v3h-5z" fill="none" ' +
      'stroke="#fff" stroke-width="2"/></svg>',
  )

const listeners = new Map<string, Set<Listener>>()

/** Remembered, as other wallets do: a page that is loaded again need not ask again. */
const CONNECTED = 'countersign-dev-wallet-connected'
const isConnected = (): boolean => localStorage.getItem(CONNECTED) === 'yes'
const connect = () => localStorage.setItem(CONNECTED, 'yes')

const emit = (event: string, value: unknown) => {
  for (const listener of listeners.get(event) ?? []) listener(value)
}

async function accounts(): Promise<Hex[]> {
  return [(await ownAccount()).address]
}

async function requireOwn(address: unknown) {
  const account = await ownAccount()
  if (String(address).toLowerCase() === account.address.toLowerCase()) return account
  throw new WalletError(4100, 'This wallet does not hold that address.')
}

async function signTypedData(address: unknown, data: unknown): Promise<Hex> {
  const account = await requireOwn(address)
  const typed = (typeof data === 'string' ? JSON.parse(data) : data) as TypedDataDefinition & {
    types: Record<string, unknown>
  }
  const { EIP712Domain: _domain, ...types } = typed.types
  await confirm(typedDataWords(typed as Parameters<typeof typedDataWords>[0]))
  return account.signTypedData({ ...typed, types } as TypedDataDefinition)
}

async function signMessage(message: unknown, address: unknown): Promise<Hex> {
  const account = await requireOwn(address)
  await confirm(messageWords(String(message)))
  const isBytes = /^0x[0-9a-f]*$/i.test(String(message))
  return account.signMessage({
    message: isBytes ? { raw: message as Hex } : String(message),
  })
}

async function sendTransaction(requested: Requested): Promise<Hex> {
  const account = await ownAccount()
  await confirm(transactionWords(requested))
  return send(account, requested)
}

/** There is one chain; asking for it is fine, asking for another is not. */
async function requireChain({ chainId }: { chainId?: string }): Promise<null> {
  const own = await rpc<string>('eth_chainId')
  if (Number(chainId) === Number(own)) return null
  throw new WalletError(4902, 'The development wallet knows the development chain only.')
}

type Handler = (...params: never[]) => Promise<unknown>

const handlers: Record<string, Handler> = {
  eth_requestAccounts: async () => {
    const found = await accounts()
    if (!isConnected()) emit('connect', { chainId: await rpc('eth_chainId') })
    connect()
    emit('accountsChanged', found)
    return found
  },
  eth_accounts: async () => (isConnected() ? accounts().catch(() => []) : []),
  eth_signTypedData_v4: signTypedData,
  personal_sign: signMessage,
  eth_sendTransaction: sendTransaction,
  wallet_switchEthereumChain: requireChain,
  wallet_addEthereumChain: requireChain,
  wallet_requestPermissions: async () => {
    await accounts()
    connect()
    return [{ parentCapability: 'eth_accounts' }]
  },
  wallet_getPermissions: async () => (isConnected() ? [{ parentCapability: 'eth_accounts' }] : []),
  wallet_revokePermissions: async () => {
    localStorage.removeItem(CONNECTED)
    return null
  },
}

/** Anything that signs or changes accounts is answered above or not at all. */
const READS = /^(?:eth_(?!sign|send(?!RawTransaction))|net_|web3_)/

const provider = {
  isCountersignDevelopmentWallet: true,
  async request({ method, params = [] }: Request): Promise<unknown> {
    const list = Array.isArray(params) ? params : [params]
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
    if (handler) return handler(...(list as never[]))
    if (READS.test(method)) return rpc(method, list)
    throw new WalletError(4200, `The development wallet does not support ${method}.`)
  },
  on(event: string, listener: Listener) {
    listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
    return provider
  },
  removeListener(event: string, listener: Listener) {
    listeners.get(event)?.delete(listener)
    return provider
  },
}

const detail = Object.freeze({
  info: Object.freeze({
    uuid: crypto.randomUUID(),
    name: 'Development wallet',
    icon: ICON,
    rdns: 'dev.countersign.wallet',
  }),
  provider,
})

const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))

window.addEventListener('eip6963:requestProvider', announce)
announce()
