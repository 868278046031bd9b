/** The activation of a policy through the executor's lane, under faults and concurrency. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { decodeFunctionData, type Hex, parseTransaction } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { findLane } from '#executor/lane.ts'
import { withActivations } from '#payments/activations/activation-lane.ts'
import { laneSigner } from '#payments/lane-store/lane-executor.ts'
import { createLaneStore } from '#payments/lane-store/lane-store.ts'
import { createMetrics } from '#platform/metrics.ts'
import { type FaultyTreasury, startFaultyTreasury, withhold } from '#test/support/faulty-nodes.ts'
import {
  activationRow,
  DELAY_SECONDS,
  detailOf,
  follow,
  intentOf,
  ONE_ETHER,
  openWaitingHouse,
  ownerCall,
  passTime,
  proposalRow,
  propose,
  untilFollowed,
  type WaitingHouse,
} from '#test/support/proposals.ts'
import { startWorker } from '#worker.ts'

let treasury: FaultyTreasury

beforeAll(async () => {
  treasury = await startFaultyTreasury()
})
afterAll(() => treasury.stop())
afterEach(() => treasury.node.heal())

async function openDue(terms?: { hasGas: boolean }) {
  const house = await openWaitingHouse(treasury, terms)
  const proposed = await propose(house)
  await passTime(house, DELAY_SECONDS + 1)
  await untilFollowed(house)
  return { house, ...proposed }
}

const until = (house: WaitingHouse, expected: Record<string, unknown>) =>
  vi.waitFor(async () => expect(await activationRow(house)).toMatchObject(expected), 30_000)

const attempts = (house: WaitingHouse) =>
  treasury.service.database.asOwner<{ nonce: number; raw: Hex; rank: number }>(
    `select nonce::int, raw, fee_rank as rank from activation_attempts
     where organization_id = $1 order by nonce, fee_rank`,
    [house.id],
  )

const nonceOf = ({ executor }: WaitingHouse) =>
  treasury.chain.client.getTransactionCount({ address: executor })

const laneOf = async (house: WaitingHouse) => {
  const [row] = await treasury.service.database.asOwner<{ id: string; next: number }>(
    'select id, next_nonce::int as next from executor_bindings where organization_id = $1',
    [house.id],
  )
  return row ?? { id: '', next: -1 }
}

describe('an activation in flight', () => {
  test('reverts after a veto: it fails, nothing is lost, and the next one is sent', async () => {
    const { house, intentId, proposalId } = await openDue()
    const withheld = withhold(treasury)
    await follow(house)
    await until(house, { state: 'broadcast', attempts: 1 })
    await ownerCall(house, 'veto', proposalId)
    await withheld.deliver(withheld.raws[0])
    await until(house, { state: 'failed', hasOpenAttempt: false, attempts: 1 })
    expect(await proposalRow(house)).toMatchObject({ state: 'vetoed' })
    expect(await detailOf(house)).toMatchObject({ policy: { version: 1 }, proposal: null })
    await vi.waitFor(async () => {
      const rejected = { state: 'rejected', failureCode: 'vetoed' }
      expect(await intentOf(house, { intentId })).toMatchObject(rejected)
    }, 20_000)

    treasury.node.heal()
    const again = await propose(house, { approvedCap: '700000' })
    await passTime(house, DELAY_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    await vi.waitFor(async () => {
      expect(await intentOf(house, again)).toMatchObject({ state: 'confirmed', policyVersion: 2 })
    }, 20_000)
    expect((await laneOf(house)).next).toBe(await nonceOf(house))
  }, 90_000)

  test('reverts after a newer proposal, which waits its own time', async () => {
    const { house, intentId } = await openDue()
    const withheld = withhold(treasury)
    await follow(house)
    await until(house, { state: 'broadcast' })
    const second = await propose(house, { approvedCap: '800000' })
    await withheld.deliver(withheld.raws[0])
    await until(house, { state: 'failed' })
    expect(await intentOf(house, { intentId })).toMatchObject({ failureCode: 'superseded' })
    expect((await detailOf(house)).proposal).toMatchObject({ id: second.proposalId })
  }, 60_000)

  test('is replaced on the same nonce with the same call and a higher fee', async () => {
    const { house, intentId } = await openDue()
    const withheld = withhold(treasury)
    await follow(house)
    await until(house, { state: 'broadcast' })
    await treasury.service.database.asOwner(
      `update activation_attempts set created_at = created_at - interval '1 minute',
         sent_at = sent_at - interval '1 minute' where organization_id = $1`,
      [house.id],
    )
    await vi.waitFor(async () => expect(await attempts(house)).toHaveLength(2), 20_000)
    const [first, second] = await attempts(house)
    const [original, replaced] = [first, second].map((one) => parseTransaction(one?.raw as Hex))
    expect(second).toMatchObject({ nonce: first?.nonce, rank: 1 })
    expect(replaced).toMatchObject({ to: original?.to, data: original?.data })
    expect(replaced?.maxFeePerGas).toBeGreaterThan(original?.maxFeePerGas ?? 0n)
    await withheld.deliver(second?.raw)
    await vi.waitFor(async () => {
      expect(await intentOf(house, { intentId })).toMatchObject({ state: 'confirmed' })
    }, 20_000)
    await until(house, { state: 'confirmed', hasOpenAttempt: false })
  }, 60_000)

  test('is settled by another worker after the first one stopped', async () => {
    const { house, intentId } = await openDue()
    const withheld = withhold(treasury)
    await follow(house)
    await until(house, { state: 'broadcast' })
    await treasury.worker.stop()
    await withheld.deliver(withheld.raws[0])
    await treasury.worker.start()
    await vi.waitFor(async () => {
      expect(await intentOf(house, { intentId })).toMatchObject({ state: 'confirmed' })
    }, 30_000)
    await until(house, { state: 'confirmed', attempts: 1 })
  }, 60_000)
})

describe('two workers', () => {
  test('send one transaction for one activation', async () => {
    const other = await startWorker({ ...treasury.service.ctx, metrics: createMetrics() })
    try {
      const { house } = await openDue()
      await Promise.all([follow(house), follow(house), follow(house), follow(house)])
      await until(house, { state: 'confirmed', attempts: 1 })
      expect(await nonceOf(house)).toBe(1)
      expect((await laneOf(house)).next).toBe(1)
    } finally {
      await other.stop()
    }
  }, 60_000)

  test('a worker whose lease has passed on signs and writes nothing', async () => {
    const { house } = await openDue({ hasGas: false })
    await follow(house)
    await until(house, { state: 'queued', code: 'gas_missing' })
    const { ctx } = treasury.service
    const organizationId = house.id
    const { id: laneId } = await laneOf(house)
    await treasury.worker.stop()
    const lane = await ctx.db.transaction({ organizationId }, (tx) =>
      findLane(tx, { organizationId, laneId }),
    )
    if (!lane) throw new Error('The lane is gone')
    const sign = laneSigner(ctx, { organizationId, lane })
    const store = withActivations(createLaneStore(ctx, organizationId, sign), {
      ...{ ctx, organizationId, sign },
    })
    await treasury.service.database.asOwner(
      'update policy_activations set postponed_until = null where organization_id = $1',
      [house.id],
    )
    const claimed = await store.claimLane({ laneId, leaseMs: 5_000 })
    if (claimed.outcome !== 'claimed') throw new Error('The lane is busy')
    const { token } = claimed
    const loaded = await store.loadLane({ token, queuedMax: 16 })
    if (loaded === 'stale') throw new Error('The lane is gone')
    const [payment] = loaded.queued
    if (!payment) throw new Error('Nothing is queued')
    const stale = { laneId, epoch: token.epoch - 1 }
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    const write = { payments: [payment], fees, chainNonce: 0 }
    expect(await store.writeAhead({ ...write, token: stale })).toBe('stale')
    expect(await store.postpone({ token: stale, payment, reason: 'gas_missing' })).toBe('stale')
    expect(await store.block({ token: stale, payment, code: 'reverted' })).toBe('stale')
    expect(await store.lose({ token: stale, payment })).toBe('stale')
    expect(await attempts(house)).toEqual([])
    expect((await laneOf(house)).next).toBe(0)
    await store.releaseLane({ token })
    await treasury.worker.start()
  }, 60_000)
})

describe('an activation that the service does not send', () => {
  test('is not needed when somebody else activates the policy', async () => {
    const { house, intentId } = await openDue({ hasGas: false })
    await follow(house)
    await until(house, { state: 'queued', code: 'gas_missing' })
    const { input } = await treasury.chain.client.getTransaction({
      hash: (await detailOf(house)).proposal.transactionHash,
    })
    const { args } = decodeFunctionData({ abi: vaultAbi, data: input })
    await ownerCall(house, 'activatePolicy', ...(args ?? []))
    await vi.waitFor(async () => {
      expect(await intentOf(house, { intentId })).toMatchObject({ state: 'confirmed' })
    }, 20_000)
    await until(house, { state: 'cancelled', attempts: 0 })
    expect(await nonceOf(house)).toBe(0)
  }, 60_000)

  test('is shown to the owner when the vault refuses it for long', async () => {
    const { house } = await openDue({ hasGas: false })
    await ownerCall(house, 'revokeApprover', house.approverWallet.address)
    await untilFollowed(house)
    await follow(house)
    await treasury.service.database.asOwner(
      `update policy_activations set postponed_times = 6, postponed_until = null, code = null
       where organization_id = $1`,
      [house.id],
    )
    await treasury.chain.request('hardhat_setBalance', house.executor, ONE_ETHER)
    await follow(house)
    await until(house, { state: 'queued', code: 'reverted', attempts: 0 })
    expect((await detailOf(house)).proposal).toMatchObject({ activationCode: 'reverted' })
    expect(await nonceOf(house)).toBe(0)
  }, 60_000)
})
