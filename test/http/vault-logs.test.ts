/** What a vault's logs do to its rows, and what a reorganisation undoes of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { VaultEvent } from '#ports/chain.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'

let service: TestApp
let house: ExpenseHouse
let neighbour: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const vaultOf = (place: ExpenseHouse): string => place.vaultAddress.toLowerCase()

/** Logs in the given blocks, applied as the follower does. */
async function apply(...logs: [ExpenseHouse, number, VaultEvent][]): Promise<void> {
  const handlers = treasuryLogHandlers(service.ctx)
  const timed = logs.map(([place, blockNumber, event], logIndex) => ({
    log: {
      ...{ vaultAddress: vaultOf(place), blockNumber, blockHash: hash(blockNumber), logIndex },
      ...{ transactionHash: hash(1_000 * blockNumber + logIndex), event },
    },
    timeSeconds: 1_700_000_000 + blockNumber,
  }))
  await service.ctx.db.transaction({}, (tx) => handlers.apply(tx, timed))
}

const rollBack = (toBlock: number, ...places: ExpenseHouse[]): Promise<void> =>
  service.ctx.db.transaction({}, (tx) =>
    treasuryLogHandlers(service.ctx).rollBack(tx, { toBlock, vaultAddresses: places.map(vaultOf) }),
  )

const paused = (version: number): VaultEvent => ({
  ...{ name: 'EmergencyPaused', version, by: `0x${'ab'.repeat(20)}`, pauseNumber: 1 },
})

const configured = (version: number): VaultEvent => ({
  name: 'PolicyConfigured',
  version,
  policy: {
    executorAddress: `0x${'e1'.repeat(20)}`,
    approverAddresses: [`0x${'a1'.repeat(20)}`],
    ...withoutPeriod,
    ...{ approvedCap: 3n, automaticCap: 2n, lifetimeCap: 9n, reserveFloor: 1n },
    ...{ expiresAtSeconds: 4_000_000_000, automaticEnabled: true, paused: false },
  },
})

const executed = (id: number, amount: bigint): VaultEvent => ({
  ...{ name: 'PaymentExecuted', chainPaymentId: hash(id), mode: 'approved', amount },
  ...{ recipientAddress: `0x${'c1'.repeat(20)}`, policyVersion: 1, reportHash: hash(2) },
  ...{ expenseVersionHash: hash(3), approvalDigests: [hash(4)], spentTotal: amount },
  approverAddresses: [`0x${'a1'.repeat(20)}`],
})

const policiesOf = ({ vaultId }: ExpenseHouse) =>
  service.database.asOwner(
    `select version::int, paused_in_block::int as "pausedIn" from policies
     where vault_id = $1 order by version`,
    [vaultId],
  )

const vaultRow = async ({ vaultId }: ExpenseHouse) =>
  (
    await service.database.asOwner(
      `select balance::text, spent_total::text as spent, policy_version::int as version,
         (select count(*)::int from vault_payments p where p.vault_id = v.id) as payments
       from vaults v where id = $1`,
      [vaultId],
    )
  )[0]

describe('an emergency pause', () => {
  beforeAll(async () => {
    house = await openExpenseHouse(service)
    neighbour = await openExpenseHouse(service)
    await apply([neighbour, 5, paused(1)], [house, 5, configured(2)])
    await apply([house, 7, paused(2)], [house, 9, paused(2)])
  })

  test('stops the version that it names, since the first block that says so', async () => {
    expect(await policiesOf(house)).toEqual([
      { version: 1, pausedIn: null },
      { version: 2, pausedIn: 7 },
    ])
  })

  test('stands while its block does', async () => {
    await rollBack(7, house)
    expect((await policiesOf(house))[1]).toEqual({ version: 2, pausedIn: 7 })
  })

  test('ends with its block, and only that of this vault', async () => {
    await rollBack(6, house)
    expect((await policiesOf(house))[1]).toEqual({ version: 2, pausedIn: null })
    await rollBack(4, house)
    expect(await policiesOf(house)).toEqual([{ version: 1, pausedIn: null }])
    expect(await policiesOf(neighbour)).toEqual([{ version: 1, pausedIn: 5 }])
  })
})

describe('transfers and payments', () => {
  const BALANCE = 5_000_000_000n

  beforeAll(async () => {
    house = await openExpenseHouse(service, { balance: BALANCE })
    neighbour = await openExpenseHouse(service, { balance: BALANCE })
    const from = `0x${'f1'.repeat(20)}`
    await apply(
      [house, 5, { name: 'TokenReceived', from, amount: 100n }],
      [neighbour, 5, { name: 'TokenReceived', from, amount: 7n }],
      [house, 6, executed(61, 30n)],
      [house, 6, { name: 'TokenSent', to: from, amount: 30n }],
      [house, 7, executed(71, 20n)],
      [neighbour, 7, executed(72, 1n)],
    )
  })

  test('change the balance and the spent total of their own vault', async () => {
    expect(await vaultRow(house)).toEqual({
      ...{ balance: `${BALANCE + 70n}`, spent: '50', version: 1, payments: 2 },
    })
    expect(await vaultRow(neighbour)).toEqual({
      ...{ balance: `${BALANCE + 7n}`, spent: '1', version: 1, payments: 1 },
    })
  })

  test('are undone above a block, and what is left is counted again', async () => {
    await apply([house, 7, configured(2)])
    expect(await vaultRow(house)).toMatchObject({ version: 2 })
    await rollBack(6, house)
    // The logs themselves are the follower's rows, and there are none here.
    expect(await vaultRow(house)).toEqual({ balance: '0', spent: '30', version: 1, payments: 1 })
    expect(await vaultRow(neighbour)).toMatchObject({ spent: '1', payments: 1 })
  })
})

test('logs of an address that is no vault of ours are passed over', async () => {
  const place = await openExpenseHouse(service)
  const unknown = { ...place, vaultAddress: `0x${'99'.repeat(20)}` }
  const before = await vaultRow(place)
  await apply([unknown, 5, executed(91, 5n)], [place, 5, executed(92, 6n)])
  await rollBack(9, unknown)
  expect(await vaultRow(place)).toMatchObject({ ...before, spent: '6', payments: 1 })
})
