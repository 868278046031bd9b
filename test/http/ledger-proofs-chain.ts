/** Ledger signature proofs against a real chain, sent by keys that the service never sees. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, decodeFunctionData, type Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { hold, type TestWallet, tokenAbi } from '#test/support/chain.ts'
import { evidenceOf, type Operator, operatorIn } from '#test/support/ledger-proofs.ts'
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { deployVault, randomHash, type Treasury } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse
let operator: Operator
let stranger: TestWallet

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openPayingHouse(treasury)
  operator = await operatorIn(treasury.service, house.id)
  stranger = await treasury.chain.wallet({ baseUnits: 5_000_000n })
}, 60_000)

const lower = (address: string) => address.toLowerCase()

const deployment = (signer: TestWallet = house.ownerWallet) => ({
  kind: 'deployment',
  signer: lower(signer.address),
  owner: lower(house.ownerWallet.address),
})
const funding = (signer: TestWallet = house.ownerWallet) => ({
  ...deployment(signer),
  kind: 'funding',
  vault: lower(house.vault.address),
})
const NEW_RECIPIENT = `0x${'7'.repeat(40)}`

const configure = (more: Record<string, string> = {}) => ({
  ...funding(),
  kind: 'configure',
  executor: lower(stranger.address),
  recipient: NEW_RECIPIENT,
  ...more,
})

const mined = async (hash: Hex) => {
  await treasury.chain.mined(hash)
  return hash
}
const allow = async (wallet: TestWallet, amount: bigint) => {
  const { tokenAddress: address } = treasury.chain
  const args = [house.vault.address, amount]
  return mined(await wallet.call({ address, abi: tokenAbi, functionName: 'approve', args }))
}

describe('each kind of proof, sent as prepared', () => {
  test("confirms a deployment, with the vault's address as evidence", async () => {
    const { id, intent, intentHash } = await operator.takeInHand(deployment())
    const hash = await house.ownerWallet.send(intent.transaction)
    const confirmed = await operator.confirm(id, hash)
    expect(confirmed.body).toMatchObject({ state: 'confirmed', transactionHash: hash })
    const { contractAddress, ...evidence } = evidenceOf(confirmed)
    expect(evidence).toMatchObject({
      outcome: 'final',
      differences: [],
      receiptStatus: 'success',
      confirmationsNeeded: 1,
      intentHash,
    })
    const owner = await treasury.chain.client.readContract({
      address: contractAddress as Address,
      abi: vaultAbi,
      functionName: 'owner',
    })
    expect(owner).toBe(house.ownerWallet.address)
  })

  test('confirms a deployment sent for the owner by somebody else', async () => {
    const { id, intent } = await operator.takeInHand(deployment(stranger))
    const confirmed = await operator.confirm(id, await stranger.send(intent.transaction))
    expect(confirmed.body.state).toBe('confirmed')
    const owner = await treasury.chain.client.readContract({
      address: evidenceOf(confirmed).contractAddress,
      abi: vaultAbi,
      functionName: 'owner',
    })
    expect(owner).toBe(house.ownerWallet.address)
  })

  test('deposits one whole token for a funding proof', async () => {
    await allow(stranger, 1_000_000n)
    const { id, intent } = await operator.takeInHand(funding(stranger))
    const { to, data, value } = intent.transaction
    expect([to, value]).toEqual([lower(house.vault.address), '0x0'])
    expect(decodeFunctionData({ abi: vaultAbi, data })).toEqual({
      functionName: 'deposit',
      args: [1_000_000n],
    })
    const balance = () =>
      treasury.chain.client.readContract({
        address: treasury.chain.tokenAddress,
        abi: tokenAbi,
        functionName: 'balanceOf',
        args: [house.vault.address],
      })
    const before = await balance()
    const confirmed = await operator.confirm(id, await stranger.send(intent.transaction))
    expect(confirmed.body.state).toBe('confirmed')
    expect((await balance()) - before).toBe(1_000_000n)
  })

  test('keeps the current policy for configure, except executor and recipient', async () => {
    const { id, intent } = await operator.takeInHand(configure())
    const call = decodeFunctionData({ abi: vaultAbi, data: intent.transaction.data })
    const [version, policy, list, added] = call.args as unknown as [
      ...[bigint, Record<string, unknown>, bigint, string[]],
    ]
    expect([call.functionName, version]).toEqual(['configurePolicyAndRecipients', 1n])
    expect([list, added]).toEqual([1n, [NEW_RECIPIENT]])
    expect(policy).toMatchObject({
      executor: stranger.address,
      approvers: [house.approverWallet.address],
      approvedCap: 50_000_000n,
      lifetimeCap: 90_000_000n,
      paused: false,
    })
    const hash = await house.ownerWallet.send(intent.transaction)
    expect((await operator.confirm(id, hash)).body.state).toBe('confirmed')
  })

  test('prepares a minimal, paused policy for a vault without one', async () => {
    const second = await deployVault(treasury, house, 'Second')
    const { id, intent } = await operator.takeInHand(configure({ vault: lower(second.address) }))
    const call = decodeFunctionData({ abi: vaultAbi, data: intent.transaction.data })
    const [version, policy, list, added] = call.args as unknown as [
      ...[bigint, Record<string, unknown>, bigint, string[]],
    ]
    expect([version, list, added]).toEqual([0n, 0n, [NEW_RECIPIENT]])
    expect(policy).toMatchObject({
      automaticEnabled: false,
      automaticCap: 0n,
      paused: true,
    })
    const hash = await house.ownerWallet.send(intent.transaction)
    expect((await operator.confirm(id, hash)).body.state).toBe('confirmed')
  })
})

describe('a mismatched transaction', () => {
  const sentInstead: [string, string[], (intent: never) => Promise<Hex>][] = [
    ['sender', ['sender'], ({ transaction }) => stranger.send(transaction)],
    [
      'target',
      ['target'],
      ({ transaction }: { transaction: { data: string; gas: string } }) =>
        house.ownerWallet.send({ ...transaction, to: stranger.address }),
    ],
    [
      'data',
      ['data'],
      ({ transaction }: { transaction: { data: string; to: string; gas: string } }) =>
        house.ownerWallet.send({
          ...transaction,
          data: transaction.data.replace(/.$/, '1'),
        }),
    ],
    ['value', ['value'], ({ transaction }) => house.ownerWallet.send(transaction, { wei: 1n })],
  ]

  test.each(sentInstead)(
    'with another %s fails the proof and names the difference',
    async (_, differs, send) => {
      const { id, intent } = await operator.takeInHand(funding())
      const hash = await mined(await send(intent as never))
      const failed = await operator.confirm(id, hash)
      expect(failed.body).toMatchObject({
        state: 'failed',
        errorCode: 'transaction_mismatch',
        transactionHash: hash,
      })
      expect(evidenceOf(failed)).toMatchObject({ outcome: 'mismatch', differences: differs })
      const again = await operator.confirm(id, hash)
      expect(again.body).toEqual(failed.body)
    },
  )

  test('of another proof does not confirm this one', async () => {
    const first = await operator.takeInHand(deployment())
    const hash = await house.ownerWallet.send(first.intent.transaction)
    const second = await operator.takeInHand(funding())
    expect((await operator.confirm(second.id, hash)).body.state).toBe('failed')
    expect((await operator.confirm(first.id, hash)).body.state).toBe('confirmed')
  })
})

test('a reverted transaction fails the proof', async () => {
  await allow(house.ownerWallet, 0n)
  const { id, intent } = await operator.takeInHand(funding())
  const hash = await house.ownerWallet.send(intent.transaction)
  expect(await treasury.chain.mined(hash)).toBe('reverted')
  const failed = await operator.confirm(id, hash)
  expect(failed.body).toMatchObject({ state: 'failed', errorCode: 'transaction_reverted' })
  expect(evidenceOf(failed)).toMatchObject({ outcome: 'reverted', receiptStatus: 'reverted' })
})

describe('an undecided proof', () => {
  test('stays claimed for an unknown hash, and accepts the right one later', async () => {
    const { id, intent } = await operator.takeInHand(deployment())
    const held = await hold(treasury.chain, house.ownerWallet, intent.transaction)
    const unknown = await operator.confirm(id, randomHash())
    expect(unknown).toMatchObject({ status: 200, body: { state: 'claimed' } })
    expect(unknown.body).not.toHaveProperty('errorCode')
    expect(evidenceOf(unknown)).toMatchObject({ outcome: 'unseen', confirmations: 0 })
    await held.broadcast()
    expect((await operator.confirm(id, held.hash)).body).toMatchObject({
      state: 'confirmed',
      transactionHash: held.hash,
    })
  })

  test('stays claimed until its transaction is final', async () => {
    const { chain } = treasury.service.ctx
    const { confirmations } = chain
    chain.confirmations = 4
    try {
      const { id, intent } = await operator.takeInHand(deployment())
      const hash = await mined(await house.ownerWallet.send(intent.transaction))
      const waiting = await operator.confirm(id, hash)
      expect(waiting.body).toMatchObject({ state: 'claimed', transactionHash: hash })
      expect(evidenceOf(waiting)).toMatchObject({
        outcome: 'waiting',
        confirmations: 1,
        confirmationsNeeded: 4,
      })
      for (let block = 0; block < 3; block += 1) await treasury.chain.request('evm_mine')
      const confirmed = await operator.confirm(id, hash)
      expect(confirmed.body.state).toBe('confirmed')
      expect(evidenceOf(confirmed).confirmations).toBeGreaterThanOrEqual(4)
    } finally {
      chain.confirmations = confirmations
    }
  })

  test('ends once when it is confirmed concurrently', async () => {
    const { id, intent } = await operator.takeInHand(deployment())
    const hash = await mined(await house.ownerWallet.send(intent.transaction))
    const answers = await Promise.all([1, 2, 3].map(() => operator.confirm(id, hash)))
    expect(answers.map(({ body }) => body.state)).toEqual(['confirmed', 'confirmed', 'confirmed'])
    const ends = await treasury.service.database.asOwner(
      `select from audit_events where aggregate_id = $1 and action = 'ledger_proof.confirmed'`,
      [id],
    )
    expect(ends).toHaveLength(1)
  })
})
