/** The token or the policy changes between approval, queue and block: nothing is paid under it. */

import { secondsToTimestamp } from '@countersign/proof/values.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeAbiParameters, type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { wakeLane } from '#payments/release-payment.ts'
import {
  attemptsInRows,
  type FaultyTreasury,
  outcomesOf,
  startFaultyTreasury,
  untilLooked,
  withhold,
} from '#test/support/faulty-nodes.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import { pauseToken } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readPayment,
  release,
  renewPolicy,
  step,
  submitAutomatic,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { outcome } from '#test/support/steps.ts'
import { overviewOf } from '#test/support/treasury.ts'

let treasury: FaultyTreasury
let house: PayingHouse
let before: bigint

beforeAll(async () => {
  treasury = await startFaultyTreasury()
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())
beforeEach(async () => {
  treasury.node.heal()
  before = await tokenBalance(house, house.recipient)
})

async function approved(): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  return expense
}

/** Signed and persisted, but withheld from the chain. */
async function inFlight() {
  const withheld = withhold(treasury)
  const expense = await approved()
  await untilPayment(house, expense.paymentId, 'broadcast')
  return { expense, withheld }
}

/** Simulation fails, so the payment stays queued. */
async function queued(): Promise<ReadExpense> {
  const executor = house.executor.toLowerCase()
  let tries = 0
  treasury.node.trouble = ({ method, params }) => {
    const isTrial = method === 'eth_call' && params[0]?.from?.toLowerCase() === executor
    if (isTrial) tries += 1
    return isTrial ? 'hang up' : undefined
  }
  const expense = await approved()
  await expect.poll(() => tries).toBeGreaterThan(0)
  return expense
}

const BLACKLIST_SLOT = 4n

async function blacklistRecipient(isOn: boolean): Promise<void> {
  const { chain } = treasury
  const where = [house.recipient as Address, BLACKLIST_SLOT] as const
  const slot: Hex = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], where),
  )
  const value = `0x${(isOn ? '1' : '0').padStart(64, '0')}`
  await chain.request('hardhat_setStorageAt', chain.tokenAddress, slot, value)
}

const refusals = [
  { what: 'token is paused', refuse: (isOn: boolean) => pauseToken(house, isOn) },
  { what: 'recipient is blacklisted', refuse: blacklistRecipient },
]

async function expectFailed({ id, paymentId }: ReadExpense): Promise<void> {
  const { payment, receipt } = await untilPayment(house, paymentId, 'failed')
  expect([payment.blockCode, receipt]).toEqual(['transaction_reverted', null])
  await untilState(house, id, 'blocked')
  expect(await tokenBalance(house, house.recipient)).toBe(before)
}

describe.for(refusals)('the $what', ({ refuse }) => {
  test('before anything is sent: blocked unsigned, and paid once after it is lifted', async () => {
    const expense = await awaitingApproval(house)
    await refuse(true)
    await approve(house, expense)
    await untilState(house, expense.id, 'blocked')
    const { payment, attempts } = await readPayment(house, expense.paymentId)
    expect([payment.state, payment.blockCode, attempts]).toEqual(['blocked', 'token_refused', []])
    await refuse(false)
    expect((await release(house, expense)).body.state).toBe('queued')
    await expectPaidOnce(house, expense, before)
  })

  test('while it is in flight: failed only once it is reverted for good, then paid', async () => {
    const { expense, withheld } = await inFlight()
    await refuse(true)
    await untilLooked(treasury.node)
    expect((await readPayment(house, expense.paymentId)).payment.state).toBe('broadcast')
    await withheld.deliver(withheld.raws[0])
    await expectFailed(expense)
    treasury.node.heal()
    // Still refused: simulation predicts it now, so nothing is signed.
    expect((await release(house, expense)).body.state).toBe('queued')
    const { payment } = await untilPayment(house, expense.paymentId, 'blocked')
    expect(payment.blockCode).toBe('token_refused')
    await refuse(false)
    expect((await release(house, expense)).body.state).toBe('queued')
    await expectPaidOnce(house, expense, before)
    const nonces = (await attemptsInRows(house, expense.paymentId)).map(({ nonce }) => nonce)
    expect(nonces).toEqual([nonces[0], (nonces[0] ?? 0) + 1])
  })

  test('for a moment while it is in flight: nobody notices', async () => {
    const { expense, withheld } = await inFlight()
    await refuse(true)
    await untilLooked(treasury.node)
    await refuse(false)
    await withheld.deliver(withheld.raws[0])
    await expectPaidOnce(house, expense, before)
    expect(await outcomesOf(house, expense.paymentId)).toEqual(['confirmed'])
  })
})

async function stopPolicy(): Promise<void> {
  const brake = { abi: vaultAbi, functionName: 'emergencyPause', args: [] }
  const { chain } = treasury
  await chain.mined(await house.ownerWallet.call({ address: house.vault.address, ...brake }))
  await expect.poll(async () => (await overviewOf(treasury, house)).policy.paused).toBe(true)
}

/** The policy versions under which the vault has paid this; at most one. */
async function paidUnder({ paymentId }: ReadExpense): Promise<bigint[]> {
  const { payment } = await readPayment(house, paymentId)
  const logs = await treasury.chain.client.getContractEvents({
    address: house.vault.address,
    abi: vaultAbi,
    eventName: 'PaymentExecuted',
    fromBlock: 0n,
  })
  const own = logs.filter(({ args }) => args.paymentId === payment.chainPaymentId)
  return own.map(({ args }) => args.policyVersion ?? 0n)
}

const policyVersion = async () => BigInt((await overviewOf(treasury, house)).policy.version)

/** Only a new signature under the current policy leads to payment. */
async function expectPaidUnderNewPolicy(expense: ReadExpense): Promise<void> {
  treasury.node.heal()
  await untilState(house, expense.id, 'awaiting_approval')
  expect(outcome(await release(house, expense))).toBe('409 state_conflict')
  expect((await approve(house, expense)).status).toBe(202)
  await expectPaidOnce(house, expense, before)
  expect(await paidUnder(expense)).toEqual([await policyVersion()])
}

describe('the owner', () => {
  test('stops the policy while a payment is queued: it is blocked unsigned', async () => {
    const expense = await queued()
    await stopPolicy()
    treasury.node.heal()
    const { payment, attempts } = await untilPayment(house, expense.paymentId, 'blocked')
    expect([payment.blockCode, attempts]).toEqual(['policy_paused', []])
    await renewPolicy(house)
    await expectPaidUnderNewPolicy(expense)
  })

  test('changes the policy while a payment is queued: its signature is void', async () => {
    const expense = await queued()
    await renewPolicy(house)
    const { payment, attempts } = await untilPayment(house, expense.paymentId, 'blocked')
    expect([payment.blockCode, attempts]).toEqual(['approval_superseded', []])
    await expectPaidUnderNewPolicy(expense)
  })

  test('changes the policy while a payment waits for gas: it is tried again at once', async () => {
    const { asOwner } = treasury.service.database
    await treasury.chain.request('hardhat_setBalance', house.executor, '0x0')
    const expense = await submitAutomatic(house)
    // As after many attempts.
    const late = `update payments set postponed_until = now() + interval '1 hour'
      where id = $1 and postponed_until is not null returning id`
    await expect.poll(() => asOwner(late, [expense.paymentId])).toHaveLength(1)
    await treasury.chain.request('hardhat_setBalance', house.executor, '0xde0b6b3a7640000')
    await renewPolicy(house)
    await expectPaidOnce(house, expense, before)
  })

  test('stops the policy while a payment is in flight: the vault refuses it', async () => {
    const { expense, withheld } = await inFlight()
    await stopPolicy()
    await withheld.deliver(withheld.raws[0])
    await expectFailed(expense)
    expect(await paidUnder(expense)).toEqual([])
    await renewPolicy(house)
    await expectPaidUnderNewPolicy(expense)
  })

  test('changes the policy while a payment is in flight: the vault refuses it', async () => {
    const { expense, withheld } = await inFlight()
    await renewPolicy(house)
    await untilLooked(treasury.node)
    expect(await outcomesOf(house, expense.paymentId)).toEqual([])
    await withheld.deliver(withheld.raws[0])
    await expectFailed(expense)
    expect(outcome(await release(house, expense))).toBe('409 policy_violation')
    const review = { expectedVersion: 1, action: 'advance_to_approval', reason: 'Sign it again' }
    const path = `expenses/${expense.id}/review`
    expect((await step(house, path, review, house.manager)).status).toBe(200)
    await expectPaidUnderNewPolicy(expense)
  })
})

/** The first of these lengths whose current period ends late enough for a test. */
async function openPeriod(room: bigint) {
  const { client } = treasury.chain
  const { timestamp } = await client.getBlock()
  const endOf = (seconds: number) => Math.floor(Number(timestamp) / seconds) + 1
  const lengths = [3_600, 5_000, 7_000]
  const left = (seconds: number) => endOf(seconds) * seconds - Number(timestamp)
  const periodSeconds = lengths.find((seconds) => left(seconds) > 300) ?? 3_600
  const vault = { address: house.vault.address, abi: vaultAbi }
  const [spent] = await client.readContract({ ...vault, functionName: 'spentInPeriod' })
  const periodCap = (spent + room).toString()
  await renewPolicy(house, { periodSeconds, periodCap, automaticPeriodCap: '0' })
  return { endsAtSeconds: endOf(periodSeconds) * periodSeconds }
}

/** Signed for a day, sent, and withheld from the chain. */
async function inFlightForADay(amountBaseUnits: string) {
  const expense = await awaitingApproval(house, { amountBaseUnits })
  const signed = await approve(house, expense, undefined, { deadlineSeconds: 86_400 })
  expect(signed.status).toBe(202)
  await untilPayment(house, expense.paymentId, 'broadcast')
  const [attempt] = await attemptsInRows(house, expense.paymentId)
  return { ...expense, raw: attempt?.raw as Hex }
}

const wakeAt = async (seconds: number) => {
  await treasury.chain.request('evm_mine', `0x${seconds.toString(16)}`)
  const { database, ctx } = treasury.service
  const [row] = await database.asOwner<{ laneId: string }>(
    `update payments set postponed_until = now(), period_ends_at = now()
     where organization_id = $1 and state = 'queued' returning lane_id as "laneId"`,
    [house.id],
  )
  const lane = { organizationId: house.id, laneId: row?.laneId ?? '' }
  await ctx.db.transaction({ organizationId: house.id }, (tx) => wakeLane(tx, lane))
}

// Last, because the chain's clock is ahead afterwards.
test('a period used up before the block: it waits for the next, and is paid once', async () => {
  const { endsAtSeconds } = await openPeriod(3_000_000n)
  // The service believes in more room than there is, and both pass the simulation.
  await treasury.service.database.asOwner(
    'update policies set period_cap = period_cap + 1000000 where organization_id = $1',
    [house.id],
  )
  const withheld = withhold(treasury)
  const first = await inFlightForADay('2000000')
  const second = await inFlightForADay('2000000')
  await withheld.deliver(first.raw)
  await withheld.deliver(second.raw)
  await expectPaidOnce(house, first, before)

  const { payment, attempts } = await untilPayment(house, second.paymentId, 'queued')
  expect(payment).toMatchObject({
    postponedUntil: secondsToTimestamp(endsAtSeconds),
    ...{ blockCode: null, transactionHash: null, executorAddress: null },
  })
  expect(attempts).toMatchObject([{ state: 'cleared', errorCode: 'period_cap_exceeded' }])
  await untilState(house, second.id, 'approved_ready_for_payment')
  expect(await outcomesOf(house, second.paymentId)).toEqual([])

  treasury.node.heal()
  await wakeAt(endsAtSeconds)
  await expectPaidOnce(house, second, before + 2_000_000n)
  expect(await outcomesOf(house, second.paymentId)).toEqual(['confirmed'])
})
