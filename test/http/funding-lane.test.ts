/** The lane of a wallet that deposits: one holder at a time, and a stale one changes nothing. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createFundingLaneStore } from '#funding/lane-store/lane-store.ts'
import {
  actionOf,
  type FundingHouse,
  giveGas,
  openFundingHouse,
  readyToDeposit,
  requestAction,
  tokensOf,
  untilAction,
} from '#test/support/funding.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const LEASE_MS = 20_000
let treasury: Treasury
let house: FundingHouse

beforeAll(async () => {
  treasury = await startTreasury()
  giveGas(treasury)
  house = await openFundingHouse(treasury)
  await readyToDeposit(treasury, house)
})
afterAll(() => treasury.stop())

const laneStore = () => {
  const { id: walletId, address } = house.wallet
  const lane = { organizationId: house.id, walletId, address: address.toLowerCase() }
  const { ctx } = treasury.service
  return createFundingLaneStore({ ctx, ...lane, provider: undefined, order: undefined })
}

async function claim() {
  const store = laneStore()
  const token = await vi.waitFor(async () => {
    const claimed = await store.claimLane({ laneId: house.wallet.id, leaseMs: LEASE_MS })
    if (claimed.outcome === 'busy') throw new Error('Somebody else has the lane')
    return claimed.token
  }, LEASE_MS)
  return { store, token }
}

const attemptsOf = (actionId: string) =>
  treasury.service.database.asOwner(
    'select fee_rank, outcome from funding_transactions where action_id = $1',
    [actionId],
  )

test('nothing is signed for a deposit while somebody else holds the lane', async () => {
  const before = await tokensOf(treasury, house.vault.address)
  const { store, token } = await claim()
  const { body } = await requestAction(treasury, house, { amountBaseUnits: '10' })
  const again = await store.claimLane({ laneId: token.laneId, leaseMs: LEASE_MS })
  expect(again).toMatchObject({ outcome: 'busy' })
  await expect
    .poll(() => lookedAt(body.id), { timeout: 20_000, interval: 100 })
    .toBeGreaterThanOrEqual(1)
  expect(await actionOf(treasury, house, body.id)).toMatchObject({
    state: 'requested',
    transactionHash: null,
  })
  expect(await attemptsOf(body.id)).toEqual([])
  expect(await store.releaseLane({ token })).toBe('done')
  await untilAction(treasury, house, body.id, 'confirmed')
  expect(await attemptsOf(body.id)).toEqual([{ fee_rank: 0, outcome: 'succeeded' }])
  expect(await tokensOf(treasury, house.vault.address)).toBe(before + 10n)
})

/** How often the job of the action has been put off so far. */
async function lookedAt(actionId: string): Promise<number> {
  const rows = await treasury.service.database.asOwner<{ runs: number }>(
    `select count(*)::integer as runs from graphile_worker.jobs
     where key = $1 and run_at > now()`,
    [`run_funding_action:${actionId}`],
  )
  return rows[0]?.runs ?? 0
}

test('whoever claims the lane later makes every write of the first one stale', async () => {
  const first = await claim()
  await first.store.releaseLane({ token: first.token })
  const second = await claim()
  expect(second.token.epoch).toBeGreaterThan(first.token.epoch)
  const { store, token } = first
  expect(await store.renewLane({ token, leaseMs: LEASE_MS })).toBe('stale')
  expect(await store.loadLane({ token, queuedMax: 1 })).toBe('stale')
  const loaded = await second.store.loadLane({ token: second.token, queuedMax: 1 })
  expect(loaded).toMatchObject({ unsettled: [], queued: [] })
  expect(await second.store.releaseLane({ token: second.token })).toBe('done')
})
