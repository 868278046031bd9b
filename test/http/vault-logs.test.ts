/** What a vault's logs do to its rows, and what a reorganisation undoes of it. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import {
  APPROVER,
  applyLogs,
  configured,
  executed,
  type Logged,
  paused,
  rollBackLogs,
  unpaused,
} from '#test/support/vault-logs.ts'
import { findPolicy } from '#treasury/policies.store.ts'

let service: TestApp
let house: ExpenseHouse
let neighbour: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})

const apply = (...logs: Logged[]) => applyLogs(service, ...logs)
const rollBack = (toBlock: number, ...places: ExpenseHouse[]) =>
  rollBackLogs(service, toBlock, ...places)

const policyOf = ({ organization, vaultId }: ExpenseHouse, version: number) => {
  const { id: organizationId } = organization
  return service.ctx.db.transaction({ organizationId }, (tx) =>
    findPolicy(tx, { organizationId, vaultId, version }),
  )
}

const isPaused = async (place: ExpenseHouse, version: number) =>
  (await policyOf(place, version))?.paused

const vaultRow = async ({ vaultId }: ExpenseHouse) =>
  (
    await service.database.asOwner(
      `select balance::text, spent_total::text as spent, policy_version::int as version,
         pause_number::int as "pauseNumber",
         (select count(*)::int from vault_payments p where p.vault_id = v.id) as payments
       from vaults v where id = $1`,
      [vaultId],
    )
  )[0]

const reported = ({ organization }: ExpenseHouse, code: string) =>
  service.database.asOwner(
    `select severity, target_state as state from live_events
     where organization_id = $1 and code = $2`,
    [organization.id, code],
  )

describe('a pause', () => {
  const numberOf = async (place: ExpenseHouse) => (await vaultRow(place))?.pauseNumber

  beforeAll(async () => {
    house = await openExpenseHouse(service)
    neighbour = await openExpenseHouse(service)
    await apply([neighbour, 5, paused(1, 1)], [house, 5, configured(2)])
    await apply([house, 7, paused(2, 1)], [house, 9, paused(2, 2)])
    await apply([house, 11, unpaused(2, 2)], [house, 11, paused(2, 3)], [house, 13, unpaused(2, 3)])
  })

  test('lasts until the owner lifts it, and the newest number counts', async () => {
    expect(await isPaused(house, 2)).toBe(false)
    expect(await numberOf(house)).toBe(3)
    expect(await isPaused(house, 1)).toBe(false)
    expect(await isPaused(neighbour, 1)).toBe(true)
  })

  test('is reported, and so is its end', async () => {
    const pause = { severity: 'action_required', state: 'paused' }
    expect(await reported(house, 'policy_paused')).toEqual([pause, pause, pause])
    const end = { severity: 'healthy', state: 'configured' }
    expect(await reported(house, 'policy_unpaused')).toEqual([end, end])
  })

  test.each([
    [12, true, 3],
    [10, true, 2],
    [8, true, 1],
    [6, false, 0],
  ])('as of block %i it is %s with number %i, as if later ones had not been', async (...as) => {
    const [toBlock, isNow, number] = as
    await rollBack(toBlock, house)
    expect(await isPaused(house, 2)).toBe(isNow)
    expect(await numberOf(house)).toBe(number)
    expect(await isPaused(neighbour, 1)).toBe(true)
  })

  test('that a policy brings along has the next number, and can be lifted', async () => {
    await apply([house, 20, paused(2, 1)], [house, 21, configured(3, { paused: true })])
    expect(await isPaused(house, 3)).toBe(true)
    expect(await numberOf(house)).toBe(2)
    await apply([house, 22, unpaused(3, 2)])
    expect(await isPaused(house, 3)).toBe(false)
    await rollBack(21, house)
    expect(await isPaused(house, 3)).toBe(true)
    await rollBack(20, house)
    expect(await numberOf(house)).toBe(1)
  })
})

describe('a revoked approver', () => {
  const other = `0x${'a2'.repeat(20)}`
  const approversOf = async (version: number) => (await policyOf(house, version))?.approverAddresses
  const revoked = (version: number, approverAddress: string) =>
    ({ name: 'ApproverRevoked', version, approverAddress }) as const

  beforeAll(async () => {
    house = await openExpenseHouse(service)
    const both = { approverAddresses: [APPROVER, other] }
    await apply([house, 5, configured(2, both)], [house, 6, revoked(2, APPROVER)])
    await apply([house, 8, revoked(2, other)])
  })

  test('no longer counts in that policy, and the policy keeps its version', async () => {
    expect(await approversOf(2)).toEqual([])
    expect(await vaultRow(house)).toMatchObject({ version: 2 })
    expect(await reported(house, 'approver_revoked')).toHaveLength(2)
  })

  test('counts again when a reorganisation takes the revocation back', async () => {
    await rollBack(7, house)
    expect(await approversOf(2)).toEqual([other])
    await rollBack(5, house)
    expect(await approversOf(2)).toEqual([APPROVER, other])
  })

  test('counts in a later policy that lists it', async () => {
    await apply([house, 6, revoked(2, APPROVER)], [house, 7, configured(3)])
    expect(await approversOf(3)).toEqual([APPROVER])
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
      ...{ balance: `${BALANCE + 70n}`, spent: '50', version: 1, pauseNumber: 0, payments: 2 },
    })
    expect(await vaultRow(neighbour)).toEqual({
      ...{ balance: `${BALANCE + 7n}`, spent: '1', version: 1, pauseNumber: 0, payments: 1 },
    })
  })

  test('are undone above a block, and what is left is counted again', async () => {
    await apply([house, 7, configured(2)])
    expect(await vaultRow(house)).toMatchObject({ version: 2 })
    await rollBack(6, house)
    // The logs themselves are the follower's rows, and there are none here.
    expect(await vaultRow(house)).toMatchObject({
      ...{ balance: '0', spent: '30', version: 1, payments: 1 },
    })
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
