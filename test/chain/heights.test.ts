/** Accounts are read at a height that every node has, so nodes one block apart agree. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createViemChain } from '#adapters/chain/viem-chain.ts'
import type { Chain } from '#ports/chain.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type Bench, openBench } from './bench.ts'
import type { WatchedVault } from './ledger.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

let real: TestChain
let bench: Bench
let vault: WatchedVault
/** The node that may lag. */
let first: RpcProxy
let chain: Chain

beforeAll(async () => {
  real = await startTestChain()
  bench = await openBench(real)
  vault = await bench.addVault()
  await bench.configure(vault, 0)
  first = await startRpcProxy(real.rpcUrl)
  chain = createViemChain({
    chainId: 31_337,
    rpcUrls: [first.url, real.rpcUrl],
    tokenAddress: real.tokenAddress,
    confirmations: 1,
  })
})
afterEach(() => first.heal())
afterAll(async () => {
  await first.stop()
  await real.stop()
})

const head = async () => Number(await real.client.getBlockNumber({ cacheTime: 0 }))

test('a node that is a block behind sets the height of a balance', async () => {
  const { address } = await real.wallet({ wei: 7n })
  const behind = (await head()) - 1
  first.tamper = ({ method, params }, result) => {
    if (method === 'eth_blockNumber') return `0x${behind.toString(16)}`
    // What it would answer for its own latest block.
    return method === 'eth_getBalance' && params[1] === 'latest' ? '0x0' : result
  }
  expect(await chain.nativeBalance(address)).toBe(0n)
  first.heal()
  expect(await chain.nativeBalance(address)).toBe(7n)
})

test('code is read as of the given block, whatever came later', async () => {
  const { address, fromBlock } = vault
  const hasCode = (blockNumber: number) => chain.hasCode({ address, blockNumber })
  expect([await hasCode(fromBlock - 1), await hasCode(fromBlock)]).toEqual([false, true])
})

test('a vault is read as of the given block: absent, untouched, with a policy', async () => {
  const { address, fromBlock } = vault
  const identify = (blockNumber: number) => chain.identifyVault({ address, blockNumber })
  expect(await identify(fromBlock - 1)).toBeNull()
  expect(await identify(fromBlock)).toMatchObject({ isUntouched: true })
  expect(await identify(await head())).toMatchObject({ isUntouched: false })
})

test('storage slots are read instead on a node without storage proofs', async () => {
  const { address, fromBlock } = vault
  const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}'
  first.trouble = ({ method }) => (method === 'eth_getProof' ? { status: 200, text } : undefined)
  const identify = (blockNumber: number) => chain.identifyVault({ address, blockNumber })
  expect(await identify(fromBlock)).toMatchObject({ isUntouched: true })
  expect(await identify(await head())).toMatchObject({ isUntouched: false })
})

test('a block that no node has yet is an outage', async () => {
  const above = { address: vault.address, blockNumber: (await head()) + 1 }
  const outage = { code: 'dependency_unavailable' }
  await expect(chain.identifyVault(above)).rejects.toMatchObject(outage)
  await expect(chain.hasCode(above)).rejects.toMatchObject(outage)
})

test('a node that has not seen the newest block leaves out no log of it in silence', async () => {
  await bench.mine(20)
  const { transactionHash, blockNumber } = await bench.give(vault, 5n)
  const range = { fromBlock: blockNumber - 20, toBlock: blockNumber }
  const listLogs = () => lone.listLogs({ ...range, vaultAddresses: [vault.address] })
  const lone = createViemChain({ ...chain, rpcUrls: [first.url] })
  first.tamper = ({ method }, logs) =>
    method === 'eth_getLogs'
      ? logs.filter((log: { blockNumber: string }) => Number(log.blockNumber) < blockNumber)
      : logs
  const unknown = { status: 200, text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000}}' }
  first.trouble = ({ params }) => (params[0]?.blockHash ? unknown : undefined)
  await expect(listLogs()).rejects.toMatchObject({ code: 'dependency_unavailable' })
  first.heal()
  expect((await listLogs()).at(-1)).toMatchObject({ transactionHash, blockNumber })
})

test('of a range of final blocks none is read by hash', async () => {
  await bench.mine(20)
  const { transactionHash, blockNumber } = await bench.give(vault, 5n)
  const lone = createViemChain({ ...chain, rpcUrls: [first.url] })
  await lone.latestBlock()
  first.calls.length = 0
  const range = { fromBlock: blockNumber - 20, toBlock: blockNumber, isFinal: true }
  const logs = await lone.listLogs({ ...range, vaultAddresses: [vault.address] })
  expect(logs.at(-1)).toMatchObject({ transactionHash, blockNumber })
  expect(first.calls.filter((method) => method !== 'eth_chainId')).toEqual(
    Array(3).fill('eth_getLogs'),
  )
})
