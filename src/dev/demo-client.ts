/** The demo's client: it talks to the service over HTTP, as applications and wallets do. */
import { randomUUID } from 'node:crypto'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { StartupError } from '#platform/errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: the story reads answers whose shape the API declares
export type Body = any

export type Person = { name: string; token: string; accountId: string; wallets: Body[] }
export type DemoWallet = ReturnType<typeof makeWallet>
export type DemoService = { api: string; rpc: string; chainId: number; tokenAddress: Address }

const ANSWER_WITHIN_MS = 20_000
const POLL_EVERY_MS = 100
const TIMEOUT_MS = 45_000

type Headers = Record<string, string>
type Request = {
  token?: string
  headers?: Headers
  body?: string | Uint8Array<ArrayBuffer>
}

/** Throws what the service answered when it refused. */
async function send(
  method: string,
  url: string,
  { token, headers = {}, body }: Request,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  if (response.ok) return response
  const { error }: Body = await response.json()
  throw new StartupError(`${method} ${url}: ${error?.code}: ${error?.message}`)
}

async function call(
  method: string,
  url: string,
  { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Headers } = {},
): Promise<Body> {
  const response = await send(method, url, {
    ...(token && { token }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return response.json()
}

const freshKey = (): Headers => ({ 'idempotency-key': randomUUID() })

export const readAbout = (helper: string): Promise<DemoService> => call('GET', helper)

export const get = (url: string, { token }: Person): Promise<Body> => call('GET', url, { token })

export const put = (url: string, { token }: Person, body: unknown): Promise<Body> =>
  call('PUT', url, { token, body })

export const post = (url: string, { token }: Person, body?: unknown): Promise<Body> =>
  call('POST', url, { token, headers: freshKey(), ...(body !== undefined && { body }) })

export type DemoFile = { name: string; mediaType: string; bytes: Uint8Array<ArrayBuffer> }

export const upload = async (
  url: string,
  { token }: Person,
  { name, mediaType, bytes }: DemoFile,
): Promise<Body> => {
  const named = { 'content-type': mediaType, 'content-disposition': `attachment; filename=${name}` }
  const headers = { ...named, ...freshKey() }
  return (await send('POST', url, { token, headers, body: bytes })).json()
}

export const download = async (url: string, { token }: Person): Promise<string> =>
  (await send('GET', url, { token })).text()

/** Gets a token from the development identity provider and opens a session with it. */
export async function signIn(
  { helper, api }: { helper: string; api: string },
  { name, wallets = [] }: { name: string; wallets?: readonly DemoWallet[] },
): Promise<Person> {
  const subject = `${name} ${randomUUID()}`
  const linked = wallets.map(({ address }) => ({ address, kind: 'external' }))
  const issued = await call('POST', `${helper}/token`, {
    body: { realm: 'consumer', subject, wallets: linked },
  })
  const token = issued.accessToken
  const body = { identityToken: issued.identityToken }
  const session = await call('PUT', `${api}/v1/consumer/session`, { token, body })
  return { name, token, accountId: session.account.id, wallets: session.wallets }
}

export const fund = (
  helper: string,
  { address }: { address: string },
  gift: { native: string; token: string },
): Promise<Body> => call('POST', `${helper}/faucet`, { body: { address, ...gift } })

/** A wallet whose key exists only in this process; it talks to the chain over JSON-RPC. */
export function makeWallet({ rpc, chainId }: Pick<DemoService, 'rpc' | 'chainId'>) {
  const account = privateKeyToAccount(generatePrivateKey())
  const chain = defineChain({
    id: chainId,
    name: 'Countersign development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpc] } },
  })
  const transport = http(rpc)
  const wallet = createWalletClient({ account, chain, transport })
  const reader = createPublicClient({ chain, transport, pollingInterval: POLL_EVERY_MS })
  return {
    address: account.address,
    async send({ to, data, gas }: { to: string | null; data: string; gas: string }): Promise<Hex> {
      const target = to === null ? {} : { to: to as Address }
      const hash = await wallet.sendTransaction({ ...target, data: data as Hex, gas: BigInt(gas) })
      await reader.waitForTransactionReceipt({ hash })
      return hash
    },
    async call(input: Body): Promise<Hex> {
      const hash = await wallet.writeContract(input)
      await reader.waitForTransactionReceipt({ hash })
      return hash
    },
    read: (input: Body): Promise<Body> => reader.readContract(input),
    sign({ domain, types, primaryType, message }: Body): Promise<Hex> {
      const { EIP712Domain: _own, ...signed } = types
      return account.signTypedData({ domain, types: signed, primaryType, message })
    },
  }
}

/** Polls until the condition holds, as an application without a stream would. */
export async function until(
  read: () => Promise<Body>,
  isDone: (answer: Body) => boolean,
  what: string,
): Promise<Body> {
  const end = performance.now() + TIMEOUT_MS
  for (;;) {
    const answer = await read()
    if (isDone(answer)) return answer
    if (performance.now() > end) throw new StartupError(`Timed out waiting for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
  }
}
