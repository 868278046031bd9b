/** Payments delegated to a provider: its report says where to look, and the vault's log decides. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Fate, fates } from '#test/support/circle-emulator.ts'
import {
  ageState,
  ageWords,
  type CircleTreasury,
  delegatedInRows,
  madeByKey,
  startCircleTreasury,
} from '#test/support/circle-treasury.ts'
import { asOwner, forgetAttempts, untilLaneRests, writeStates } from '#test/support/lane-rows.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import { executions, pauseToken } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readPayment,
  release,
  step,
  tokenBalance,
} from '#test/support/payments.ts'
import { auditTrail } from '#test/support/steps.ts'

let treasury: CircleTreasury
let house: PayingHouse
let before: bigint

beforeAll(async () => {
  // Its transactions come from a bundler and succeed even if the inner call reverts.
  treasury = await startCircleTreasury({ accountType: 'SCA' })
  house = await openPayingHouse(treasury, { hasGas: false })
})
afterAll(() => treasury.stop())
beforeEach(async () => {
  before = await tokenBalance(house, house.recipient)
})

async function approved(fate: Fate = {}): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  treasury.circle.destine(fate)
  expect((await approve(house, expense)).status).toBe(202)
  return expense
}

const madeFor = ({ paymentId }: ReadExpense) => madeByKey(treasury, house, paymentId)

const requests = () => treasury.circle.seen.filter(({ operation }) => operation === 'execute')

/** Expects that nothing is in flight: the payment can be released again, and the money is free. */
async function expectReleasable(expense: ReadExpense, state: string, code: string): Promise<void> {
  const { payment } = await untilPayment(house, expense.paymentId, state)
  expect(payment.blockCode).toBe(code)
  const [row] = await asOwner<{ open: boolean }>(
    house,
    'select has_open_attempt as open from payments where id = $1',
    [expense.paymentId],
  )
  expect(row?.open).toBe(false)
}

async function releaseAgain(expense: ReadExpense): Promise<void> {
  expect((await release(house, expense)).status).toBe(202)
  await expectPaidOnce(house, expense, before)
  const attempts = await delegatedInRows(house, expense.paymentId)
  expect(attempts.map(({ state }) => state)).toEqual(['cleared', 'mined'])
  expect(new Set(attempts.map(({ key }) => key)).size).toBe(2)
}

test("pays with the provider's reference and hash, but no nonce or fee", async () => {
  const expense = await approved()
  const { payment, attempts, receipt } = await expectPaidOnce(house, expense, before)
  const [made] = await madeFor(expense)
  expect(made).toMatchObject({ requests: 1, contractAddress: house.vault.address.toLowerCase() })
  expect(payment).toMatchObject({
    executorProviderType: 'developer_controlled_wallet',
    executorAddress: house.executor,
    providerReference: made?.id,
    transactionHash: made?.txHash,
  })
  expect(attempts).toMatchObject([
    { number: 1, nonce: null, maxFeePerGas: null, transactionHash: made?.txHash, state: 'mined' },
  ])
  const { from } = await treasury.chain.client.getTransaction({ hash: receipt.transactionHash })
  expect(from).not.toBe(house.executor)
  const trail = await auditTrail(treasury.service.database, house.id)
  const [written] = trail.filter(
    ({ action, aggregateId }) => action === 'payment.submitted' && aggregateId === payment.id,
  )
  expect(written?.data).toMatchObject({ idempotencyKey: made?.idempotencyKey })
})

describe('without an answer from the provider', () => {
  test.each([
    ['after a lost answer', 'lost after'],
    ['after a lost request', 'lost before'],
    ['after a 429', { status: 429, headers: { 'retry-after': '1' } }],
    ['after an unexpected answer', { instead: { data: 'no' } }],
  ] as const)('%s the provider is asked again with the same key', async (_case, fault) => {
    const { length } = requests()
    treasury.circle.fail('execute', fault)
    const expense = await approved()
    await expect.poll(() => requests().length).toBe(length + 1)
    await untilPayment(house, expense.paymentId, 'submitting')
    await ageWords(house, expense.paymentId, '4 seconds')
    await expectPaidOnce(house, expense, before)
    expect(await madeFor(expense)).toHaveLength(1)
    expect(await delegatedInRows(house, expense.paymentId)).toHaveLength(1)
  })

  test('it is asked again after the delay, and refusing the repeat proves nothing', async () => {
    const { length } = requests()
    treasury.circle.fail('execute', 'lost after', { status: 400, body: '{"code":2,"message":""}' })
    const expense = await approved(fates.held)
    await expect.poll(() => requests().length).toBe(length + 1)
    await ageWords(house, expense.paymentId, '4 seconds')
    await expect.poll(() => requests().length).toBe(length + 2)
    const [made] = await madeFor(expense)
    expect((await untilPayment(house, expense.paymentId, 'submitting')).attempts).toHaveLength(1)
    await treasury.circle.proceed(made?.id)
    await ageWords(house, expense.paymentId, '4 seconds')
    await expectPaidOnce(house, expense, before)
    // Paid by now: the vault's log is found, and the provider is not asked a third time.
    expect(await madeFor(expense)).toMatchObject([{ requests: 1 }])
    expect(requests()).toHaveLength(length + 2)
  })

  test('an outage of a minute leaves it reconciling until the provider is back', async () => {
    const expense = await approved(fates.held)
    const told = () => readPayment(house, expense.paymentId)
    await expect.poll(async () => (await told()).payment.providerReference).not.toBeNull()
    treasury.circle.setDown(true)
    await expect.poll(() => treasury.circle.seen.at(-1)?.status).toBe('lost')
    await ageState(house, expense.paymentId, '2 minutes')
    await ageWords(house, expense.paymentId, '2 minutes')
    await untilPayment(house, expense.paymentId, 'reconciling')
    treasury.circle.setDown(false)
    await treasury.circle.proceed()
    await expectPaidOnce(house, expense, before)
  })
})

describe('a payment that the provider does not execute', () => {
  test('is blocked when denied, and released again with another key', async () => {
    const expense = await approved(fates.denied)
    await expectReleasable(expense, 'blocked', 'provider_denied')
    const [attempt] = await delegatedInRows(house, expense.paymentId)
    expect(attempt).toMatchObject({ status: 'denied', hash: null, code: 'transaction_denied' })
    await releaseAgain(expense)
  })

  test('is blocked when refused at the first request, and nothing was created', async () => {
    const { length } = treasury.circle.transactions
    treasury.circle.fail('execute', { status: 400, body: '{"code":2,"message":"no"}' })
    const expense = await approved()
    await expectReleasable(expense, 'blocked', 'provider_refused')
    expect(treasury.circle.transactions).toHaveLength(length)
    await releaseAgain(expense)
  })

  test.each([
    ['failed before anything was sent', fates.failed, 'provider_failed'],
    ['cancelled', fates.cancelled, 'provider_cancelled'],
  ] as const)('(%s) is failed, and can be released again', async (_case, fate, code) => {
    const expense = await approved(fate)
    await expectReleasable(expense, 'failed', code)
    await releaseAgain(expense)
  })

  test('is failed when its call reverted in a successful bundle, and no money moved', async () => {
    const expense = await awaitingApproval(house)
    treasury.circle.destine({ sends: 'when told', skipsEstimate: true })
    expect((await approve(house, expense)).status).toBe(202)
    await expect.poll(async () => (await madeFor(expense)).length).toBe(1)
    await pauseToken(house, true)
    await treasury.circle.proceed()
    await expectReleasable(expense, 'failed', 'provider_failed')
    await pauseToken(house, false)
    const [attempt] = await delegatedInRows(house, expense.paymentId)
    const receipt = await treasury.chain.client.getTransactionReceipt({
      hash: attempt?.hash as `0x${string}`,
    })
    expect(receipt.status).toBe('success')
    await releaseAgain(expense)
  })
})

describe("a provider's report is not proof", () => {
  test('a payment reported failed is confirmed when the vault has paid', async () => {
    const expense = await approved(fates.saidToFail)
    await expectPaidOnce(house, expense, before)
    expect(await delegatedInRows(house, expense.paymentId)).toMatchObject([
      { status: 'failed', state: 'mined' },
    ])
  })

  test("a payment reported complete but not found waits for a member's decision", async () => {
    const expense = await approved(fates.saidToPay)
    const { paymentId } = expense
    await untilPayment(house, paymentId, 'broadcast')
    expect((await readPayment(house, paymentId)).receipt).toBeNull()
    await ageState(house, paymentId, '2 hours')
    const { payment } = await untilPayment(house, paymentId, 'blocked')
    expect(payment.blockCode).toBe('execution_not_found')
    expect((await release(house, expense)).status).toBe(202)
    await expectReleasable(expense, 'failed', 'execution_not_found')
    await releaseAgain(expense)
  })

  test('a payment reported stuck is reconciling until it continues', async () => {
    const expense = await approved(fates.stuck)
    await untilPayment(house, expense.paymentId, 'reconciling')
    await treasury.circle.proceed()
    await expectPaidOnce(house, expense, before)
  })

  test('an unknown reported state counts as in flight', async () => {
    const expense = await approved({ sends: 'when told', says: 'PENDING_RISK_SCREENING' })
    await expect.poll(async () => (await madeFor(expense)).length).toBe(1)
    expect((await readPayment(house, expense.paymentId)).payment.state).toBe('submitting')
    await treasury.circle.proceed()
    await expectPaidOnce(house, expense, before)
  })
})

describe('after changes to the database', () => {
  const QUEUED = { payment: 'queued', expense: 'approved_ready_for_payment' }

  test('rows changed before the repeat block it, and nothing is requested', async () => {
    const { length } = requests()
    treasury.circle.fail('execute', 'lost before')
    const expense = await approved()
    await expect.poll(() => requests().length).toBe(length + 1)
    const change = 'update payments set amount = amount + $2 where id = $1'
    await asOwner(house, change, [expense.paymentId, 1])
    await ageWords(house, expense.paymentId, '4 seconds')
    const { payment } = await untilPayment(house, expense.paymentId, 'blocked')
    expect(payment.blockCode).toBe('evidence_mismatch')
    expect(requests()).toHaveLength(length + 1)

    await asOwner(house, change, [expense.paymentId, -1])
    const body = { expectedVersion: 1 }
    const asked = await step(house, `payments/${expense.paymentId}/reconcile`, body)
    expect(asked.status).toBe(202)
    await expectPaidOnce(house, expense, before)
  })

  test('an old backup of a payment in flight repeats the same key and pays once', async () => {
    const expense = await approved(fates.held)
    const { paymentId } = expense
    await expect.poll(async () => (await madeFor(expense)).length).toBe(1)
    const [first] = await delegatedInRows(house, paymentId)
    await treasury.worker.stop()
    await forgetAttempts(house, paymentId)
    await writeStates(house, expense, QUEUED)
    await treasury.worker.start()
    await untilPayment(house, paymentId, 'submitting')
    expect(await delegatedInRows(house, paymentId)).toMatchObject([{ key: first?.key }])
    await treasury.circle.proceed()
    await expectPaidOnce(house, expense, before)
    expect(await madeFor(expense)).toHaveLength(1)
  })

  test('an old backup of a completed payment finds it by its log without a request', async () => {
    const expense = await approved()
    await expectPaidOnce(house, expense, before)
    await untilLaneRests(house)
    const { length } = requests()
    await forgetAttempts(house, expense.paymentId)
    await writeStates(house, expense, QUEUED)
    // Any other event that wakes the lane reveals it.
    await untilPayment(house, (await approved()).paymentId, 'confirmed')
    const { payment } = await untilPayment(house, expense.paymentId, 'confirmed')
    const times = (await executions(house)).filter((one) => one === payment.chainPaymentId)
    expect([times.length, requests().length]).toEqual([1, length + 1])
  })
})

test('a worker that is stopping does not wait for the provider', async () => {
  treasury.circle.fail('execute', 'silent')
  const expense = await approved()
  await expect.poll(() => treasury.circle.waiting()).toBe(1)
  const begun = performance.now()
  await treasury.worker.stop()
  expect(performance.now() - begun).toBeLessThan(7_500)
  const [attempt] = await delegatedInRows(house, expense.paymentId)
  expect(attempt).toMatchObject({ status: null, state: 'sent' })
  treasury.circle.letGo()
  await treasury.worker.start()
  await ageWords(house, expense.paymentId, '4 seconds')
  await expectPaidOnce(house, expense, before)
  expect(await madeFor(expense)).toHaveLength(1)
})
