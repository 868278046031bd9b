import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { PaymentOrder } from '#ports/chain.ts'
import type { PaymentNode } from '#ports/payment-node.ts'
import { type RpcCall, type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { openPayer, type Payer, randomHash } from './payer.ts'

let real: TestChain
let payer: Payer
let proxy: RpcProxy
/** Behind the proxy, which is honest unless a test says otherwise. */
let node: PaymentNode
let order: PaymentOrder
let paid: Awaited<ReturnType<Payer['pay']>>

beforeAll(async () => {
  real = await startTestChain()
  payer = await openPayer(real)
  await payer.configure()
  order = await payer.signedOrder({ amount: 700n })
  paid = await payer.pay(order)
  proxy = await startRpcProxy(real.rpcUrl)
  node = payer.nodeAt(proxy.url)
})
afterEach(() => proxy.heal())
afterAll(async () => {
  await proxy.stop()
  await real.stop()
})

const head = async () => Number(await real.client.getBlockNumber({ cacheTime: 0 }))
const onlyFor =
  (method: string, change: (result: never, call: RpcCall) => unknown) =>
  (call: RpcCall, result: unknown) =>
    call.method === method ? change(result as never, call) : result
const lie = `0x${'1e'.repeat(32)}`

const ask = async (more: Partial<Parameters<PaymentNode['evidence']>[0]> = {}) => ({
  vaultAddress: order.vaultAddress,
  chainPaymentId: order.chainPaymentId,
  transactionHashes: [paid.transactionHash] as string[],
  blockNumber: await head(),
  ...more,
})
const blockHash = async (number: number) =>
  (await real.client.getBlock({ blockNumber: BigInt(number) })).hash
const mine = (blocks: number) => payer.bench.mine(blocks)

/** What the port reports of a payment that our own transaction made. */
const evidenceOfPaid = async () => {
  const receipt = await real.client.getTransactionReceipt({ hash: paid.transactionHash as Hex })
  const place = {
    transactionHash: paid.transactionHash,
    blockNumber: paid.blockNumber,
    blockHash: await blockHash(paid.blockNumber),
  }
  const { deadlineSeconds: _deadline, approvals: _approvals, ...execution } = order
  const { gasUsed, effectiveGasPrice } = receipt
  const logIndex = receipt.logs.findIndex(({ address }) => address === order.vaultAddress)
  const log = { ...execution, ...place, logIndex, gasUsed, effectiveGasPrice }
  return { isExecuted: true, logs: [log], receipts: [{ ...place, status: 'success' }] }
}

describe('the evidence', () => {
  test('of a payment is its log, field by field, with its cost and its receipt', async () => {
    proxy.calls.length = 0
    expect(await node.evidence(await ask())).toEqual(await evidenceOfPaid())
    expect(proxy.calls).not.toContain('eth_getLogs')
  })

  test('ends at the given block', async () => {
    const before = await ask({ blockNumber: paid.blockNumber - 1 })
    expect(await node.evidence(before)).toEqual({ isExecuted: false, logs: [], receipts: [] })
  })

  test('covers this payment only', async () => {
    const other = await node.evidence(await ask({ chainPaymentId: randomHash() }))
    const { receipts } = await evidenceOfPaid()
    expect(other).toEqual({ isExecuted: false, logs: [], receipts })
  })

  test('of a revert is its receipt only', async () => {
    const again = await payer.pay(order)
    const asked = await ask({ transactionHashes: [randomHash(), again.transactionHash] })
    const { receipts, isExecuted } = await node.evidence({ ...asked, chainPaymentId: randomHash() })
    expect(isExecuted).toBe(false)
    expect(receipts).toMatchObject([{ transactionHash: again.transactionHash, status: 'reverted' }])
  })

  test('returns the receipts of the requested transactions alone', async () => {
    const { transactionHashes, blockNumber } = await ask()
    const { receipts } = await evidenceOfPaid()
    const asked = { transactionHashes: [randomHash(), ...transactionHashes], blockNumber }
    expect(await node.receipts(asked)).toEqual(receipts)
    expect(await node.receipts({ ...asked, blockNumber: paid.blockNumber - 1 })).toEqual([])
    const deep = payer.nodeAt(proxy.url, { confirmations: 3 })
    await expect(deep.receipts(asked)).rejects.toThrow('is not final')
  })

  test('is refused by a node that does not consider the block final', async () => {
    const deep = payer.nodeAt(proxy.url, { confirmations: 3 })
    await expect(deep.evidence(await ask())).rejects.toThrow('is not final')
  })

  test('omits a receipt whose block is not canonical at its height', async () => {
    proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: object) => ({
      ...receipt,
      blockHash: lie,
    }))
    const asked = await ask({ chainPaymentId: randomHash() })
    expect((await node.evidence(asked)).receipts).toEqual([])
  })

  test('is refused when the block is replaced meanwhile', async () => {
    let reads = 0
    proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object) => {
      reads += 1
      return reads > 2 ? { ...block, hash: lie } : block
    })
    await expect(node.evidence(await ask())).rejects.toThrow('was replaced')
  })

  test('of several payments shares the reads of the block', async () => {
    const asked = await ask()
    proxy.calls.length = 0
    const own = await evidenceOfPaid()
    const other = { ...asked, chainPaymentId: randomHash(), transactionHashes: [] }
    const all = await Promise.all([asked, other, asked].map((one) => node.evidence(one)))
    expect(all).toEqual([own, { isExecuted: false, logs: [], receipts: [] }, own])
    const looks = proxy.calls.filter((method) => method === 'eth_getBlockByNumber')
    expect(looks).toHaveLength(3)
  })

  test('of several payments is refused for all when the block is replaced meanwhile', async () => {
    let reads = 0
    proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object) => {
      reads += 1
      return reads > 2 ? { ...block, hash: lie } : block
    })
    const asked = await ask()
    const all = await Promise.allSettled([asked, asked, asked].map((one) => node.evidence(one)))
    for (const one of all) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('was replaced') },
      })
    }
  })

  test("of one payment that fails does not affect another's", async () => {
    const asked = await ask()
    proxy.tamper = onlyFor('eth_getTransactionReceipt', () => ({ transactionHash: lie }))
    const without = { ...asked, chainPaymentId: randomHash(), transactionHashes: [] }
    const [failed, given] = await Promise.allSettled([node.evidence(asked), node.evidence(without)])
    expect(failed.status).toBe('rejected')
    expect(given).toMatchObject({ status: 'fulfilled', value: { isExecuted: false } })
  })

  test.for([
    ['of another transaction', { transactionHash: lie }],
    ['without a status', { status: undefined }],
    ['without its cost', { effectiveGasPrice: undefined }],
  ] as const)('is not built from a receipt %s', async ([, change]) => {
    proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: object) => ({
      ...receipt,
      ...change,
    }))
    await expect(node.evidence(await ask())).rejects.toThrow('an incomplete receipt')
  })

  test('follows a reorganisation: removed payments no longer count, restored ones do', async () => {
    const snapshot = await real.request('evm_snapshot')
    const later = await payer.order()
    const made = await payer.pay(later)
    const { chainPaymentId } = later
    const asked = () => ask({ chainPaymentId, transactionHashes: [made.transactionHash] })
    expect(await node.evidence(await asked())).toMatchObject({
      isExecuted: true,
      logs: [{ blockNumber: made.blockNumber }],
      receipts: [{ status: 'success' }],
    })
    await real.request('evm_revert', snapshot)
    await mine(3)
    const gone = { isExecuted: false, logs: [], receipts: [] }
    expect(await node.evidence(await asked())).toEqual(gone)
    const back = await payer.bench.resend(made.raw as Hex)
    expect(back.blockNumber).toBeGreaterThan(made.blockNumber)
    expect(await node.evidence(await asked())).toMatchObject({
      isExecuted: true,
      logs: [{ blockNumber: back.blockNumber }],
      receipts: [{ status: 'success', blockNumber: back.blockNumber }],
    })
  })
})

describe('a payment without a recorded transaction', () => {
  const unknown = () => ask({ transactionHashes: [] })
  const searches = () => proxy.calls.filter((method) => method === 'eth_getLogs').length

  test('is found by its log, in one search where the node allows it', async () => {
    proxy.calls.length = 0
    const { logs } = await evidenceOfPaid()
    expect(await node.evidence(await unknown())).toEqual({ isExecuted: true, logs, receipts: [] })
    expect(searches()).toBe(1)
  })

  /** Answers ranges of at most this many blocks. */
  const limitTo = (blocks: number) => (call: RpcCall) => {
    if (call.method !== 'eth_getLogs') return undefined
    const [{ fromBlock, toBlock }] = call.params
    if (Number(toBlock) - Number(fromBlock) < blocks) return undefined
    const error = { code: -32_005, message: `query exceeds max block range ${blocks}` }
    return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: 1, error }) }
  }

  test('is found over several calls in short ranges where the node requires them', async () => {
    const { logs } = await evidenceOfPaid()
    await mine(620)
    proxy.trouble = limitTo(10)
    await expect(node.evidence(await unknown())).rejects.toThrow('short ranges only')
    expect(await node.evidence(await unknown())).toEqual({ isExecuted: true, logs, receipts: [] })
  })

  test('is unknown while the node does not search', async () => {
    proxy.trouble = limitTo(0)
    await expect(node.evidence(await unknown())).rejects.toThrow('does not search its logs')
    proxy.trouble = ({ method }) => (method === 'eth_getLogs' ? 'hang up' : undefined)
    await expect(node.evidence(await unknown())).rejects.toThrow('HTTP request failed')
  })

  test('is reported as not executed when no block has its log', async () => {
    proxy.tamper = onlyFor('eth_getLogs', () => [])
    const nothing = { isExecuted: true, logs: [], receipts: [] }
    expect(await node.evidence(await unknown())).toEqual(nothing)
  })

  test('is not believed when a node has the log but not the receipt', async () => {
    proxy.tamper = onlyFor('eth_getTransactionReceipt', () => null)
    await expect(node.evidence(await ask())).rejects.toThrow('but not its receipt')
    await expect(node.evidence(await unknown())).rejects.toThrow(
      'but not the receipt of its transaction',
    )
  })
})
