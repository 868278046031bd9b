import { describe, expect, test } from 'vitest'
import type { NodeHead, NodeSendAnswer, PaymentNode, Preflight } from '#ports/payment-node.ts'
import { executed, paymentIn, seen } from '#test/simulator/situations.ts'
import { createAgreedChain } from './agreed-chain.ts'

const head: NodeHead = {
  headNumber: 106,
  finalizedNumber: 100,
  headNonce: 9,
  gasBalance: 500n,
  fees: { maxFeePerGas: 200n, maxPriorityFeePerGas: 20n },
  recentFee: 90n,
}
const { outcome: _, ...paid } = executed
const { outcome: __, ...unpaid } = seen()
const silent = () => Promise.reject(new Error('silent'))

const nodeThat = (change: Partial<PaymentNode> = {}): PaymentNode => ({
  head: async () => head,
  anchor: async () => ({ blockHash: '0xb100', nonce: 8 }),
  evidence: async () => paid,
  receipts: async () => paid.receipts,
  preflight: async () => ({ outcome: 'passes' }),
  exhaustedIn: async () => ({ exhausted: null }),
  send: async () => 'accepted',
  ...change,
})
const nodeAt = (change: Partial<NodeHead>) =>
  nodeThat({ head: async () => ({ ...head, ...change }) })
const down = nodeThat({
  head: silent,
  anchor: silent,
  evidence: silent,
  receipts: silent,
  preflight: silent,
  exhaustedIn: silent,
  send: silent,
})

const observeUpTo = (upTo: number, ...nodes: PaymentNode[]) =>
  createAgreedChain(nodes, { feeCeiling: 1_000n }).observeLane({ address: '0xe', upTo })
const observe = (...nodes: PaymentNode[]) => observeUpTo(1_000, ...nodes)
const observePayment = (...nodes: PaymentNode[]) =>
  createAgreedChain(nodes, { feeCeiling: 1_000n }).observePayment({
    payment: paymentIn('broadcast'),
    blockNumber: 100,
  })

describe('an observation of the lane', () => {
  test('needs two nodes where two are configured, and one where there is one', async () => {
    expect(await observe(nodeThat())).toMatchObject({ outcome: 'seen', finalizedNonce: 8 })
    expect(await observe(nodeThat(), nodeThat())).toMatchObject({ outcome: 'seen' })
    expect(await observe(nodeThat(), down)).toEqual({ outcome: 'unavailable' })
    expect(await observe(nodeThat(), nodeThat({ anchor: silent }))).toEqual({
      outcome: 'unavailable',
    })
    expect(await observe(nodeThat(), nodeThat(), down)).toMatchObject({ outcome: 'seen' })
  })

  test('uses the highest block that two nodes consider final', async () => {
    const late = nodeAt({ finalizedNumber: 80, headNonce: 3 })
    const early = nodeAt({ finalizedNumber: 103, headNonce: 11 })
    const view = { outcome: 'seen', headNonce: { common: 3, highest: 9 } }
    expect(await observe(nodeThat(), late)).toMatchObject({ ...view, finalizedNumber: 80 })
    expect(await observe(nodeThat(), late, early)).toMatchObject({
      finalizedNumber: 100,
      headNonce: { common: 9, highest: 11 },
    })
  })

  test('uses no block that the follower has not reached', async () => {
    const asked: number[] = []
    const node = nodeThat({
      anchor: async ({ blockNumber }) => {
        asked.push(blockNumber)
        return { blockHash: '0xb97', nonce: 5 }
      },
    })
    const view = { outcome: 'seen', finalizedNumber: 97, finalizedNonce: 5 }
    expect(await observeUpTo(97, node, node)).toMatchObject(view)
    expect(asked).toEqual([97, 97])
  })

  test.each([
    ['block', { blockHash: '0xother', nonce: 8 }],
    ['nonce', { blockHash: '0xb100', nonce: 9 }],
  ])('is a disagreement when the nodes have another %s there', async (_name, anchor) => {
    const other = nodeThat({ anchor: async () => anchor })
    expect(await observe(nodeThat(), other)).toEqual({ outcome: 'disagree' })
  })

  test('does not ask nodes about a block that is not final for them', async () => {
    const anchor = async () => ({ blockHash: '0xother', nonce: 1 })
    const late = { ...nodeAt({ finalizedNumber: 99 }), anchor }
    expect(await observe(nodeThat(), nodeThat(), late)).toMatchObject({ outcome: 'seen' })
  })

  test('has the market fees of all nodes, below the ceiling', async () => {
    const naming = (maxFeePerGas: bigint) =>
      nodeAt({ fees: { maxFeePerGas, maxPriorityFeePerGas: 1n } })
    const known = { outcome: 'known', fees: head.fees, ceiling: 1_000n }
    expect(await observe(nodeThat(), nodeThat(), naming(10_000n))).toMatchObject({ market: known })
    expect(await observe(nodeThat(), naming(401n))).toMatchObject({
      market: { outcome: 'disagree' },
    })
    expect(await observe(naming(10_000n))).toMatchObject({
      market: { outcome: 'above_ceiling', ceiling: 1_000n },
    })
  })
})

describe('an observation of a payment', () => {
  test('is what two nodes agree on', async () => {
    expect(await observePayment(nodeThat(), nodeThat())).toEqual(executed)
    expect(await observePayment(nodeThat(), down)).toEqual({ outcome: 'unavailable' })
  })

  test.each([
    ['withholds', unpaid],
    ['reports another amount', { ...paid, logs: paid.logs.map((l) => ({ ...l, amount: 1n })) }],
    ['reports another block', { ...paid, logs: paid.logs.map((l) => ({ ...l, blockHash: '0x' })) }],
    ['reports a revert', { ...paid, receipts: [{ ...paid.receipts[0], status: 'reverted' }] }],
  ])('is a disagreement when one %s', async (_name, evidence) => {
    const liar = nodeThat({ evidence: async () => evidence as typeof paid })
    expect(await observePayment(nodeThat(), liar)).toEqual({ outcome: 'disagree' })
    expect(await observePayment(nodeThat(), nodeThat(), liar)).toEqual({ outcome: 'disagree' })
  })
})

describe('an observation of a deposit', () => {
  const observeDeposit = (...nodes: PaymentNode[]) =>
    createAgreedChain(nodes, { feeCeiling: 1_000n }).observePayment({
      payment: { ...paymentIn('broadcast'), expected: null },
      blockNumber: 100,
    })

  test('reads receipts only, on which two nodes must agree', async () => {
    const node = nodeThat({ evidence: silent })
    const { receipts } = paid
    expect(await observeDeposit(node, node)).toEqual({ ...seen(), receipts })
    expect(await observeDeposit(node, down)).toEqual({ outcome: 'unavailable' })
    const withholding = nodeThat({ receipts: async () => [] })
    expect(await observeDeposit(node, withholding)).toEqual({ outcome: 'disagree' })
  })
})

describe('a preflight', () => {
  const saying = (preflight: Preflight) => nodeThat({ preflight: async () => preflight })
  const reverts = saying({ outcome: 'reverts', code: 'cap_exceeded' })
  const ask = (...nodes: PaymentNode[]) =>
    createAgreedChain(nodes, { feeCeiling: 1_000n }).preflight({
      from: '0xe',
      call: { vaultAddress: '0xva', data: '0x', gasLimit: 1n },
    })

  test('is what all answering nodes agree on, and otherwise unavailable', async () => {
    expect(await ask(nodeThat(), down)).toEqual({ outcome: 'passes' })
    expect(await ask(reverts, reverts)).toEqual({ outcome: 'reverts', code: 'cap_exceeded' })
    expect(await ask(nodeThat(), reverts)).toEqual({ outcome: 'unavailable' })
    expect(await ask(down, down)).toEqual({ outcome: 'unavailable' })
  })
})

describe('a send', () => {
  const answering = (answer: NodeSendAnswer) => nodeThat({ send: async () => answer })
  const low = answering('nonce_too_low')
  const cheap = answering('underpriced')
  const send = (...nodes: PaymentNode[]) =>
    createAgreedChain(nodes, { feeCeiling: 1_000n }).send({ raw: '0x' })

  test('is accepted when any node accepted it, and lost when no node answers', async () => {
    expect(await send(low, nodeThat())).toBe('accepted')
    expect(await send(cheap, low)).toBe('nonce_too_low')
    expect(await send(cheap, down)).toBe('underpriced')
    expect(await send(down, down)).toBe('lost')
  })
})
