/** Deposits through a provider that sends transactions itself; scheduled probes; expiry. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endAction } from '#funding/end-action.ts'
import { probeSigner } from '#funding/probe-signer.ts'
import { runAction } from '#funding/run-action.ts'
import { watchControl } from '#funding/watch-control.ts'
import { AppError } from '#platform/errors.ts'
import {
  beginDelegated,
  delegating,
  LIFETIME_MS,
  REMEMBERED_MS,
  type Script,
  script,
} from '#test/support/delegating.ts'
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
import { randomHash, startTreasury, type Treasury } from '#test/support/treasury.ts'

const clock = createMovingClock()
let treasury: Treasury
let house: FundingHouse

beforeAll(async () => {
  treasury = await startTreasury({
    env: { FUNDING_PROBE_SECONDS: '3600', FUNDING_LIFETIME_SECONDS: '2592000' },
    replace: () => ({ clock }),
  })
  giveGas(treasury)
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openFundingHouse(treasury)
  await readyToDeposit(treasury, house)
})
afterAll(() => treasury.stop())

/** Access tokens last an hour. Jobs are due by the database's clock and run by hand. */
async function later(seconds: number): Promise<void> {
  clock.ahead(seconds)
  house.owner.token = (await treasury.service.signIn(house.owner.subject)).token
}

const lost = new AppError('dependency_unavailable', { retryAfterSeconds: 1 })

async function deposited(steps: Script, end: string) {
  const restore = replaceProvider(treasury, delegating({ treasury, house, steps }))
  const before = await tokensOf(treasury, house.vault.address)
  const asked = await requestAction(treasury, house, { amountBaseUnits: '7' })
  expect(asked.status, asked.text).toBe(202)
  const action = await untilAction(treasury, house, asked.body.id, end)
  restore()
  const gained = (await tokensOf(treasury, house.vault.address)) - before
  return { action, gained }
}

describe('a delegated provider', () => {
  test('is asked once, and the chain confirms the deposit', async () => {
    const steps = script()
    const { action, gained } = await deposited(steps, 'confirmed')
    expect(action).toMatchObject({
      providerReference: `ref-${steps.asked[0]}`,
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      reconciliationState: 'confirmed',
    })
    expect(gained).toBe(7n)
    expect(steps.asked).toHaveLength(1)
  })

  test.each([
    ['before the request arrived', 'lost before'],
    ['after the provider had sent', 'lost after'],
  ] as const)(
    'is asked again with the same key when its answer is lost %s',
    async (_when, answer) => {
      const steps = { ...script([answer, answer]), isBlind: true }
      const { gained } = await deposited(steps, 'confirmed')
      expect(gained).toBe(7n)
      expect(steps.asked).toEqual(Array(3).fill(steps.asked[0]))
    },
  )

  test('that denies the deposit has sent nothing', async () => {
    const steps = script([{ outcome: 'denied', code: 'policy_violation' }])
    const { action, gained } = await deposited(steps, 'denied')
    expect(action).toMatchObject({ failureCode: 'policy_violation', broadcastAt: null })
    expect(gained).toBe(0n)
  })

  test('fails the deposit by an immediate refusal, but not after a lost answer', async () => {
    const refusal = { outcome: 'refused', code: 'invalid_data' } as const
    const first = await deposited(script([refusal]), 'failed')
    expect(first.action.failureCode).toBe('invalid_data')
    expect(first.gained).toBe(0n)
    const steps = { ...script(['lost after', refusal, refusal]), isBlind: true }
    const later = await deposited(steps, 'confirmed')
    expect(later.gained).toBe(7n)
  })

  test('that no longer knows the key is not asked again, and an operator is needed', async () => {
    const steps = { ...script(['lost after']), isBlind: true }
    steps.answers.push(...Array<'lost before'>(1_000).fill('lost before'))
    const { until, restore } = await begun(steps)
    clock.ahead(REMEMBERED_MS / 1000 + 120)
    const before = steps.asked.length
    await until({ state: 'requested', reconciliationState: 'required' })
    expect(steps.asked.length - before).toBeLessThanOrEqual(1)
    expect(outcome(await requestAction(treasury, house))).toBe('409 state_conflict')
    // The service keeps searching the chain for the deposit.
    steps.isBlind = false
    expect(await until({ state: 'confirmed' })).toBe(7n)
    restore()
  })

  test('that reports no hash fails the deposit after a day without it on the chain', async () => {
    const steps: Script = { ...script(), isNameless: true, isBlind: true }
    const transactionHash = randomHash()
    steps.answers.push({ outcome: 'sent', providerReference: null, transactionHash })
    const { until, restore } = await begun(steps)
    await until({ state: 'broadcast', transactionHash })
    await later(86_000)
    await until({ state: 'broadcast', reconciliationState: 'required' })
    await later(1_000)
    expect(await until({ state: 'failed', failureCode: 'transaction_not_found' })).toBe(0n)
    restore()
  })
})

const begun = (steps: Script) => beginDelegated({ treasury, house, steps })

describe('an untrustworthy provider', () => {
  const denial = { outcome: 'denied', code: 'policy_violation' } as const

  test('cannot confirm a deposit with an earlier one of the same amount', async () => {
    const first = await begun(script())
    expect(await first.until({ state: 'confirmed' })).toBe(7n)
    first.restore()
    const [{ transactionHash: hash }] = (await actionsOf(treasury, house, '?limit=1')).body
    const { asOwner } = treasury.service.database
    const rename = 'update funding_actions set transaction_hash = $2 where transaction_hash = $1'
    const other = randomHash()
    // Not recorded as one of our deposits, but still older than the request.
    await asOwner(rename, [hash, other])
    const steps: Script = { ...script(), polled: { state: 'ended', hash } }
    steps.answers.push({ outcome: 'sent', providerReference: 'ref-x', transactionHash: hash })
    const { id, until, restore } = await begun(steps)
    expect(await until({ state: 'broadcast', transactionHash: hash })).toBe(0n)
    // Younger than the request, but it has already confirmed another deposit.
    await asOwner(`${rename} and state = 'confirmed'`, [other, hash])
    await asOwner('update funding_actions set submitted_block = 0 where id = $1', [id])
    expect(await until({ state: 'broadcast', transactionHash: hash })).toBe(0n)
    steps.polled.hash = randomHash()
    await later(90_000)
    await until({ state: 'failed', failureCode: 'transaction_not_found' })
    restore()
  })

  test('cannot end a request that may be in flight by denying its repetition', async () => {
    const steps = { ...script(['lost after', ...Array(1_000).fill(denial)]), isBlind: true }
    const { until, restore } = await begun(steps)
    expect(await until({ state: 'requested' })).toBe(7n)
    expect(steps.asked.length).toBeGreaterThan(2)
    steps.isBlind = false
    await until({ state: 'confirmed' })
    restore()
    const never = script(['lost before', ...Array(1_000).fill(denial)])
    const second = await begun(never)
    await second.until({ state: 'requested' })
    clock.ahead(LIFETIME_MS / 1000)
    expect(await second.until({ state: 'denied', failureCode: 'policy_violation' })).toBe(0n)
    second.restore()
  })

  test("cannot end the first worker's request by refusing a second worker", async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const refusal = { outcome: 'refused', code: 'reference_id_taken' } as const
    const steps: Script = { ...script(), isBlind: true, gate }
    const restore = replaceProvider(treasury, delegating({ treasury, house, steps }))
    const { body } = await requestAction(treasury, house, { amountBaseUnits: '7' })
    const job = { organizationId: house.id, actionId: body.id }
    const first = runAction(treasury.service.ctx, job)
    await vi.waitFor(() => expect(steps.asked).toHaveLength(1), 30_000)
    steps.answers.push(...Array(1_000).fill(refusal))
    await runAction(treasury.service.ctx, job)
    expect(steps.asked.length).toBeGreaterThan(2)
    open()
    await first
    steps.isBlind = false
    await runAction(treasury.service.ctx, job)
    await untilAction(treasury, house, body.id, 'confirmed')
    restore()
  })
})

describe('ending an action as an operator', () => {
  const end = (id: string) => endAction(treasury.service.ctx, id)
  const refused = (message: RegExp) =>
    expect.objectContaining({ message: expect.stringMatching(message) })

  test('fails a lost deposit that the chain does not have', async () => {
    const { id, until, restore } = await begun(script(Array(1_000).fill('lost before')))
    await expect(end(id)).rejects.toEqual(refused(/less than a day ago/))
    await later(90_000)
    expect(await end(id)).toBe('failed')
    expect(await until({ state: 'failed', failureCode: 'ended_by_operator' })).toBe(0n)
    await expect(end(id)).rejects.toEqual(refused(/No open funding action has this id/))
    restore()
  })

  test('confirms a deposit that the chain has, whatever the provider reports', async () => {
    const steps = { ...script(['lost after', ...Array(1_000).fill('lost before')]), isBlind: true }
    const { id, until, restore } = await begun(steps)
    await later(90_000)
    expect(await vi.waitFor(() => end(id), 20_000)).toBe('confirmed')
    expect(await until({ state: 'confirmed', reconciliationState: 'confirmed' })).toBe(7n)
    restore()
  })
})

describe('a verified signer', () => {
  const job = async () => ({
    organizationId: house.id,
    controlId: (await controlOf(treasury, house)).id,
  })

  test('is probed by the service, and again only after the first probe has ended', async () => {
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

  test('is unavailable while its provider is silent, and fails when changed there', async () => {
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

  test('deposits nothing after expiry until it is attached again', async () => {
    await later(2_600_000)
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
