/** A provider that sends by itself, scheduled probes, and time that goes by. */
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { probeSigner } from '#funding/probe-signer.ts'
import { runAction } from '#funding/run-action.ts'
import { watchControl } from '#funding/watch-control.ts'
import { AppError } from '#platform/errors.ts'
import type { FundingProvider, FundingSendAnswer } from '#ports/funding-provider.ts'
import {
  actionsOf,
  attachControl,
  controlOf,
  type FundingHouse,
  giveGas,
  openFundingHouse,
  readyToDeposit,
  replaceProvider,
  requestAction,
  signerOf,
  tokensOf,
  untilAction,
} from '#test/support/funding.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const REMEMBERED_MS = 60_000
const clock = createMovingClock()
let treasury: Treasury
let house: FundingHouse

beforeAll(async () => {
  treasury = await startTreasury({
    env: { FUNDING_PROBE_SECONDS: '3600', FUNDING_LIFETIME_SECONDS: '86400' },
    replace: () => ({ clock }),
  })
  giveGas(treasury)
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openFundingHouse(treasury)
  await readyToDeposit(treasury, house)
})
afterAll(() => treasury.stop())

/** Tokens are good for an hour; jobs are due by the database's clock, and are done by hand. */
async function later(seconds: number): Promise<void> {
  clock.ahead(seconds)
  house.owner.token = (await treasury.service.signIn(house.owner.subject)).token
}

const lost = new AppError('dependency_unavailable', { retryAfterSeconds: 1 })

type Script = {
  /** What becomes of each request, in turn; `sent` from then on. */
  answers: ('lost before' | 'lost after' | FundingSendAnswer)[]
  /** Action ids, as often as they were asked for. */
  asked: string[]
  look: { state: 'under_way' | 'ended'; hash?: string | null }
}

/** Sends by the very signer of the keystore, once for each action, as a provider would. */
function entrusting({ answers, asked, look }: Script) {
  const hashes = new Map<string, string>()
  return (local: FundingProvider): Partial<FundingProvider> => ({
    kind: 'sends',
    repeatForMs: REMEMBERED_MS,
    async send(action: Parameters<Extract<FundingProvider, { kind: 'sends' }>['send']>[0]) {
      if (local.kind !== 'signs') throw new Error('Not the keystore')
      const { actionId } = action
      asked.push(actionId)
      const answer = answers.shift()
      if (answer === 'lost before') throw lost
      if (typeof answer === 'object') return answer
      if (!hashes.has(actionId)) {
        const address = house.wallet.address as Hex
        const nonce = await treasury.chain.client.getTransactionCount({ address })
        const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
        const signed = await local.sign({ ...action, nonce, fees })
        if (signed.outcome === 'denied') return signed
        await treasury.chain.request('eth_sendRawTransaction', signed.raw)
        hashes.set(actionId, signed.transactionHash)
      }
      if (answer === 'lost after') throw lost
      const transactionHash = hashes.get(actionId) ?? null
      return { outcome: 'sent', providerReference: `ref-${actionId}`, transactionHash }
    },
    look: async ({ providerReference }: { providerReference: string }) => ({
      state: look.state,
      transactionHash: look.hash ?? hashes.get(providerReference.slice(4)) ?? null,
    }),
  })
}

const script = (answers: Script['answers'] = []): Script => ({
  answers,
  asked: [],
  look: { state: 'under_way' },
})

async function deposited(steps: Script, end: string) {
  const restore = replaceProvider(treasury, entrusting(steps))
  const before = await tokensOf(treasury, house.vault.address)
  const asked = await requestAction(treasury, house, { amountBaseUnits: '7' })
  expect(asked.status, asked.text).toBe(202)
  const action = await untilAction(treasury, house, asked.body.id, end)
  restore()
  const gained = (await tokensOf(treasury, house.vault.address)) - before
  return { action, gained }
}

describe('a provider that sends by itself', () => {
  test('is asked once, and the chain confirms what it did', async () => {
    const steps = script()
    const { action, gained } = await deposited(steps, 'confirmed')
    expect(action).toMatchObject({
      providerReference: `ref-${action.id}`,
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      reconciliationState: 'confirmed',
    })
    expect(gained).toBe(7n)
    expect(steps.asked).toEqual([action.id])
  })

  test.each([
    ['before it reached it', 'lost before'],
    ['after it had sent', 'lost after'],
  ] as const)('whose answer is lost %s is asked again with the same key', async (_when, answer) => {
    const steps = script([answer, answer])
    const { action, gained } = await deposited(steps, 'confirmed')
    expect(gained).toBe(7n)
    expect(steps.asked).toEqual([action.id, action.id, action.id])
  })

  test('that denies has sent nothing', async () => {
    const steps = script([{ outcome: 'denied', code: 'policy_violation' }])
    const { action, gained } = await deposited(steps, 'denied')
    expect(action).toMatchObject({ failureCode: 'policy_violation', broadcastAt: null })
    expect(gained).toBe(0n)
  })

  test('that refuses at once has failed it; after a lost answer that says nothing', async () => {
    const refusal = { outcome: 'refused', code: 'invalid_data' } as const
    const first = await deposited(script([refusal]), 'failed')
    expect(first.action.failureCode).toBe('invalid_data')
    expect(first.gained).toBe(0n)
    const later = await deposited(script(['lost after', refusal, refusal]), 'confirmed')
    expect(later.gained).toBe(7n)
  })

  test('that has forgotten the key is not asked again, and a person is called', async () => {
    const steps = script(Array(1_000).fill('lost before'))
    const restore = replaceProvider(treasury, entrusting(steps))
    const { body } = await requestAction(treasury, house, { amountBaseUnits: '7' })
    await vi.waitFor(() => expect(steps.asked.length).toBeGreaterThan(2), 10_000)
    const job = { organizationId: house.id, actionId: body.id }
    clock.ahead(REMEMBERED_MS / 1000 + 120)
    const before = steps.asked.length
    await vi.waitFor(async () => {
      await runAction(treasury.service.ctx, job)
      const [open] = (await actionsOf(treasury, house, '?limit=1')).body
      expect(open).toMatchObject({ state: 'requested', reconciliationState: 'required' })
    }, 20_000)
    expect(steps.asked.length - before).toBeLessThanOrEqual(1)
    restore()
    expect(outcome(await requestAction(treasury, house))).toBe('409 state_conflict')
    // So that the tests after this one have a wallet that is free.
    await treasury.service.database.asOwner(
      `update funding_actions set state = 'failed', reconciliation_state = 'failed',
         reconciled_at = now() where id = $1`,
      [body.id],
    )
  })
})

describe('a verified signer', () => {
  const job = async () => ({
    organizationId: house.id,
    controlId: (await controlOf(treasury, house)).id,
  })

  test('is probed by the service itself, and a second time only when that has ended', async () => {
    const { ctx, database } = treasury.service
    const { organizationId, controlId } = await job()
    const due = await database.asOwner<{ key: string }>(
      'select key from graphile_worker.jobs where key = $1',
      [`probe_funding:${controlId}`],
    )
    expect(due).toHaveLength(1)
    await later(3_600)
    await probeSigner(ctx, { organizationId, controlId })
    await probeSigner(ctx, { organizationId, controlId })
    const [newest, before] = (await actionsOf(treasury, house)).body
    expect(newest).toMatchObject({ action: 'withdraw_probe', state: 'requested' })
    expect(before.action).toBe('deposit')
    await runAction(ctx, { organizationId, actionId: newest.id })
    await untilAction(treasury, house, newest.id, 'denied')
    const [row] = await database.asOwner(
      'select account_id, idempotency_key from funding_actions where id = $1',
      [newest.id],
    )
    expect(row).toEqual({ account_id: null, idempotency_key: null })
  })

  test('whose provider is silent is unavailable; one changed there has failed', async () => {
    const other = await openFundingHouse(treasury)
    const { body } = await attachControl(treasury, other)
    const watched = { organizationId: other.id, controlId: body.id }
    clock.ahead(301)
    const silent = replaceProvider(treasury, () => ({ readBack: () => Promise.reject(lost) }))
    await watchControl(treasury.service.ctx, watched)
    expect((await signerOf(treasury, other)).blockers).toContain('provider_unavailable')
    silent()
    await watchControl(treasury.service.ctx, watched)
    expect((await signerOf(treasury, other)).blockers).not.toContain('provider_unavailable')
    clock.ahead(301)
    const changed = replaceProvider(treasury, () => ({
      readBack: async () => ({ outcome: 'different', code: 'signer_is_owner' }) as const,
    }))
    await watchControl(treasury.service.ctx, watched)
    changed()
    expect(await controlOf(treasury, other)).toMatchObject({
      attachmentState: 'failed',
      failureCode: 'signer_is_owner',
    })
  })

  test('past its end deposits nothing until it is attached anew', async () => {
    await later(90_000)
    const { policyStatus, blockers } = await signerOf(treasury, house)
    expect(policyStatus).toBe('expired')
    expect(blockers).toContain('policy_expired')
    expect(outcome(await requestAction(treasury, house))).toBe('409 signer_not_ready')
    const old = await controlOf(treasury, house)
    const renewed = await attachControl(treasury, house)
    expect(renewed.body).toMatchObject({ attachmentState: 'verified' })
    expect(renewed.body.id).not.toBe(old.id)
    expect(Date.parse(renewed.body.expiresAt)).toBeGreaterThan(Date.parse(old.expiresAt))
  })
})
