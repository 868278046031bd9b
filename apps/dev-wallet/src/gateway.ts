/** The gateway's development routes: the chain, the faucet, and who is signed in. */
const headers = { 'content-type': 'application/json', 'x-countersign': '1' }

/** An error as EIP-1193 defines it. */
export class WalletError extends Error {
  override readonly name = 'ProviderRpcError'
  readonly code: number
  readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

let lastId = 0

export async function rpc<T = unknown>(
  method: string,
  params: readonly unknown[] = [],
): Promise<T> {
  lastId += 1
  const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })
  const response = await fetch('/dev/rpc', { method: 'POST', headers, body })
  const answer = await response.json()
  if (answer.error === undefined) return answer.result
  const { code = -32603, message = 'The chain does not answer.', data } = answer.error
  throw new WalletError(typeof code === 'number' ? code : -32603, message, data)
}

/** Undefined if nobody is signed in. */
export async function accountId(): Promise<string | undefined> {
  const response = await fetch('/session', { headers: { accept: 'application/json' } })
  return (await response.json()).accountId
}

/** The key of a person of the demo organization; null for everybody else. */
export async function demoKey(): Promise<`0x${string}` | null> {
  const response = await fetch('/dev/wallet-key', { headers })
  return response.ok ? (await response.json()).privateKey : null
}

const GAS_WEI = 10n ** 18n
/** Test coins have six decimals. */
const COINS = 10_000n * 10n ** 6n

export async function askFaucet(address: string): Promise<void> {
  const body = JSON.stringify({ address, native: String(GAS_WEI), token: String(COINS) })
  const response = await fetch('/dev/faucet', { method: 'POST', headers, body })
  if (!response.ok) throw new WalletError(-32603, 'The faucet did not answer.')
}
