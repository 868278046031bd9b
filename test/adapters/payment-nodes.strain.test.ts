import { type Address, type Hex, keccak256, parseGwei } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPaymentNodes } from '#adapters/chain/viem-payment-nodes.ts'
import type { PaymentNode } from '#ports/payment-node.ts'
import { type RpcCall, type RpcProxy, startRpcProxy, type Trouble } from '#test/chain/rpc-proxy.ts'
import { startTestChain, type TestChain, tokenAbi } from '#test/support/chain.ts'
import { CHAIN_ID, FEES, openPayer, type Payer } from './payer.ts'

let real: TestChain
let payer: Payer
let proxy: RpcProxy
/** Behind the proxy, which is honest unless a test says otherwise. */
let node: PaymentNode
let paid: Awaited<ReturnType<Payer['pay']>>

/** The time-out for silent nodes; the others get more, because the machine may be busy. */
const SHORT_MS = 1_500

beforeAll(async () => {
  real = await startTestChain()
  payer = await openPayer(real)
  await payer.configure()
  paid = await payer.pay(await payer.order())
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

const blockHash = async (number: number) =>
  (await real.client.getBlock({ blockNumber: BigInt(number) })).hash
const mine = (blocks: number) => payer.bench.mine(blocks)
const nodeHead = (at = node) => at.head({ address: payer.address })

describe("a node's status", () => {
  test('has the head, the nonce, the gas balance and the fees', async () => {
    const { client } = real
    const address = payer.address as Address
    const { baseFeePerGas, number } = await client.getBlock()
    const tip = await client.estimateMaxPriorityFeePerGas()
    expect(await nodeHead()).toMatchObject({
      headNumber: Number(number),
      finalizedNumber: Number(number),
      headNonce: await client.getTransactionCount({ address }),
      gasBalance: await client.getBalance({ address }),
      fees: { maxFeePerGas: 2n * (baseFeePerGas ?? 0n) + tip, maxPriorityFeePerGas: tip },
    })
  })

  test('has the configured finality depth, at least the first block', async () => {
    const number = await head()
    const finalized = async (confirmations: number) =>
      (await nodeHead(payer.nodeAt(proxy.url, { confirmations }))).finalizedNumber
    expect(await finalized(1)).toBe(number)
    expect(await finalized(4)).toBe(number - 3)
    expect(await finalized(200)).toBe(0)
  })

  test('counts mined transactions, not pending ones', async () => {
    const before = (await nodeHead()).headNonce
    await payer.pay(await payer.order())
    expect((await nodeHead()).headNonce).toBe(before + 1)
  })

  test('has a non-zero fee on an idle chain', async () => {
    proxy.tamper = onlyFor('eth_maxPriorityFeePerGas', () => '0x0')
    const { fees } = await nodeHead()
    expect(fees.maxPriorityFeePerGas).toBe(1_000_000n)
    expect(fees.maxFeePerGas).toBeGreaterThan(fees.maxPriorityFeePerGas)
  })

  test('has the gas price where there is no base fee', async () => {
    proxy.tamper = ({ method }, result) => {
      if (method === 'eth_gasPrice') return hex(3_000_000_000)
      return method === 'eth_getBlockByNumber' ? { ...result, baseFeePerGas: undefined } : result
    }
    const price = parseGwei('3')
    expect((await nodeHead()).fees).toEqual({ maxFeePerGas: price, maxPriorityFeePerGas: price })
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
    // Depends on which of the two requests the chain refuses first.
    await expect(node.anchor({ address: payer.address, blockNumber })).rejects.toThrow(
      /could not be found|block/i,
    )
  })
})

const troubles: [string, Trouble, string][] = [
  ['is down', 'hang up', 'HTTP request failed'],
  ['does not answer', 'silence', 'took too long'],
  ['answers 429', { status: 429, text: '{"error":"slow down"}' }, 'HTTP request failed'],
  [
    'answers with invalid JSON',
    { status: 200, text: '<html>welcome</html>' },
    'HTTP request failed',
  ],
  [
    'answers with an error',
    { status: 200, text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"pruned"}}' },
    'pruned',
  ],
]

/** Every request of the port. */
const questions = async (): Promise<((at: PaymentNode) => Promise<unknown>)[]> => {
  const order = await payer.order()
  const { address } = payer
  const call = payer.bench.chain.paymentCall(order)
  const { raw } = await payer.sign(call, { nonce: (await payer.nextNonce()) + 100 })
  const { vaultAddress, chainPaymentId } = order
  const { blockNumber, transactionHash } = paid
  const payment = { vaultAddress, chainPaymentId, transactionHashes: [transactionHash] }
  return [
    (at) => at.head({ address }),
    (at) => at.anchor({ address, blockNumber }),
    (at) => at.evidence({ ...payment, blockNumber }),
    (at) => at.preflight({ from: address, call }),
    (at) => at.send({ raw }),
  ]
}

describe('a node that', () => {
  test.for(troubles)('%s answers no request', async ([, trouble, message]) => {
    const at = payer.nodeAt(proxy.url, trouble === 'silence' ? { timeoutMs: SHORT_MS } : {})
    // Even without a failure, such a short time-out may be too short on a busy machine.
    await expect.poll(() => nodeHead(at).catch(() => undefined)).toBeTruthy()
    const asked = await questions()
    proxy.trouble = () => trouble
    const answers = await Promise.allSettled(asked.map((question) => question(at)))
    expect(answers).toHaveLength(5)
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining(message) },
      })
    }
  })

  test('serves another chain gets no other request', async () => {
    const asked = await questions()
    proxy.tamper = onlyFor('eth_chainId', () => '0x1')
    proxy.calls.length = 0
    for (const question of asked.slice(1)) {
      await expect(question(payer.nodeAt(proxy.url))).rejects.toThrow('serves chain 1, not 31337')
    }
    expect(new Set(proxy.calls)).toEqual(new Set(['eth_chainId']))
  })

  test('starts to serve another chain is detected at the next request', async () => {
    await nodeHead()
    proxy.tamper = onlyFor('eth_chainId', () => '0x1')
    await expect(nodeHead()).rejects.toThrow('serves chain 1, not 31337')
    const call = payer.bench.chain.paymentCall(await payer.order())
    const asked = { from: payer.address, call }
    await expect(node.preflight(asked)).rejects.toThrow('serves chain 1, not 31337')
    proxy.heal()
    expect(await node.preflight(asked)).toEqual({ outcome: 'passes' })
  })

  test('was silent is skipped for a while where there are others', async () => {
    const rpcUrls = [proxy.url, real.rpcUrl]
    const options = { chainId: CHAIN_ID, rpcUrls, confirmations: 1, timeoutMs: SHORT_MS }
    const [silent, other] = createPaymentNodes(options)
    proxy.trouble = () => 'silence'
    await expect(silent?.head({ address: payer.address })).rejects.toThrow('took too long')
    proxy.calls.length = 0
    for (const question of await questions()) {
      await expect(silent && question(silent)).rejects.toThrow('did not answer a moment ago')
    }
    expect(proxy.calls).toEqual([])
    expect((await other?.head({ address: payer.address }))?.headNumber).toBe(await head())
  })

  test('was silent and is the only one is tried again', async () => {
    const alone = payer.nodeAt(proxy.url, { timeoutMs: SHORT_MS })
    proxy.trouble = () => 'silence'
    await expect(nodeHead(alone)).rejects.toThrow('took too long')
    await expect(nodeHead(alone)).rejects.toThrow('took too long')
    proxy.heal()
    await expect.poll(() => nodeHead(alone).catch(() => undefined)).toBeTruthy()
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
  const received = () =>
    real.client.readContract({
      address: real.tokenAddress,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [payer.bench.recipient],
    })

  test('is accepted, also while pending; once mined the nonce is taken', async () => {
    const { raw, transactionHash } = await signed({ nonce: (await payer.nextNonce()) + 1 })
    expect(await send(raw)).toBe('accepted')
    expect(await send(raw)).toBe('accepted')
    const first = await signed()
    expect(await send(first.raw)).toBe('accepted')
    expect(await real.mined(transactionHash as Hex)).toBe('success')
    expect(await send(raw)).toBe('nonce_too_low')
    expect(await send(first.raw)).toBe('nonce_too_low')
  })

  test('a replacement with too small an increase is underpriced', async () => {
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

  test('an invalid transaction is neither accepted nor refused', async () => {
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

  test('is not believed when the node returns another hash', async () => {
    const { raw, transactionHash } = await signed()
    proxy.tamper = onlyFor('eth_sendRawTransaction', () => lie)
    await expect(send(raw)).rejects.toThrow('another hash than that of the sent')
    expect(transactionHash).toBe(keccak256(raw as Hex))
    await real.mined(transactionHash as Hex)
  })

  test('the same bytes twice pays once', async () => {
    const before = await received()
    const { raw, transactionHash } = await signed()
    await Promise.all([send(raw), send(raw)])
    await real.mined(transactionHash as Hex)
    await send(raw)
    await mine(1)
    const after = await received()
    expect(after - before).toBe(100n)
  })
})
