/** Evidence with logs, blocks or transfers that the chain does not have. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { type Hex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { claimedIn, evidenceFor, paid } from '#test/support/evidence.ts'
import { randomHash, sent } from '#test/support/paying-vaults.ts'
import { useStage } from './stage.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

describe('a log that does not belong to this payment', () => {
  const placeOf = ({ event }: Evidence) => ({
    transactionHash: (event?.transactionHash ?? '0x') as Hex,
    blockNumber: BigInt(event?.blockNumber ?? 0),
    blockHash: (event?.blockHash ?? '0x') as Hex,
  })

  test("11: the log of another payment's transaction", async () => {
    const unpaid = await evidenceFor(stage.payer, stage.vault)
    await expectRefusedByChain(claimedIn(unpaid, placeOf(stage.honest)), [
      "chain: the vault's log of this payment",
      "chain: the token's transfer from vault to recipient",
    ])
  })

  test('12: an unknown transaction', async () => {
    const place = { ...placeOf(stage.honest), transactionHash: randomHash() }
    await expectRefusedByChain(claimedIn(stage.honest, place), ['chain: transaction'])
  })

  test('13: a transaction that was reverted', async () => {
    const again = await sent(stage.payer, stage.payer.executor, {
      to: stage.vault.address,
      data: '0x2e1a7d4d',
    })
    expect(again.status).toBe('reverted')
    const unpaid = await evidenceFor(stage.payer, stage.vault)
    await expectRefusedByChain(claimedIn(unpaid, again), [
      'chain: transaction succeeded',
      "chain: the vault's log of this payment",
    ])
  })

  test("14: a block hash or number other than the receipt's", async () => {
    const place = placeOf(stage.honest)
    await expectRefusedByChain(claimedIn(stage.honest, { ...place, blockHash: randomHash() }), [
      'chain: block hash',
    ])
    await expectRefusedByChain(claimedIn(stage.honest, { ...place, blockNumber: 1n }), [
      'chain: block number',
    ])
  })

  test('15: a past payment with another amount and every hash recomputed', async () => {
    const other = await evidenceFor(stage.payer, stage.vault, { amount: 701n })
    const payment = { ...other.payment }
    expect(payment.chainPaymentId).not.toBe(stage.honest.payment.chainPaymentId)
    await expectRefusedByChain(claimedIn(other, placeOf(stage.honest)), [
      "chain: the vault's log of this payment",
    ])
  })
})

describe('a block that is not final', () => {
  test('16: a block that was replaced at its height', async () => {
    stage.proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
      params[0] === 'finalized' ? block : { ...block, hash: randomHash() },
    )
    await expectRefused(stage.honest, ['chain: final block'])
  })

  test('17: a block without enough confirmations, accepted at exactly that depth', async () => {
    const head = Number(await stage.payer.chain.client.getBlockNumber({ cacheTime: 0 }))
    const depth = head - (stage.honest.event?.blockNumber ?? 0) + 1
    expect((await check(stage.honest, { confirmations: depth })).verdict).toBe('verified')
    await expectRefused(stage.honest, ['chain: final block'], { confirmations: depth + 1 })
  })

  test('18: a block that is not finalized yet, or a node without finality', async () => {
    const before = `0x${((stage.honest.event?.blockNumber ?? 1) - 1).toString(16)}`
    stage.proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
      params[0] === 'finalized' ? { ...block, number: before } : block,
    )
    await expectRefused(stage.honest, ['chain: final block'])
    stage.proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
      params[0] === 'finalized' ? null : block,
    )
    await expectRefused(stage.honest, ['chain: final block'])
    expect((await check(stage.honest, { confirmations: 1 })).verdict).toBe('verified')
  })

  test('19: a payment that a reorganisation removed', async () => {
    const snapshot = await stage.payer.chain.request('evm_snapshot')
    const gone = await paid(stage.payer, stage.vault)
    expect((await check(gone)).verdict).toBe('verified')
    await stage.payer.chain.request('evm_revert', snapshot)
    await expectRefusedByChain(gone, ['chain: transaction'])
  })

  test("20: a chain other than the node's", async () => {
    stage.proxy.tamper = onlyFor('eth_chainId', () => '0x1')
    await expectRefusedByChain(stage.honest, ['chain: the node serves the chain'])
  })

  test('21: two nodes that disagree', async () => {
    stage.proxy.tamper = onlyFor('eth_getCode', () => '0x6001')
    const witnesses = [stage.payer.chain.rpcUrl, stage.proxy.url].map(createPaymentWitness)
    await expectRefused(stage.honest, ['chain: the nodes agree'], { witnesses })
  })
})

describe('a transfer that does not match', () => {
  const transferTo = (change: (log: { topics: Hex[]; data: Hex }) => object) => {
    const token = stage.payer.chain.tokenAddress.toLowerCase()
    stage.proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: { logs: never[] }) => ({
      ...receipt,
      logs: receipt.logs.map((log: { address: string; topics: Hex[]; data: Hex }) =>
        log.address.toLowerCase() === token ? { ...log, ...change(log) } : log,
      ),
    }))
  }
  const link = "chain: the token's transfer from vault to recipient"

  test('22: a transfer to another recipient', async () => {
    transferTo(({ topics: [signature, from] }) => ({
      topics: [signature, from, pad(stage.payer.owner.address, { size: 32 })],
    }))
    await expectRefused(stage.honest, [link])
  })

  test('23: a transfer of another amount', async () => {
    transferTo(() => ({ data: pad('0x2bd', { size: 32 }) }))
    await expectRefused(stage.honest, [link])
  })

  test('24: a transfer of another token', async () => {
    transferTo(() => ({ address: stage.payer.recipient }))
    await expectRefused(stage.honest, [link])
  })

  test('25: a transfer before the log, of an earlier payment', async () => {
    transferTo(() => ({ logIndex: '0x0' }))
    stage.proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: { logs: object[] }) => ({
      ...receipt,
      logs: [...receipt.logs]
        .reverse()
        .map((log, index) => ({ ...log, logIndex: `0x${index.toString(16)}` })),
    }))
    await expectRefused(stage.honest, [link])
  })
})
