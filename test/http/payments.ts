/** Release, detail and activity of payments, and their effect on balances. */
import { beforeAll, describe, expect, test } from 'vitest'
import { manualHouse, reservedIn } from '#test/http/manual-house.ts'
import { joinOrganization, type Person } from '#test/support/app.ts'
import { executions } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  type PayingHouse,
  type ReadExpense,
  readPayment,
  release,
  renewPolicy,
  step,
  submitExpense,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { outcome, randomAddress } from '#test/support/steps.ts'
import { deployVault, key, overviewOf, type Treasury } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
})

const NOBODYS = '00000000-0000-7000-8000-000000000000'

const get = (path: string, { token }: Person) =>
  treasury.service.call('GET', `${house.path}/${path}`, { token })

const paymentOf = async ({ paymentId }: ReadExpense) =>
  (await readPayment(house, paymentId)).payment

async function paid(): Promise<ReadExpense> {
  const expense = await reservedIn(house)
  expect((await release(house, expense)).status).toBe(202)
  return untilState(house, expense.id, 'paid')
}

describe('POST expenses/{expenseId}/payments', () => {
  test('sends the payment when release is manual, and is repeatable', async () => {
    const expense = await reservedIn(house)
    expect(expense.state).toBe('approved_ready_for_payment')
    const before = await readPayment(house, expense.paymentId)
    expect([before.payment.state, before.attempts]).toEqual(['reserved', []])
    const first = await release(house, expense)
    expect([first.status, first.body.state]).toEqual([202, 'queued'])
    expect((await release(house, expense, house.owner)).status).toBe(202)
    await untilState(house, expense.id, 'paid')
    const late = await release(house, expense)
    expect([late.status, late.body.state]).toEqual([202, 'confirmed'])
    const { payment, attempts } = await readPayment(house, expense.paymentId)
    expect(attempts).toHaveLength(1)
    const times = (await executions(house)).filter((id) => id === payment.chainPaymentId)
    expect(times).toHaveLength(1)
  })

  test('is refused for employees, stale versions and unknown expenses', async () => {
    const expense = await reservedIn(house)
    expect(outcome(await release(house, expense, house.employee))).toBe('403 role_required')
    const stale = { ...expense, currentRevision: 2 }
    expect(outcome(await release(house, stale))).toBe('409 version_conflict')
    const nobodys = { ...expense, id: NOBODYS }
    expect(outcome(await release(house, nobodys))).toBe('403 forbidden')
    expect((await paymentOf(expense)).state).toBe('reserved')
  })

  test('is refused without an authorization', async () => {
    const expense = await awaitingApproval(house)
    expect(outcome(await release(house, expense))).toBe('409 state_conflict')
    const draft = await treasury.service.call('POST', `${house.path}/expenses`, {
      token: house.employee.token,
      headers: key(),
      body: {
        vaultId: house.vault.id,
        recipientId: house.recipientId,
        purpose: 'Nothing yet',
        amountBaseUnits: '1',
        requestedMode: 'approved',
      },
    })
    expect(outcome(await release(house, draft.body))).toBe('409 state_conflict')
  })
})

describe('GET payments/{paymentId}', () => {
  test('returns attempts, receipt and evidence to everybody who may see the expense', async () => {
    const expense = await paid()
    const { payment, attempts, receipt, evidence } = await readPayment(house, expense.paymentId)
    const [attempt] = attempts
    expect(payment).toMatchObject({
      state: 'confirmed',
      executorAddress: house.executor,
      executorProviderType: 'local',
      transactionHash: attempt.transactionHash,
    })
    expect(attempt).toMatchObject({
      number: 1,
      executorAddress: house.executor,
      state: 'mined',
      errorCode: null,
    })
    const { client } = treasury.chain
    const seen = await client.getTransactionReceipt({ hash: attempt.transactionHash })
    expect(receipt).toMatchObject({
      transactionHash: attempt.transactionHash,
      blockNumber: Number(seen.blockNumber),
      blockHash: seen.blockHash,
      status: 'success',
      gasUsed: seen.gasUsed.toString(),
      effectiveGasPrice: seen.effectiveGasPrice.toString(),
    })
    expect(receipt.confirmations).toBeGreaterThanOrEqual(1)
    expect(evidence).toMatchObject({ version: 2, matches: true })
    for (const person of [house.manager, house.employee]) {
      const { body } = await get(`payments/${expense.paymentId}`, person)
      expect(body.payment).toEqual(payment)
    }
  })

  test('is 404 for an unknown payment and for an employee who did not submit it', async () => {
    const expense = await reservedIn(house)
    const stranger = await joinOrganization(treasury.service, house, { role: 'employee' })
    const url = `payments/${expense.paymentId}`
    expect(outcome(await get(url, stranger))).toBe('404 not_found')
    expect(outcome(await get(`payments/${NOBODYS}`, house.owner))).toBe('404 not_found')
    // The payment id exists from the start; the payment does not.
    const waiting = await awaitingApproval(house)
    const none = await get(`payments/${waiting.paymentId}`, house.owner)
    expect(outcome(none)).toBe('404 not_found')
  })
})

describe('GET activity', () => {
  test('is paged newest first, and shows employees only their own', async () => {
    const other = await joinOrganization(treasury.service, house, { role: 'employee' })
    const theirs = await awaitingApproval({ ...house, employee: other })
    await approve(house, theirs)
    const { body: all } = await get('activity?limit=200', house.manager)
    const ids = all.payments.map(({ id }: { id: string }) => id)
    expect(ids.length).toBeGreaterThan(3)
    expect(ids).toEqual([...ids].sort().reverse())
    expect(ids[0]).toBe(theirs.paymentId)
    const walked: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const next: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await get(`activity?limit=2${next}`, house.owner)
      expect(body.payments.length).toBeLessThanOrEqual(2)
      walked.push(...body.payments.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    }
    expect(walked).toEqual(ids)
    const own = await get('activity', other)
    expect(own.body.payments.map(({ id }: { id: string }) => id)).toEqual([theirs.paymentId])
    const hers = await get('activity?limit=200', house.employee)
    expect(hers.body.payments).toHaveLength(ids.length - 1)
  })
})

describe('the effect of a payment', () => {
  test('reduces the allowance when reserved and the balance when the log is read', async () => {
    const before = await overviewOf(treasury, house)
    const expense = await reservedIn(house)
    const amount = BigInt(expense.revision.amountBaseUnits)
    const less = (figure: string) => (BigInt(figure) - amount).toString()
    const held = await overviewOf(treasury, house)
    expect(held.remainingAllowanceBaseUnits).toBe(less(before.remainingAllowanceBaseUnits))
    expect(held.balanceBaseUnits).toBe(before.balanceBaseUnits)
    await release(house, expense)
    await untilState(house, expense.id, 'paid')
    const after = await overviewOf(treasury, house)
    expect(after.remainingAllowanceBaseUnits).toBe(held.remainingAllowanceBaseUnits)
    expect(after.balanceBaseUnits).toBe(less(before.balanceBaseUnits))
  })

  test("adds to the member's funds when it goes to their own wallet", async () => {
    const address = randomAddress()
    const { service } = treasury
    const member = await joinOrganization(service, house, {
      role: 'employee',
      person: await service.signIn(undefined, [{ address, kind: 'external' }]),
    })
    const added = await service.call('POST', `${house.path}/recipients`, {
      token: house.owner.token,
      headers: key(),
      body: { label: 'A colleague', address, chainId: 31_337 },
    })
    await renewPolicy(house)
    const terms = { recipientId: added.body.id, requestedMode: 'automatic' }
    // Submitted by somebody else: to one's own wallet it would need a signature.
    const id = await submitExpense(house, terms)
    const ready = await untilState(house, id, 'automatic_ready_for_payment')
    expect((await release(house, ready)).status).toBe(202)
    const { revision } = await untilState(house, id, 'paid')
    const { body } = await get('member-funds', member)
    expect(body).toMatchObject({
      receivedBaseUnits: revision.amountBaseUnits,
      confirmedPaymentCount: 1,
    })
    expect((await tokenBalance(house, added.body.address)).toString()).toBe(
      revision.amountBaseUnits,
    )
  })

  test('prevents archiving the vault while money is reserved', async () => {
    const expense = await reservedIn(house)
    const second = await deployVault(treasury, house, 'Second')
    const makeDefault = (id: string) => step(house, `vaults/${id}/default`, undefined)
    expect((await makeDefault(second.id)).status).toBe(200)
    const archive = () => step(house, `vaults/${house.vault.id}/archive`, undefined)
    expect(outcome(await archive())).toBe('409 state_conflict')
    expect((await makeDefault(house.vault.id)).status).toBe(200)
    expect((await paymentOf(expense)).state).toBe('reserved')
  })
})
