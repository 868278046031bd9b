/** What live payments hold of a vault; a recheck does not count a payment against itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findActiveBinding } from '#executor/executor.store.ts'
import { recheckPayments } from '#payments/block-payment.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn, readExpense, submit } from '#test/support/expense-states.ts'
import { analyse, createExpense, type ExpenseHouse } from '#test/support/expenses.ts'
import {
  openSigningHouse,
  prepareAs,
  type SigningHouse,
  signAs,
  writePolicyVersion,
} from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { addToVault, findHeld, insertVaultPayment } from '#treasury/vaults.store.ts'

const AMOUNT = 25_000_000n

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const keyOf = ({ organization, vaultId }: ExpenseHouse) => ({
  organizationId: organization.id,
  vaultId,
})

const heldIn = (house: ExpenseHouse) => {
  const { organizationId, vaultId } = keyOf(house)
  return service.ctx.db.transaction({ organizationId }, (tx) =>
    findHeld(tx, { organizationId, vaultId }),
  )
}

/** The payment's rows as they are when its transaction may or may not still be mined. */
const setState = ({ vaultId }: ExpenseHouse, state: string, hasOpenAttempt: boolean) =>
  service.database.asOwner(
    `update payments set state = $2, has_open_attempt = $3,
       block_code = case when $2 in ('blocked', 'failed') then 'nodes_disagree' end
     where vault_id = $1`,
    [vaultId, state, hasOpenAttempt],
  )

async function openWithReserved(terms: object = {}): Promise<SigningHouse> {
  const house = await openSigningHouse(service, terms)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  return house
}

describe('the money that a payment holds', () => {
  let house: SigningHouse

  beforeAll(async () => {
    house = await openWithReserved({ balance: 2n * AMOUNT - 1n, reserveFloor: 0n })
  })

  test.each<[string, boolean, bigint]>([
    ['reserved', false, AMOUNT],
    ['queued', false, AMOUNT],
    ['submitting', true, AMOUNT],
    ['broadcast', true, AMOUNT],
    ['reconciling', true, AMOUNT],
    ['blocked', true, AMOUNT],
    ['blocked', false, 0n],
    ['failed', false, 0n],
    ['confirmed', false, 0n],
  ])('%s, an open attempt %s: %s', async (state, hasOpenAttempt, held) => {
    await setState(house, state, hasOpenAttempt)
    const heldCount = held === 0n ? 0 : 1
    expect(await heldIn(house)).toEqual({ held, heldAutomatic: 0n, heldCount })
  })

  test('of a blocked payment with an open attempt cannot be promised to another', async () => {
    const other = await expenseIn(service, house, 'awaiting_approval')
    const prepare = async () => outcome(await prepareAs(service, house, other, house.signer))
    await setState(house, 'blocked', true)
    expect(await prepare()).toBe('409 insufficient_funds')
    await setState(house, 'blocked', false)
    expect(await prepare()).toBe('200')
  })

  test('is not counted twice once the follower has applied its log', async () => {
    const { organizationId, vaultId } = keyOf(house)
    await setState(house, 'broadcast', true)
    const [row] = await service.database.asOwner<{ id: string }>(
      'select chain_payment_id as id from payments where vault_id = $1',
      [vaultId],
    )
    await service.ctx.db.transaction({ organizationId }, async (tx) =>
      insertVaultPayment(tx, {
        ...{ organizationId, vaultId, chainPaymentId: row?.id ?? '', amount: AMOUNT },
        recipientAddress: house.recipientAddress.toLowerCase(),
        mode: 'approved',
        ...{ transactionHash: `0x${'77'.repeat(32)}`, blockNumber: 2, timeSeconds: 1_700_000_000 },
      }),
    )
    expect(await heldIn(house)).toEqual({ held: 0n, heldAutomatic: 0n, heldCount: 1 })
  })
})

test('what the vault has spent counts against the lifetime cap of a new approval', async () => {
  const house = await openSigningHouse(service, {
    lifetimeCap: 3n * AMOUNT,
    approvedCap: AMOUNT,
    automaticCap: 1n,
  })
  const expense = await expenseIn(service, house, 'awaiting_approval')
  const { organizationId, vaultId } = keyOf(house)
  const spend = (spent: bigint) =>
    service.ctx.db.transaction({ organizationId }, async (tx) =>
      addToVault(tx, { organizationId, vaultId, spent }),
    )
  const prepare = async () => outcome(await prepareAs(service, house, expense, house.signer))
  await spend(2n * AMOUNT)
  expect(await prepare()).toBe('200')
  await spend(1n)
  expect(await prepare()).toBe('409 policy_violation')
})

describe('a change of policy', () => {
  /** One automatic payment that holds all the money above the reserve and all of the cap. */
  async function openWithAutomatic(): Promise<{ house: SigningHouse; expenseId: string }> {
    const house = await openSigningHouse(service, { balance: AMOUNT, reserveFloor: 0n })
    const terms = { requestedMode: 'automatic' }
    const { body } = await createExpense(service, house, { terms })
    const { body: run } = await submit(service, house, { id: body.id, person: house.employee })
    await analyse(service, house, run.taskId)
    return { house, expenseId: body.id }
  }

  const paymentOf = async ({ vaultId }: ExpenseHouse) =>
    (
      await service.database.asOwner(
        `select state, block_code as code, policy_version::int as version
         from payments where vault_id = $1`,
        [vaultId],
      )
    )[0]

  test('renews an automatic payment that fits when its own amount is left out', async () => {
    const { house, expenseId } = await openWithAutomatic()
    expect(await paymentOf(house)).toMatchObject({ code: null, version: 2 })
    const { state } = (await readExpense(service, house, expenseId)).body
    expect(state).toBe('automatic_ready_for_payment')
    await writePolicyVersion(service, house, {
      ...{ lifetimeCap: AMOUNT, approvedCap: AMOUNT, automaticCap: AMOUNT },
    })
    await recheckPayments(service.ctx, keyOf(house))
    expect(await paymentOf(house)).toMatchObject({ code: null, version: 3 })
  })

  test('wakes the lane of a queued payment that it renews', async () => {
    const { house } = await openWithAutomatic()
    const { organizationId, vaultId } = keyOf(house)
    const lane = await service.ctx.db.transaction({ organizationId }, (tx) =>
      findActiveBinding(tx, organizationId),
    )
    const { asOwner } = service.database
    await asOwner(`update payments set state = 'queued', lane_id = $2 where vault_id = $1`, [
      vaultId,
      lane?.id,
    ])
    await asOwner('delete from graphile_worker._private_jobs')
    await writePolicyVersion(service, house, {})
    await recheckPayments(service.ctx, keyOf(house))
    expect(await paymentOf(house)).toMatchObject({ state: 'queued', version: 3 })
    const woken = 'select key from graphile_worker.jobs where key = $1'
    expect(await asOwner(woken, [`work_lane:${lane?.id}`])).toHaveLength(1)
  })

  test('blocks an automatic payment whose policy names another executor', async () => {
    const { house } = await openWithAutomatic()
    await writePolicyVersion(service, house, { executorAddress: `0x${'ee'.repeat(20)}` })
    await recheckPayments(service.ctx, keyOf(house))
    expect(await paymentOf(house)).toMatchObject({ state: 'blocked', code: 'executor_mismatch' })
  })

  test('blocks an automatic payment that no longer fits by one unit', async () => {
    const { house } = await openWithAutomatic()
    await writePolicyVersion(service, house, { reserveFloor: 1n })
    await recheckPayments(service.ctx, keyOf(house))
    expect(await paymentOf(house)).toMatchObject({ state: 'blocked', code: 'insufficient_funds' })
  })

  test('blocks a signed payment, which needs a new signature', async () => {
    const house = await openWithReserved()
    await writePolicyVersion(service, house, {})
    await recheckPayments(service.ctx, keyOf(house))
    expect(await paymentOf(house)).toMatchObject({ state: 'blocked', code: 'approval_superseded' })
  })
})
