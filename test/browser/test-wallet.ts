/**
 * A wallet for tests. It announces itself to pages as wallets in browsers do (EIP-6963). Its key
 * and its behaviour stay in the test, which may change them at any time.
 */
import type { BrowserContext, Page } from 'playwright-core'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  type EIP1193RequestFn,
  type Hex,
  http,
  numberToHex,
  type TypedDataDefinition,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

type WalletRequest = { method: string; params: readonly unknown[] }

export type TestWallet = {
  name: string
  /** What the pages asked, in order. */
  requests: WalletRequest[]
  /** Signs and sends. */
  key: Hex
  /** What it says when it is asked for its chain. */
  chainId: number
  /** To every request that a person would have to confirm. */
  answer: 'confirm' | 'reject' | 'hang'
  /** Signs what this makes of the typed data, and says nothing about it. */
  alter: (typedData: TypedDataDefinition) => TypedDataDefinition
  /** Answers of its own, by method, such as lies about the chain. */
  instead: Record<string, (params: readonly unknown[]) => unknown>
  address(): Hex
  /** As when the person changes the account or the chain in the wallet. */
  emit(page: Page, event: 'accountsChanged' | 'chainChanged', value: unknown): Promise<void>
}

export class WalletRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const ASK_THE_PERSON = new Set([
  'eth_requestAccounts',
  'eth_sendTransaction',
  'eth_signTypedData_v4',
  'personal_sign',
  'wallet_switchEthereumChain',
])

/** A string: tests are compiled without the types of a browser. */
const providerScript = (name: string, bridge: string): string => `(() => {
  const listeners = new Map()
  const provider = {
    async request({ method, params = [] }) {
      const { error, result } = await window.${bridge}({ method, params })
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener])
      return provider
    },
    removeListener(event, listener) {
      listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== listener))
      return provider
    },
  }
  window.addEventListener('${bridge}', ({ detail }) => {
    for (const listener of listeners.get(detail.event) ?? []) listener(detail.value)
  })
  const icon = 'data:image/svg+xml;base64,' + btoa('<svg xmlns="http://www.w3.org/2000/svg"/>')
  const [name, rdns] = ${JSON.stringify([name, `test.${bridge}`])}
  const info = { uuid: crypto.randomUUID(), name, icon, rdns }
  const detail = Object.freeze({ info: Object.freeze(info), provider })
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
})()`

type Chain = { rpc: string; chainId: number }

function honestAnswers(wallet: TestWallet, { rpc, chainId }: Chain) {
  const chain = defineChain({
    id: chainId,
    name: 'Development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpc] } },
  })
  const transport = http(rpc)
  const reader = createPublicClient({ chain, transport })
  const account = () => privateKeyToAccount(wallet.key)
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => numberToHex(wallet.chainId),
    eth_accounts: () => [account().address],
    eth_requestAccounts: () => [account().address],
    wallet_switchEthereumChain: ([wanted]) => {
      wallet.chainId = Number((wanted as { chainId: Hex }).chainId)
      return null
    },
    personal_sign: ([raw]) => account().signMessage({ message: { raw: raw as Hex } }),
    eth_signTypedData_v4: ([, json]) => {
      const { types, ...rest } = JSON.parse(json as string)
      const { EIP712Domain: _domain, ...own } = types
      return account().signTypedData(wallet.alter({ ...rest, types: own }))
    },
    eth_sendTransaction: ([asked]) => {
      const { to, data, value = '0x0' } = asked as { to?: Hex; data?: Hex; value?: Hex }
      const sender = createWalletClient({ account: account(), chain, transport })
      return sender.sendTransaction({
        ...(to && { to }),
        ...(data && { data }),
        value: BigInt(value),
      })
    },
  }
  return ({ method, params }: WalletRequest): unknown =>
    answers[method]?.(params) ?? (reader.request as EIP1193RequestFn)({ method, params } as never)
}

const errorOf = (error: unknown) => {
  const { code, message } = error as { code?: unknown; message?: string }
  return { code: typeof code === 'number' ? code : -32603, message: message ?? String(error) }
}

let announced = 0

/** For every page of the context that is opened from now on. */
export async function announceWallet(
  context: BrowserContext,
  {
    rpc,
    chainId,
    key = generatePrivateKey(),
    name = 'Test wallet',
  }: Chain & {
    key?: Hex
    name?: string
  },
): Promise<TestWallet> {
  announced += 1
  const bridge = `testWallet${announced}`
  const wallet: TestWallet = {
    name,
    requests: [],
    key,
    chainId,
    answer: 'confirm',
    alter: (typedData) => typedData,
    instead: {},
    address: () => privateKeyToAccount(wallet.key).address,
    emit: (page, event, value) => {
      const init = JSON.stringify({ detail: { event, value } })
      return page.evaluate(`window.dispatchEvent(new CustomEvent('${bridge}', ${init}))`)
    },
  }
  const honest = honestAnswers(wallet, { rpc, chainId })
  const respond = async (request: WalletRequest): Promise<unknown> => {
    wallet.requests.push(request)
    if (ASK_THE_PERSON.has(request.method)) {
      if (wallet.answer === 'hang') return new Promise(() => {})
      if (wallet.answer === 'reject') throw new WalletRefusal(4001, 'The person said no.')
    }
    const instead = wallet.instead[request.method]
    return instead ? instead(request.params) : honest(request)
  }
  await context.exposeFunction(bridge, (request: WalletRequest) =>
    respond(request).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: errorOf(error) }),
    ),
  )
  await context.addInitScript({ content: providerScript(name, bridge) })
  return wallet
}
