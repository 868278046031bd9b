/** POST expenses/{expenseId}/approvals/prepare: limits from the policy, the funds and the clock. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addSeconds, type Clock, systemClock } from '#platform/clock.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import {
  addressesOf,
  openSigningHouse,
  prepareAs,
  type SigningHouse,
  signAs,
  writePolicyVersion,
  writeProposal,
} from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { addToVault } from '#treasury/vaults.store.ts'

/** Tests that need another time set it and restore it. */
let aheadSeconds = 0
/** Stands still while a test counts whole seconds. */
let stopped: Date | undefined
const clock: Clock = { now: () => stopped ?? addSeconds(systemClock.now(), aheadSeconds) }

let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ replace: { clock } })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const awaiting = (home: SigningHouse, terms: object = {}) =>
  expenseIn(service, home, 'awaiting_approval', { terms })

type Known = { id: string; currentRevision: number }

const prepare = (expense: Known, home: SigningHouse, more: object = {}) =>
  prepareAs(service, home, expense, home.signer, more)

/** Expects a refusal with that code and no write. */
async function expectRefusal(
  expense: Known,
  refusal: string,
  { home, ...more }: { home: SigningHouse; deadlineSeconds?: number },
) {
  const count = () => service.database.asOwner('select count(*)::int from approvals')
  const before = await count()
  expect(outcome(await prepare(expense, home, more))).toBe(refusal)
  expect(await count()).toEqual(before)
}

const inSeconds = (seconds: number) => addSeconds(systemClock.now(), seconds).toISOString()

describe('preparing under a policy', () => {
  let home: SigningHouse
  let expense: Known

  beforeAll(async () => {
    home = await openSigningHouse(service)
    expense = await awaiting(home, { amountBaseUnits: '25000000' })
  })

  test.each([
    ['a pause', { paused: true }, '409 policy_violation'],
    ['another executor', { executorAddress: `0x${'ee'.repeat(20)}` }, '409 policy_violation'],
    ['an approved cap one below', { approvedCap: 24_999_999n }, '409 policy_violation'],
    ['an approved cap of exactly the amount', { approvedCap: 25_000_000n }, '200'],
    ['a lifetime cap one below', { lifetimeCap: 24_999_999n }, '409 policy_violation'],
    ['a lifetime cap of exactly the amount', { lifetimeCap: 25_000_000n }, '200'],
    ['a reserve one too high', { reserveFloor: 4_975_000_001n }, '409 insufficient_funds'],
    ['a reserve that leaves exactly the amount', { reserveFloor: 4_975_000_000n }, '200'],
    ['no automatic payments', { automaticEnabled: false, automaticCap: 0n }, '200'],
  ])('with %s gives the expected answer', async (_name, terms, expected) => {
    const small = { automaticCap: 1n, approvedCap: 25_000_000n }
    const listed = { approverAddresses: addressesOf(home.signer) }
    const full = { lifetimeCap: 10_000_000_000n, reserveFloor: 0n, automaticEnabled: true }
    await writePolicyVersion(service, home, { ...small, ...listed, ...full, ...terms })
    if (expected === '200') expect((await prepare(expense, home)).status).toBe(200)
    else await expectRefusal(expense, expected, { home })
  })

  test.each([
    'allowed_from = null, recipients_version = null, transaction_hash = null, block_number = null',
    "allowed_from = now() + interval '1 hour'",
    'blocked = true',
  ])('refuses a recipient of which the list says %s', async (standing) => {
    const other = await openSigningHouse(service)
    const waiting = await awaiting(other)
    await service.database.asOwner(`update vault_recipients set ${standing} where vault_id = $1`, [
      other.vaultId,
    ])
    await expectRefusal(waiting, '409 policy_violation', { home: other })
  })

  test('refuses after the policy has ended', async () => {
    const ending = await openSigningHouse(service, { expiresAt: inSeconds(600) })
    const late = await awaiting(ending)
    expect((await prepare(late, ending)).status).toBe(200)
    aheadSeconds = 601
    try {
      await expectRefusal(late, '409 policy_violation', { home: ending })
    } finally {
      aheadSeconds = 0
    }
  })

  test('ends when a policy that waits can come into force', async () => {
    const changing = await openSigningHouse(service)
    const late = await awaiting(changing)
    const activatesAt = inSeconds(1_800)
    await writeProposal(service, changing, activatesAt)
    const { body } = await prepare(late, changing)
    const wholeSeconds = Math.floor(Date.parse(activatesAt) / 1000)
    expect(body.message.deadline).toBe(String(wholeSeconds))
    await expectRefusal(late, '409 policy_violation', { home: changing, deadlineSeconds: 1_900 })
    expect((await prepare(late, changing, { deadlineSeconds: 600 })).status).toBe(200)
    aheadSeconds = 1_801
    try {
      await expectRefusal(late, '409 policy_violation', { home: changing })
    } finally {
      aheadSeconds = 0
    }
  })

  test('refuses with policy_missing without a policy', async () => {
    await service.database.asOwner('update vaults set policy_version = 0 where id = $1', [
      home.vaultId,
    ])
    await expectRefusal(expense, '409 policy_missing', { home })
  })

  test('counts other reservations against the lifetime cap', async () => {
    const busy = await openSigningHouse(service, { lifetimeCap: 50_000_000n })
    const [first, second] = [await awaiting(busy), await awaiting(busy)]
    const third = await awaiting(busy)
    for (const each of [first, second]) {
      expect((await signAs(service, busy, each, busy.signer)).status).toBe(202)
    }
    await expectRefusal(third, '409 policy_violation', { home: busy })
  })

  test('counts other reservations against the balance above the reserve', async () => {
    const busy = await openSigningHouse(service, {
      balance: 50_000_000n,
      reserveFloor: 1n,
    })
    const [first, second] = [await awaiting(busy), await awaiting(busy)]
    expect((await signAs(service, busy, first, busy.signer)).status).toBe(202)
    await expectRefusal(second, '409 insufficient_funds', { home: busy })
    const { id: organizationId } = busy.organization
    await service.ctx.db.transaction({ organizationId }, async (tx) =>
      addToVault(tx, { organizationId, vaultId: busy.vaultId, balance: 1n }),
    )
    expect((await prepare(second, busy)).status).toBe(200)
  })
})

describe('the deadline', () => {
  let home: SigningHouse
  let expense: Known
  const policyEndsIn = (seconds: number) =>
    writePolicyVersion(service, home, { expiresAt: inSeconds(seconds) })

  beforeAll(async () => {
    home = await openSigningHouse(service)
    expense = await awaiting(home)
  })

  test.each([59, 604_801, 0, -60, 60.5, '3600', null])('%s is 400', async (deadlineSeconds) => {
    const answer = await prepare(expense, home, { deadlineSeconds })
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test.each([60, 604_800])('of %s seconds is used as requested', async (deadlineSeconds) => {
    const { status, body } = await prepare(expense, home, { deadlineSeconds })
    expect(status).toBe(200)
    const left = Number(body.message.deadline) - systemClock.now().getTime() / 1000
    expect(Math.abs(left - deadlineSeconds)).toBeLessThan(10)
  })

  test('defaults to the end of the policy and never exceeds it', async () => {
    await policyEndsIn(600)
    const { status, body } = await prepare(expense, home)
    expect(status).toBe(200)
    const left = Number(body.message.deadline) - systemClock.now().getTime() / 1000
    expect(left).toBeLessThanOrEqual(600)
    expect(left).toBeGreaterThan(580)
    expect((await prepare(expense, home, { deadlineSeconds: 500 })).status).toBe(200)
  })

  test('is refused when it is after the end of the policy', async () => {
    await policyEndsIn(600)
    await expectRefusal(expense, '409 policy_violation', { home, deadlineSeconds: 700 })
  })

  test('is refused when the policy ends in less than a minute, explicit or not', async () => {
    await policyEndsIn(50)
    await expectRefusal(expense, '409 policy_violation', { home })
    await expectRefusal(expense, '409 policy_violation', { home, deadlineSeconds: 60 })
  })

  describe('with a policy that ends on a whole second', () => {
    const wholeSeconds = (at: Date) => Math.floor(at.getTime() / 1000)
    const thisSecond = (ms = 0) => new Date(wholeSeconds(systemClock.now()) * 1000 + ms)
    /** After the second in which the clock has stopped. */
    const later = (seconds: number) =>
      new Date((wholeSeconds(stopped ?? systemClock.now()) + seconds) * 1000)
    const deadlineOf = async (more: object = {}) => {
      const answer = await prepare(expense, home, more)
      return answer.status === 200 ? Number(answer.body.message.deadline) : outcome(answer)
    }
    const policyEndsAt = (end: Date) =>
      writePolicyVersion(service, home, { expiresAt: end.toISOString() })
    afterEach(() => {
      stopped = undefined
    })

    test('the last hour: the deadline is the end itself', async () => {
      stopped = thisSecond(400)
      const end = later(1800)
      await policyEndsAt(end)
      expect(await deadlineOf()).toBe(end.getTime() / 1000)
    })

    test('an hour and a second before its end, the deadline is an hour away', async () => {
      stopped = thisSecond()
      await policyEndsAt(later(3601))
      expect(await deadlineOf()).toBe(stopped.getTime() / 1000 + 3600)
    })

    test('a deadline asked for may be the end itself, and not a second later', async () => {
      stopped = thisSecond(999)
      const end = later(1800)
      await policyEndsAt(end)
      expect(await deadlineOf({ deadlineSeconds: 1800 })).toBe(end.getTime() / 1000)
      expect(await deadlineOf({ deadlineSeconds: 1801 })).toBe('409 policy_violation')
    })

    test('59 seconds are enough, because deadlines are rounded down; 58 are not', async () => {
      stopped = thisSecond()
      await policyEndsAt(later(59))
      expect(await deadlineOf()).toBe(stopped.getTime() / 1000 + 59)
      await policyEndsAt(later(58))
      expect(await deadlineOf()).toBe('409 policy_violation')
    })
  })
})
