/** Policies that wait before they take effect: proposed, activated, vetoed, replaced, expired. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  activationRow,
  approverCall,
  confirmIntent,
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
  WINDOW_SECONDS,
} from '#test/support/proposals.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'
import { settleIntentJob } from '#treasury/settle-intent.ts'

let treasury: Treasury

beforeAll(async () => {
  treasury = await startTreasury()
  await liftOwnersRowSecurity(treasury.service.database)
})
afterAll(() => treasury.stop())

const openWaiting = () => openWaitingHouse(treasury)

describe('a policy of a vault with a change delay', () => {
  test('waits with its difference to the policy in force, which stays in force', async () => {
    const house = await openWaiting()
    const { proposalId, activatesAt, hash } = await propose(house)
    const detail = await detailOf(house)
    expect(detail.policy).toMatchObject({ version: 1, approvedCap: '1000000' })
    expect(detail.proposal).toMatchObject({
      id: proposalId,
      expectedVersion: 1,
      activatesAt,
      transactionHash: hash,
      prepared: true,
      activationCode: null,
      policy: { approvedCap: '900000', tiers: [], periodSeconds: null },
      changes: { approvedCap: { from: '1000000', to: '900000' }, automaticCap: null },
    })
    const proposedMs = Date.parse(detail.proposal.proposedAt)
    expect(Date.parse(activatesAt) - proposedMs).toBe(DELAY_SECONDS * 1000)
    const windowMs = Date.parse(detail.proposal.expiresAt) - Date.parse(activatesAt)
    expect(windowMs).toBe(WINDOW_SECONDS * 1000)
  })

  test('has no timers: an intent stays submitted however long it waits', async () => {
    const house = await openWaiting()
    const { intentId } = await propose(house)
    await treasury.service.database.asOwner(
      `update policy_intents set submitted_at = now() - interval '25 hours' where id = $1`,
      [intentId],
    )
    await settleIntentJob(treasury.service.ctx, {
      ...{ organizationId: house.id, intentId, kind: 'policy' },
    })
    expect(await intentOf(house, { intentId })).toMatchObject({ state: 'submitted' })
    await vi.waitFor(async () => {
      const jobs = await treasury.service.database.asOwner(
        'select key from graphile_worker.jobs where key = $1',
        [`settle_intent:${intentId}`],
      )
      expect(jobs).toEqual([])
    }, 20_000)
    expect(await intentOf(house, { intentId })).toMatchObject({ state: 'submitted' })
  })

  test('cannot be synced before it is in force', async () => {
    const house = await openWaiting()
    const { hash } = await propose(house)
    const synced = await treasury.service.call('POST', `${house.path}/policies/sync`, {
      token: house.owner.token,
      body: { chainTransactionHash: hash },
    })
    expect(outcome(synced)).toBe('409 state_conflict')
    expect(synced.body.error.message).toContain('only proposes a policy')
  })
})

describe('activation', () => {
  test('is sent by the worker when it is due, and confirms the intent', async () => {
    const house = await openWaiting()
    const { intentId, hash } = await propose(house)
    await passTime(house, DELAY_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    await vi.waitFor(async () => {
      expect(await intentOf(house, { intentId })).toMatchObject({
        state: 'confirmed',
        policyVersion: 2,
        transactionHash: hash,
      })
    }, 20_000)
    const { policy, proposal } = await detailOf(house)
    expect(policy).toMatchObject({ version: 2, approvedCap: '900000' })
    expect(policy.chainTransactionHash).not.toBe(hash)
    expect(proposal).toBeNull()
    expect(await proposalRow(house)).toMatchObject({ state: 'activated' })
    const { from } = await treasury.chain.client.getTransaction({
      hash: policy.chainTransactionHash,
    })
    expect(from.toLowerCase()).toBe(house.executor.toLowerCase())
    await vi.waitFor(async () => {
      const sent = { state: 'confirmed', hasOpenAttempt: false, attempts: 1, code: null }
      expect(await activationRow(house)).toMatchObject(sent)
    }, 20_000)
  })

  test('is not sent before it is due', async () => {
    const house = await openWaiting()
    await propose(house)
    await follow(house)
    expect(await activationRow(house)).toBeUndefined()
  })

  test('keeps a pause that was made after the proposal', async () => {
    const house = await openWaiting()
    const { intentId } = await propose(house)
    await approverCall(house, 'emergencyPause')
    await passTime(house, DELAY_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    await vi.waitFor(async () => {
      expect(await intentOf(house, { intentId })).toMatchObject({ state: 'confirmed' })
    }, 20_000)
    expect((await detailOf(house)).policy).toMatchObject({ version: 2, paused: true })
    const chainPolicy = await treasury.chain.client.readContract({
      ...{ address: house.vault.address, functionName: 'policy' },
      abi: vaultAbi,
    })
    expect(chainPolicy).toMatchObject({ paused: true })
  })

  test('without gas is a task of the owner, and is sent once there is gas', async () => {
    const house = await openWaitingHouse(treasury, { hasGas: false })
    const { intentId } = await propose(house)
    await passTime(house, DELAY_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    await vi.waitFor(async () => {
      expect(await activationRow(house)).toMatchObject({ state: 'queued', code: 'gas_missing' })
    }, 20_000)
    expect((await detailOf(house)).proposal).toMatchObject({ activationCode: 'gas_missing' })
    await treasury.chain.request('hardhat_setBalance', house.executor, ONE_ETHER)
    await vi.waitFor(async () => {
      expect(await intentOf(house, { intentId })).toMatchObject({ state: 'confirmed' })
    }, 60_000)
  }, 90_000)
})

describe('a veto', () => {
  test('by an approver rejects the intent, and the policy in force stays', async () => {
    const house = await openWaiting()
    const { intentId, hash, proposalId } = await propose(house)
    await approverCall(house, 'veto', proposalId)
    await vi.waitFor(async () => {
      const { body } = await confirmIntent(house, { intentId, hash })
      expect(body).toMatchObject({ state: 'rejected', failureCode: 'vetoed', policyVersion: null })
    }, 20_000)
    expect(await proposalRow(house)).toMatchObject({
      state: 'vetoed',
      vetoedBy: house.approverWallet.address.toLowerCase(),
    })
    expect(await detailOf(house)).toMatchObject({ proposal: null, policy: { version: 1 } })
  })

  test('cancels an activation that waits for gas', async () => {
    const house = await openWaitingHouse(treasury, { hasGas: false })
    const { proposalId } = await propose(house)
    await passTime(house, DELAY_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    await ownerCall(house, 'veto', proposalId)
    await vi.waitFor(async () => {
      expect(await activationRow(house)).toMatchObject({ state: 'cancelled', attempts: 0 })
    }, 20_000)
  })
})

describe('a proposal that is not activated', () => {
  test('fails its intent as superseded when a newer one replaces it', async () => {
    const house = await openWaiting()
    const first = await propose(house)
    const second = await propose(house, { approvedCap: '800000' })
    await vi.waitFor(async () => {
      const failed = { state: 'failed', failureCode: 'superseded' }
      expect(await intentOf(house, first)).toMatchObject(failed)
    }, 20_000)
    expect(await intentOf(house, second)).toMatchObject({ state: 'submitted' })
    expect((await detailOf(house)).proposal).toMatchObject({ id: second.proposalId })
  })

  test('expires seven days after it was due, and is not activated afterwards', async () => {
    const house = await openWaiting()
    const { intentId } = await propose(house)
    await passTime(house, DELAY_SECONDS + WINDOW_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    await vi.waitFor(async () => {
      const failed = { state: 'failed', failureCode: 'superseded' }
      expect(await intentOf(house, { intentId })).toMatchObject(failed)
    }, 20_000)
    expect(await proposalRow(house)).toMatchObject({ state: 'expired' })
    expect(await activationRow(house)).toBeUndefined()
  })
})
