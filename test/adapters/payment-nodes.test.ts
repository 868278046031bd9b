import { type Address, encodeFunctionData, type Hex, keccak256, parseGwei } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPaymentNodes } from '#adapters/viem-payment-nodes.ts'
import type { PaymentOrder } from '#ports/chain.ts'
import type { PaymentNode } from '#ports/payment-node.ts'
import { type RpcCall, type RpcProxy, startRpcProxy, type Trouble } from '#test/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { CHAIN_ID, FEES, openPayer, type Payer, randomHash } from './payer.ts'

let real: TestChain
let payer: Payer
let proxy: RpcProxy
/** Behind the proxy, which is honest unless a test says otherwise. */
let node: PaymentNode
let order: PaymentOrder
let paid: Awaited<ReturnType<Payer['pay']>>

/** For nodes that do not answer at all; the others are given time, the machine may be busy. */
const SHORT_MS = 300

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
const hex = (number: number) => `0x${number.toString(16)}`
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
const stand = (at = node) => at.stand({ address: payer.address })

describe('where a node stands', () => {
  test('is its head, the nonce, the gas and the market', async () => {
    const { client } = real
    const address = payer.address as Address
    const { baseFeePerGas, number } = await client.getBlock()
    const tip = await client.estimateMaxPriorityFeePerGas()
    expect(await stand()).toMatchObject({
      headNumber: Number(number),
      finalizedNumber: Number(number),
      headNonce: await client.getTransactionCount({ address }),
      gasBalance: await client.getBalance({ address }),
      fees: { maxFeePerGas: 2n * (baseFeePerGas ?? 0n) + tip, maxPriorityFeePerGas: tip },
    })
  })

  test('is final as deep as the chain is configured, and never below its first block', async () => {
    const number = await head()
    const finalized = async (confirmations: number) =>
      (await stand(payer.nodeAt(proxy.url, { confirmations }))).finalizedNumber
    expect(await finalized(1)).toBe(number)
    expect(await finalized(4)).toBe(number - 3)
    expect(await finalized(200)).toBe(0)
  })

  test('counts what is mined, not what waits', async () => {
    const before = (await stand()).headNonce
    await payer.pay(await payer.order())
    expect((await stand()).headNonce).toBe(before + 1)
  })

  test('names a fee above nothing on an idle chain', async () => {
    proxy.tamper = onlyFor('eth_maxPriorityFeePerGas', () => '0x0')
    const { fees } = await stand()
    expect(fees.maxPriorityFeePerGas).toBe(1_000_000n)
    expect(fees.maxFeePerGas).toBeGreaterThan(fees.maxPriorityFeePerGas)
  })

  test('names the gas price where there is no base fee', async () => {
    proxy.tamper = ({ method }, result) => {
      if (method === 'eth_gasPrice') return hex(3_000_000_000)
      return method === 'eth_getBlockByNumber' ? { ...result, baseFeePerGas: undefined } : result
    }
    const price = parseGwei('3')
    expect((await stand()).fees).toEqual({ maxFeePerGas: price, maxPriorityFeePerGas: price })
  })
})

describe('the anchor', () => {
  test('is the hash and the nonce at that very block', async () => {
    const at = { address: payer.address, blockNumber: paid.blockNumber }
    const hash = await blockHash(paid.blockNumber)
    const { nonce } = await real.client.getTransaction({ hash: paid.transactionHash as Hex })
    expect(await node.anchor(at)).toEqual({ blockHash: hash, nonce: nonce + 1 })
    const before = { ...at, blockNumber: paid.blockNumber - 1 }
    expect((await node.anchor(before)).nonce).toBe(nonce)
  })

  test('is refused for a block that is not final, or not there', async () => {
    const blockNumber = await head()
    const deep = payer.nodeAt(proxy.url, { confirmations: 2 })
    const at = { address: payer.address, blockNumber }
    await expect(deep.anchor(at)).rejects.toThrow(`Block ${blockNumber} is not final`)
    await expect(node.anchor({ ...at, blockNumber: blockNumber + 1 })).rejects.toThrow()
  })

  test('is refused by a node that claims a height it does not have', async () => {
    const blockNumber = (await head()) + 5
    proxy.tamper = onlyFor('eth_blockNumber', () => hex(blockNumber))
    await expect(node.anchor({ address: payer.address, blockNumber })).rejects.toThrow(
      'could not be found',
    )
    await expect(node.evidence(await ask({ blockNumber }))).rejects.toThrow('could not be found')
  })
})

/** What the port says of a payment that our own transaction has made. */
const evidenceOfPaid = async () => {
  const receipt = await real.client.getTransactionReceipt({ hash: paid.transactionHash as Hex })
  const place = {
    transactionHash: paid.transactionHash,
    blockNumber: paid.blockNumber,
    blockHash: await blockHash(paid.blockNumber),
  }
  const { deadlineSeconds: _deadline, approval: _approval, ...execution } = order
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

  test('ends with the block that was asked about', async () => {
    const before = await ask({ blockNumber: paid.blockNumber - 1 })
    expect(await node.evidence(before)).toEqual({ isExecuted: false, logs: [], receipts: [] })
  })

  test('is of this payment alone', async () => {
    const other = await node.evidence(await ask({ chainPaymentId: randomHash() }))
    const { receipts } = await evidenceOfPaid()
    expect(other).toEqual({ isExecuted: false, logs: [], receipts })
  })

  test('of a revert is its receipt and nothing else', async () => {
    const again = await payer.pay(order)
    const asked = await ask({ transactionHashes: [randomHash(), again.transactionHash] })
    const { receipts, isExecuted } = await node.evidence({ ...asked, chainPaymentId: randomHash() })
    expect(isExecuted).toBe(false)
    expect(receipts).toMatchObject([{ transactionHash: again.transactionHash, status: 'reverted' }])
  })

  test('is given by no node that does not call the block final', async () => {
    const deep = payer.nodeAt(proxy.url, { confirmations: 3 })
    await expect(deep.evidence(await ask())).rejects.toThrow('is not final')
  })

  test('leaves out a receipt whose block is not the one at its height', async () => {
    proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: object) => ({
      ...receipt,
      blockHash: lie,
    }))
    const asked = await ask({ chainPaymentId: randomHash() })
    expect((await node.evidence(asked)).receipts).toEqual([])
  })

  test('is given up when the block is replaced meanwhile', async () => {
    let reads = 0
    proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object) => {
      reads += 1
      return reads > 2 ? { ...block, hash: lie } : block
    })
    await expect(node.evidence(await ask())).rejects.toThrow('was replaced')
  })

  test.for([
    ['of another transaction', { transactionHash: lie }],
    ['without a status', { status: undefined }],
    ['without its cost', { effectiveGasPrice: undefined }],
  ] as const)('is not made of a receipt %s', async ([, change]) => {
    proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: object) => ({
      ...receipt,
      ...change,
    }))
    await expect(node.evidence(await ask())).rejects.toThrow('no whole receipt')
  })

  test('follows a reorganisation: what is gone counts no more, what came back does', async () => {
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

describe('a payment that nothing on record has made', () => {
  const unknown = () => ask({ transactionHashes: [] })
  const searches = () => proxy.calls.filter((method) => method === 'eth_getLogs').length

  test('is found by its log, at once where the node allows it', async () => {
    proxy.calls.length = 0
    const { logs } = await evidenceOfPaid()
    expect(await node.evidence(await unknown())).toEqual({ isExecuted: true, logs, receipts: [] })
    expect(searches()).toBe(1)
  })

  /** Answers ranges of so many blocks at the most. */
  const limitTo = (blocks: number) => (call: RpcCall) => {
    if (call.method !== 'eth_getLogs') return undefined
    const [{ fromBlock, toBlock }] = call.params
    if (Number(toBlock) - Number(fromBlock) < blocks) return undefined
    const error = { code: -32_005, message: `query exceeds max block range ${blocks}` }
    return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: 1, error }) }
  }

  test('is found in short ranges where the node allows no others, look by look', async () => {
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

  test('is told as it is when no block has its log', async () => {
    proxy.tamper = onlyFor('eth_getLogs', () => [])
    const nothing = { isExecuted: true, logs: [], receipts: [] }
    expect(await node.evidence(await unknown())).toEqual(nothing)
  })

  test('is not believed of a node that has the log of ours and not the receipt', async () => {
    proxy.tamper = onlyFor('eth_getTransactionReceipt', () => null)
    await expect(node.evidence(await ask())).rejects.toThrow('and not its receipt')
    await expect(node.evidence(await unknown())).rejects.toThrow('that it does not have')
  })
})

describe('sending', () => {
  const signed = async (more: { nonce?: number; gwei?: number } = {}) => {
    const call = payer.bench.chain.paymentCall(await payer.order())
    const maxFeePerGas = parseGwei(String(more.gwei ?? 20))
    const nonce = more.nonce ?? (await payer.nextNonce())
    return payer.sign(call, { nonce, fees: { ...FEES, maxFeePerGas } })
  }
  const send = (raw: string) => node.send({ raw })

  test('is accepted, and again while it waits; when mined its place is taken', async () => {
    const { raw, transactionHash } = await signed({ nonce: (await payer.nextNonce()) + 1 })
    expect(await send(raw)).toBe('accepted')
    expect(await send(raw)).toBe('accepted')
    const first = await signed()
    expect(await send(first.raw)).toBe('accepted')
    expect(await real.mined(transactionHash as Hex)).toBe('success')
    expect(await send(raw)).toBe('nonce_too_low')
    expect(await send(first.raw)).toBe('nonce_too_low')
  })

  test('of a replacement that does not pay enough more is underpriced', async () => {
    const nonce = (await payer.nextNonce()) + 1
    expect(await send((await signed({ nonce, gwei: 20 })).raw)).toBe('accepted')
    expect(await send((await signed({ nonce, gwei: 21 })).raw)).toBe('underpriced')
    const dearer = { maxFeePerGas: parseGwei('30'), maxPriorityFeePerGas: parseGwei('2') }
    const call = payer.bench.chain.paymentCall(await payer.order())
    expect(await send((await payer.sign(call, { nonce, fees: dearer })).raw)).toBe('accepted')
    const first = await signed()
    expect(await send(first.raw)).toBe('accepted')
    await real.mined(first.transactionHash as Hex)
  })

  test('of what no pool can hold is neither', async () => {
    await expect(send('0x02')).rejects.toThrow()
    const poor = await real.wallet({ wei: 0n })
    const raw = await poor.account.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      nonce: 0,
      gas: 21_000n,
      to: poor.address,
      ...FEES,
    })
    await expect(send(raw)).rejects.toThrow('insufficient funds')
  })

  test('is not believed of a node that tells another hash', async () => {
    const { raw, transactionHash } = await signed()
    proxy.tamper = onlyFor('eth_sendRawTransaction', () => lie)
    await expect(send(raw)).rejects.toThrow('something else than was sent')
    expect(transactionHash).toBe(keccak256(raw as Hex))
    await real.mined(transactionHash as Hex)
  })

  test('of the same bytes twice pays once', async () => {
    const before = await real.client.readContract({ ...token, args: [payer.bench.recipient] })
    const { raw, transactionHash } = await signed()
    await Promise.all([send(raw), send(raw)])
    await real.mined(transactionHash as Hex)
    await send(raw)
    await mine(1)
    const after = await real.client.readContract({ ...token, args: [payer.bench.recipient] })
    expect(after - before).toBe(100n)
  })
})
