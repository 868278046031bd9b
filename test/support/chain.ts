/** A real EVM for a test file, with the test USDC and wallets that the service never sees. */
import { EventEmitter } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  custom,
  type Hex,
  keccak256,
  numberToHex,
  type PublicClient,
  parseAbi,
  RpcRequestError,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { RpcError } from '#dev/chain-engine.ts'
import { startDevChain } from '#dev/dev-chain.ts'
import { systemClock } from '#platform/clock.ts'
import type { Environment } from '#platform/config/config.ts'
import type { PreparedTransaction } from '#ports/chain.ts'

export const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
])

type Sendable = Pick<PreparedTransaction, 'to' | 'data' | 'gas'>

export type TestWallet = {
  account: PrivateKeyAccount
  address: Address
  /** Sends a prepared transaction unchanged; resolves with its hash, mined or not. */
  send(transaction: Sendable, more?: { wei?: bigint; nonce?: number }): Promise<Hex>
  call(input: {
    address: Address
    abi: typeof tokenAbi | typeof vaultAbi
    functionName: string
    args: readonly unknown[]
  }): Promise<Hex>
}

export type TestChain = {
  rpcUrl: string
  tokenAddress: Address
  client: PublicClient
  /** For `startTestApp({ env })`. */
  env: Environment
  wallet(gift?: { wei?: bigint; baseUnits?: bigint }): Promise<TestWallet>
  request(method: string, ...params: unknown[]): Promise<unknown>
  mined(hash: Hex): Promise<'success' | 'reverted'>
  /** Calls the listener after each change of the head. */
  onHead(listener: () => void): void
  stop(): Promise<void>
}

const toSend = ({ to, data, gas }: Sendable) => ({
  ...(to === null ? {} : { to: to as Address }),
  data: data as Hex,
  gas: BigInt(gas),
})

/** Signed and held back: its hash is known before any node has seen it. */
export async function hold(
  { client }: Pick<TestChain, 'client'>,
  { account }: TestWallet,
  transaction: Sendable,
): Promise<{ hash: Hex; broadcast(): Promise<void> }> {
  const { chain } = client
  const request = await client.prepareTransactionRequest({ account, chain, ...toSend(transaction) })
  const serializedTransaction = await account.signTransaction(request as never)
  return {
    hash: keccak256(serializedTransaction),
    async broadcast() {
      await client.sendRawTransaction({ serializedTransaction })
    },
  }
}

export async function startTestChain({ mineAfterMs = 5 } = {}): Promise<TestChain> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chain-'))
  const heads = new EventEmitter()
  const chain = await startDevChain({
    folder,
    port: 0,
    clock: systemClock,
    allowTestMethods: true,
    mineAfterMs,
    // Nobody then waits for the time of a block to come.
    aheadLimitSeconds: 0,
    onHead: () => heads.emit('head'),
  })
  const definition = {
    id: 31_337,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [chain.rpcUrl] } },
  }
  // In this process: HTTP takes as long as the chain itself. Errors are those that HTTP would give.
  const transport = custom(
    {
      request: (asked) =>
        chain.request(asked).catch((error) => {
          if (!(error instanceof RpcError)) throw error
          throw new RpcRequestError({ body: asked, error, url: chain.rpcUrl })
        }),
    },
    { retryCount: 0 },
  )
  const client = createPublicClient({ chain: definition, transport, pollingInterval: 20 })

  const request: TestChain['request'] = (method, ...params) =>
    client.request({ method, params } as never)

  return {
    rpcUrl: chain.rpcUrl,
    tokenAddress: chain.tokenAddress,
    client: client as PublicClient,
    env: { RPC_URLS: chain.rpcUrl, TOKEN_ADDRESS: chain.tokenAddress, FOLLOW_EVERY_MS: '100' },
    async wallet({ wei = 10n ** 18n, baseUnits = 0n } = {}) {
      const account = privateKeyToAccount(generatePrivateKey())
      const { address } = account
      // Gas needs no block; money comes as a transfer does.
      if (wei > 0n) await request('hardhat_setBalance', address, numberToHex(wei))
      if (baseUnits > 0n) await chain.faucet.give({ address, wei: 0n, baseUnits })
      const wallet = createWalletClient({ account, chain: definition, transport })
      return {
        account,
        address,
        send: (transaction, { wei = 0n, ...more } = {}) =>
          wallet.sendTransaction({ ...toSend(transaction), value: wei, ...more }),
        call: (input) => wallet.writeContract(input as never),
      }
    },
    request,
    async mined(hash) {
      return (await client.waitForTransactionReceipt({ hash })).status
    },
    onHead: (listener) => heads.on('head', listener),
    async stop() {
      heads.removeAllListeners()
      await chain.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
