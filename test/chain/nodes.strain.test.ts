import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createViemChain } from '#adapters/chain/viem-chain.ts'
import type { Chain } from '#ports/chain.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type Bench, openBench } from './bench.ts'
import { type Ledger, openLedger, type WatchedVault } from './ledger.ts'
import { type RpcCall, type RpcProxy, startRpcProxy, type Trouble } from './rpc-proxy.ts'

let real: TestChain
let bench: Bench
let vault: WatchedVault
let first: RpcProxy
let second: RpcProxy
let transactionHash: string
let ledger: Ledger

/** The time-out for silent nodes; the others get more, because the machine may be busy. */
const SHORT_MS = 1_500

const isSilent = ({ trouble }: RpcProxy) => ['silence', 'stall'].includes(trouble(noCall) as string)
const noCall = { method: '', params: [], path: '' }

const chainOver = (...proxies: RpcProxy[]): Chain =>
  createViemChain({
    chainId: 31_337,
    rpcUrls: proxies.map(({ url }) => url),
    tokenAddress: real.tokenAddress,
    confirmations: 1,
    ...(proxies.some(isSilent) && { rpcTimeoutMs: SHORT_MS }),
  })

beforeAll(async () => {
  real = await startTestChain()
  bench = await openBench(real)
  vault = await bench.addVault()
  await bench.deposit(vault, 500n)
  transactionHash = (await bench.configure(vault, 0)).transactionHash
  await bench.pay(vault, 20n, 1)
  first = await startRpcProxy(real.rpcUrl)
  second = await startRpcProxy(real.rpcUrl)
  ledger = await openLedger(chainOver(first, second))
  await ledger.addVault(vault)
})
afterEach(() => {
  first.heal()
  second.heal()
})
afterAll(async () => {
  await ledger.close()
  await first.stop()
  await second.stop()
  await real.stop()
})

const head = async () => Number(await real.client.getBlockNumber({ cacheTime: 0 }))
const range = async () => ({
  fromBlock: vault.fromBlock,
  toBlock: await head(),
  vaultAddresses: [vault.address],
})
const disagreement = {
  code: 'dependency_unavailable',
  message: 'The chain nodes disagree. Retry shortly.',
}
const outage = {
  code: 'dependency_unavailable',
  message: 'The chain cannot be reached. Retry shortly.',
}
const onlyFor =
  (method: string, change: (result: never, call: RpcCall) => unknown) =>
  (call: RpcCall, result: unknown) =>
    call.method === method ? change(result as never, call) : result

/** Every kind of read that decisions depend on. */
const readAll = async (chain: Chain) => ({
  head: (await chain.latestBlock()).number,
  block: await chain.findBlock(vault.fromBlock),
  logs: await chain.listLogs(await range()),
  transaction: await chain.findTransaction(transactionHash),
  identity: await chain.identifyVault({ address: vault.address, blockNumber: await head() }),
  balance: await chain.tokenBalance({ address: vault.address, blockNumber: await head() }),
})

const troubles: [string, Trouble][] = [
  ['is down', 'hang up'],
  ['does not answer', 'silence'],
  ['stops halfway through an answer', 'stall'],
  ['answers 429', { status: 429, text: '{"error":"slow down"}' }],
  ['answers 500', { status: 500, text: 'oops' }],
  ['answers with invalid JSON', { status: 200, text: '<html>welcome</html>' }],
  ['answers with a truncated result', { status: 200, text: '{"jsonrpc":"2.0","id":1,"resu' }],
  [
    'answers with an error',
    { status: 200, text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"pruned"}}' },
  ],
  [
    'answers with an unexpected result',
    { status: 200, text: '{"jsonrpc":"2.0","id":1,"result":"0xzz"}' },
  ],
]

describe('a node of two that', () => {
  test.for(troubles)('%s is skipped', async ([, trouble]) => {
    const honest = await readAll(chainOver(second))
    first.trouble = () => trouble
    // At once, because either may wait for a silent node.
    const orders = [chainOver(first, second), chainOver(second, first)]
    expect(await Promise.all(orders.map(readAll))).toEqual([honest, honest])
  })

  test.for(troubles)('%s, like the other, is an outage', async ([, trouble]) => {
    first.trouble = () => trouble
    second.trouble = () => trouble
    const chain = chainOver(first, second)
    await Promise.all([
      expect(chain.latestBlock()).rejects.toMatchObject(outage),
      expect(chain.findTransaction(transactionHash)).rejects.toMatchObject(outage),
    ])
  })

  test('falls silent delays only the first answer', async () => {
    first.trouble = () => 'silence'
    const chain = chainOver(first, second)
    await chain.latestBlock()
    const asked = first.calls.length
    for (let reads = 0; reads < 5; reads += 1) await chain.findBlock(vault.fromBlock)
    expect(first.calls.length).toBe(asked)
  })

  test('was silent is tried immediately when the other falls silent', async () => {
    const chain = chainOver(first, second)
    first.trouble = () => 'hang up'
    await chain.latestBlock()
    first.heal()
    second.trouble = () => 'hang up'
    expect((await chain.latestBlock()).number).toBe(await head())
  })

  test('recovers is used again', async () => {
    const chain = chainOver(first, second)
    first.trouble = () => 'hang up'
    second.trouble = () => 'hang up'
    await expect(chain.latestBlock()).rejects.toMatchObject(outage)
    first.heal()
    second.heal()
    expect((await chain.latestBlock()).number).toBe(await head())
  })

  test('lags determines the common height', async () => {
    const behind = (await head()) - 2
    first.tamper = onlyFor('eth_blockNumber', () => `0x${behind.toString(16)}`)
    const chain = chainOver(first, second)
    const block = await chain.latestBlock()
    expect(block).toEqual(await chainOver(second).findBlock(behind))
  })

  test('serves another chain is not used', async () => {
    const honest = await readAll(chainOver(second))
    first.tamper = ({ method }, result) => {
      if (method === 'eth_chainId') return '0x1'
      return method === 'eth_getBlockByNumber' ? { ...result, hash: lie } : result
    }
    first.calls.length = 0
    expect(await readAll(chainOver(first, second))).toEqual(honest)
    expect(new Set(first.calls)).toEqual(new Set(['eth_chainId']))
  })

  test('starts to serve another chain is no longer used', async () => {
    const chain = chainOver(first, second)
    await chain.latestBlock()
    first.tamper = onlyFor('eth_chainId', () => '0x1')
    await chain.latestBlock()
    first.calls.length = 0
    await readAll(chain)
    expect(new Set(first.calls)).toEqual(new Set(['eth_chainId']))
  })
})

test('reads are an outage when no node serves the right chain', async () => {
  first.tamper = onlyFor('eth_chainId', () => '0x1')
  const chain = chainOver(first)
  for (const reading of [
    chain.latestBlock(),
    chain.findBlock(1),
    chain.findTransaction(transactionHash),
    chain.identifyVault({ address: vault.address, blockNumber: vault.fromBlock }),
    chain.listLogs(await range()),
    chain.nativeBalance(vault.address),
  ]) {
    await expect(reading).rejects.toMatchObject(outage)
  }
})

const lie = `0x${'1e'.repeat(32)}`

type Receipt = { status: string; blockHash: string; logs: { data: string }[] }

const lies: [string, string, (result: never) => unknown, (chain: Chain) => Promise<unknown>][] = [
  [
    'a block hash',
    'eth_getBlockByNumber',
    (block: object) => ({ ...block, hash: lie }),
    (chain) => chain.findBlock(vault.fromBlock),
  ],
  [
    "a block's existence",
    'eth_getBlockByNumber',
    () => null,
    (chain) => chain.findBlock(vault.fromBlock),
  ],
  [
    'a log by leaving it out',
    'eth_getLogs',
    (logs: object[]) => logs.slice(1),
    async (chain) => chain.listLogs(await range()),
  ],
  [
    "a log's amount",
    'eth_getLogs',
    (logs: { data: string }[]) =>
      logs.map((log) => ({ ...log, data: `${log.data.slice(0, -1)}f` })),
    async (chain) => chain.listLogs(await range()),
  ],
  [
    'a receipt that reverted',
    'eth_getTransactionReceipt',
    (receipt: Receipt) => ({ ...receipt, status: '0x0' }),
    (chain) => chain.findTransaction(transactionHash),
  ],
  [
    "a receipt's block",
    'eth_getTransactionReceipt',
    (receipt: Receipt) => ({ ...receipt, blockHash: lie }),
    (chain) => chain.findTransaction(transactionHash),
  ],
  [
    'a receipt that is not there',
    'eth_getTransactionReceipt',
    () => null,
    (chain) => chain.findTransaction(transactionHash),
  ],
  [
    'a mined transaction that is not there',
    'eth_getTransactionByHash',
    () => null,
    (chain) => chain.findTransaction(transactionHash),
  ],
  [
    'the code of a vault',
    'eth_getCode',
    (code: string) => `${code.slice(0, -1)}0`,
    (chain) => chain.identifyVault({ address: vault.address, blockNumber: vault.fromBlock }),
  ],
  [
    'a balance',
    'eth_call',
    () => `0x${'0'.repeat(63)}1`,
    async (chain) => chain.tokenBalance({ address: vault.address, blockNumber: await head() }),
  ],
]

describe('a node that lies about', () => {
  test.for(lies)('%s is an outage and never believed', async ([, method, change, read]) => {
    first.tamper = onlyFor(method, change)
    await expect(read(chainOver(first, second))).rejects.toMatchObject(disagreement)
    await expect(read(chainOver(second, first))).rejects.toMatchObject(disagreement)
  })
})

describe('while the nodes disagree the follower writes nothing', () => {
  const follow = () => ledger.follow()

  test.for([
    ['a block hash', 'eth_getBlockByNumber', (block: object) => ({ ...block, hash: lie })],
    ['a log', 'eth_getLogs', (logs: object[]) => logs.slice(0, -1)],
  ] as const)('about %s', async ([, method, change]) => {
    await follow()
    await ledger.watch(vault)
    await follow()
    await bench.give(vault, 3n)
    const before = await ledger.snapshot()
    second.tamper = onlyFor(method, change)
    await expect(ledger.step()).rejects.toMatchObject(disagreement)
    expect(await ledger.snapshot()).toEqual(before)
    second.heal()
    await follow()
    const block = await head()
    const balance = await bench.chain.tokenBalance({ address: vault.address, blockNumber: block })
    expect((await ledger.snapshot()).vaults).toMatchObject([{ balance, spent_total: 20n }])
  })
})
