/** The demo's people and wallets, over HTTP and JSON-RPC, as applications and wallets are. */
import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@countersign/client/client.ts'
import type { Failure } from '@countersign/client/errors.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { Result } from '@countersign/client/result.ts'
import { systemTimers } from '@countersign/client/timers.ts'
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { systemClock } from '#platform/clock.ts'
import { StartupError } from '#platform/errors.ts'

export type Person = {
  client: Client
  accountId: string
  wallets: DataOf<'openSession'>['wallets']
}
export type DemoWallet = ReturnType<typeof makeWallet>
export type DemoService = { api: string; rpc: string; chainId: number; tokenAddress: Address }
export type DemoFile = {
  name: string
  mediaType: 'application/pdf' | 'image/png'
  bytes: Uint8Array<ArrayBuffer>
}

const ANSWER_WITHIN_MS = 20_000
const POLL_EVERY_MS = 100
const TIMEOUT_MS = 45_000
const RENEW_AFTER_MS = 45 * 60_000

/** What a call or a signature came to. */
export type Outcome<Data> = { ok: true; data: Data } | { ok: false; failure: Failure }

/** The data of a call. The demo ends with what the service answered when it refused. */
export function must<Data>(result: Outcome<Data>): Data {
  if (result.ok) return result.data
  const { code, message } = result.failure
  throw new StartupError(`${code}: ${message}`)
}

/** The development helper is no part of the API, so the client does not know it. */
async function askHelper<Answer>(url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new StartupError(`${url}: ${text}`)
  return JSON.parse(text)
}

export const readAbout = (helper: string): Promise<DemoService> => askHelper(helper)

/** `now` is the time of the service, if that is not the present. */
type Places = { helper: string; api: string; now?: () => Date }

/** The client gets a new token when its own has expired. */
async function getTokens(places: Places, claims: Record<string, unknown>) {
  const { helper, api, now = () => systemClock.now() } = places
  const issue = async () => ({
    ...(await askHelper<{ accessToken: string; identityToken: string }>(`${helper}/token`, claims)),
    renewAt: now().getTime() + RENEW_AFTER_MS,
  })
  let issued = await issue()
  const { identityToken } = issued
  const token = async () => {
    if (now().getTime() >= issued.renewAt) issued = await issue()
    return issued.accessToken
  }
  const timers = { ...systemTimers, now: () => now().getTime() }
  return { client: createClient({ baseUrl: api, token, timers }), body: { identityToken } }
}

/** Gets a token from the development identity provider and opens a session with it. */
export async function openSessionAs(
  places: Places,
  claims: { subject: string; name?: string; email?: string; wallets?: readonly unknown[] },
): Promise<Person> {
  const { client, body } = await getTokens(places, { realm: 'consumer', ...claims })
  const session = must(await client.call('openSession', { body }))
  return { client, accountId: session.account.id, wallets: session.wallets }
}

export async function openOperatorSession(places: Places, subject: string): Promise<Client> {
  const { client, body } = await getTokens(places, { realm: 'admin', subject })
  must(await client.call('openAdminSession', { body }))
  return client
}

/** Somebody new, whose wallets the identity provider knows. */
export const signIn = (
  places: Places,
  { name, wallets = [] }: { name: string; wallets?: readonly DemoWallet[] },
): Promise<Person> =>
  openSessionAs(places, {
    subject: `${name} ${randomUUID()}`,
    wallets: wallets.map(({ address }) => ({ address, kind: 'external' })),
  })

export const fund = (
  helper: string,
  { address }: { address: string },
  gift: { native: string; token: string },
): Promise<unknown> => askHelper(`${helper}/faucet`, { address, ...gift })

/** A wallet that talks to the chain over JSON-RPC. Its key stays in this process unless given. */
export function makeWallet(
  { rpc, chainId }: Pick<DemoService, 'rpc' | 'chainId'>,
  key: Hex = generatePrivateKey(),
) {
  const account = privateKeyToAccount(key)
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
    async call(input: { address: Address; abi: Abi; functionName: string; args: unknown[] }) {
      const hash = await wallet.writeContract(input)
      await reader.waitForTransactionReceipt({ hash })
    },
    read: reader.readContract,
    sign: account.signTypedData,
    signMessage: (message: string) => account.signMessage({ message }),
  }
}

/** Polls until the condition holds, as an application without a stream would. */
export async function until<Answer>(
  read: () => Promise<Result<Answer>>,
  isDone: (answer: Answer) => boolean,
  what: string,
): Promise<Answer> {
  const end = performance.now() + TIMEOUT_MS
  for (;;) {
    const answer = must(await read())
    if (isDone(answer)) return answer
    if (performance.now() > end) throw new StartupError(`Timed out waiting for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
  }
}
