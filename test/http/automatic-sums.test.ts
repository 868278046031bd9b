/** Limits on automatic payments hold against colluding members who try to drain vaults. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '#context.ts'
import { joinOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { moveByEngine } from '#test/support/expense-model.ts'
import { analyse, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import {
  addRecipients,
  addVault,
  ask,
  askAndAnalyse,
  stateOf,
  USDC,
  underRules,
  warningsOf,
} from '#test/support/insiders.ts'
import { writeListed } from '#test/support/listed-recipients.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { runPaymentRequests } from '#test/support/payment-requests.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
/** Members invited by the owner who act together. */
let insiders: Person[]

/** The vault of `openExpenseHouse`. */
const CAP = 100n * USDC
const DAY = 10n * CAP

beforeAll(async () => {
  // Empty: the documented defaults apply.
  const env = {
    AUTOMATIC_DAY_TIMES: '',
    AUTOMATIC_WEEK_TIMES: '',
    AUTOMATIC_RECIPIENT_PERCENT: '',
  }
  service = await startTestApp({ env })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())
beforeEach(async () => {
  house = await openExpenseHouse(service)
  insiders = []
  for (let n = 0; n < 3; n += 1) {
    insiders.push(await joinOrganization(service, house.organization, { role: 'employee' }))
  }
})

/** Varied amounts: none just below the cap and none unusual beside the others. */
const amount = (n: number): bigint => (60n + BigInt(n % 15)) * USDC + BigInt(n)

type Targets = { vaultId?: string; recipientId?: string }[]

/** Submits expenses of alternating insiders in turn; returns what each target received. */
async function drain(
  targets: Targets,
  tries: number,
  { ctx = service.ctx, from = 0 }: { ctx?: Context; from?: number } = {},
) {
  const released = targets.map(() => 0n)
  for (let n = from; n < from + tries; n += 1) {
    const index = n % targets.length
    const asked = { amount: amount(n), ...targets[index], ...insider(n), ctx }
    released[index] = (released[index] ?? 0n) + (await askAndAnalyse(service, house, asked))
  }
  return released
}

const insider = (n: number) => {
  const person = insiders[n % insiders.length]
  return person ? { person } : {}
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)

/** Ages every authorisation so far by this much, by the database's clock. */
const letPass = (days: number) =>
  service.database.asOwner(
    `update payments set authorised_at = authorised_at - make_interval(days => $2)
     where organization_id = $1`,
    [house.organization.id, days],
  )

/** Pays a recipient of its own, so that only the vault's sums count. */
async function spendElsewhere(total: bigint): Promise<void> {
  const other = await addRecipients(service, house, 2)
  const { organization, vaultId } = house
  const addresses = other.map(({ address }) => address)
  await service.ctx.db.transaction({ organizationId: organization.id }, (tx) =>
    writeListed(tx, { organizationId: organization.id, vaultId, addresses }),
  )
  let left = total
  for (let n = 0; left > 0n; n += 1) {
    const next = left > 70n * USDC ? 60n * USDC + BigInt(n) : left
    const recipientId = other[n % 2]?.id ?? ''
    const asked = { amount: next, recipientId, ...insider(n) }
    expect(await askAndAnalyse(service, house, asked)).toBe(next)
    left -= next
  }
}

describe('many accounts that pay one recipient in a day', () => {
  test('get at most half of ten automatic caps, whatever the single amounts', async () => {
    const [released = 0n] = await drain([{}], 10)
    expect(released).toBeLessThanOrEqual(DAY / 2n)
    expect(released).toBeGreaterThan(DAY / 2n - 75n * USDC)
  })

  test('get no more by using a second vault for the same recipient', async () => {
    const second = await addVault(service, house, {
      automaticCap: CAP,
      recipientAddresses: [house.recipientAddress],
    })
    const released = await drain([{}, { vaultId: second }], 10)
    expect(sum(released)).toBeLessThanOrEqual(DAY / 2n)
    expect(sum(released)).toBeGreaterThan(DAY / 2n - 75n * USDC)
  })

  test('get a report that names the sum, the limit and the required signature', async () => {
    await drain([{}], 8)
    const { id, runId } = await ask(service, house, { amount: 74n * USDC })
    await analyse(service, house, runId)
    const [warning, ...others] = await warningsOf(service, house, id)
    expect(others).toEqual([])
    expect(warning).toMatchObject({ id: 'automatic_recipient', outcome: 'warn' })
    expect(warning?.detail).toContain('of the organization to this recipient in a day')
    expect(warning?.detail).toContain('500.00 USDC')
    expect(warning?.detail).toContain('It needs a signature')
  })
})

describe('many accounts that pay several recipients from several vaults', () => {
  test("get at most ten caps of the largest vault, within each vault's own limit", async () => {
    const recipients = await addRecipients(service, house, 4)
    const recipientAddresses = recipients.map(({ address }) => address)
    const large = await addVault(service, house, { automaticCap: CAP, recipientAddresses })
    const small = await addVault(service, house, {
      automaticCap: 80n * USDC,
      recipientAddresses,
    })
    const targets = recipients.flatMap(({ id: recipientId }) => [
      { vaultId: large, recipientId },
      { vaultId: small, recipientId },
    ])
    const released = await drain(targets, 24)
    const ofSmall = sum(released.filter((_, n) => targets[n]?.vaultId === small))
    expect(sum(released)).toBeLessThanOrEqual(DAY)
    expect(sum(released)).toBeGreaterThan(DAY - 75n * USDC)
    expect(ofSmall).toBeLessThanOrEqual(800n * USDC)
  })

  test('get no more when all analyses run concurrently', async () => {
    const recipients = await addRecipients(service, house, 2)
    const recipientAddresses = recipients.map(({ address }) => address)
    const vaults = [
      await addVault(service, house, { automaticCap: CAP, recipientAddresses }),
      await addVault(service, house, { automaticCap: CAP, recipientAddresses }),
    ]
    const asked: { id: string; runId: string }[] = []
    for (let n = 0; n < 8; n += 1) {
      const target = { vaultId: vaults[n % 2] ?? '', recipientId: recipients[n % 2]?.id ?? '' }
      asked.push(await ask(service, house, { amount: amount(n), ...target, ...insider(n) }))
    }
    const ctx = underRules(service, { dayTimes: 3, recipientPercent: 100 })
    await Promise.all(asked.map(({ runId }) => analyse({ ctx }, house, runId)))
    const states = await Promise.all(asked.map(({ id }) => stateOf(service, house, id)))
    const released = states.map((state, n) =>
      state === 'automatic_ready_for_payment' ? amount(n) : 0n,
    )
    expect(sum(released)).toBeLessThanOrEqual(3n * CAP)
    expect(sum(released)).toBeGreaterThan(3n * CAP - 75n * USDC)
  })
})

describe('the rolling windows', () => {
  test('free the daily limit a day later, until the weekly limit is reached', async () => {
    const ctx = underRules(service, { dayTimes: 4, weekTimes: 8 })
    let released = 0n
    for (let day = 0; day < 4; day += 1) {
      const [today = 0n] = await drain([{}], 4, { ctx, from: day * 4 })
      expect(today).toBeLessThanOrEqual(2n * CAP)
      released += today
      await letPass(1)
    }
    expect(released).toBeLessThanOrEqual(4n * CAP)
    expect(released).toBeGreaterThan(4n * CAP - 75n * USDC)
    await letPass(7)
    expect(await askAndAnalyse(service, house, { amount: 61n * USDC, ctx })).toBe(61n * USDC)
  })

  test("follow the database's clock, not a server's", async () => {
    const rules = underRules(service, { dayTimes: 2 })
    expect(await drain([{}], 2, { ctx: rules })).toEqual([amount(0)])
    const clock = createMovingClock()
    clock.ahead(40 * 86_400)
    const ctx = { ...rules, clock }
    expect(await askAndAnalyse(service, house, { amount: 74n * USDC, ctx })).toBe(0n)
  })

  test("limit the vault's sum although no recipient has reached its share", async () => {
    await spendElsewhere(DAY - 60n * USDC)
    expect(await askAndAnalyse(service, house, { amount: 60n * USDC + 1n })).toBe(0n)
    expect(await askAndAnalyse(service, house, { amount: 60n * USDC })).toBe(60n * USDC)
  })
})

describe('a blocked automatic payment', () => {
  const releaseAgain = async (id: string) => {
    const answer = await service.call(
      'POST',
      `${house.organization.path}/expenses/${id}/payments`,
      {
        token: house.manager.token,
        body: { expectedVersion: 1 },
      },
    )
    await runPaymentRequests(service, house.organization.id)
    return answer
  }
  const offers = async (id: string) => {
    const { path } = house.organization
    const { body } = await service.call('GET', `${path}/live/snapshot`, {
      token: house.manager.token,
    })
    const task = body.tasks.find(({ aggregateId }: { aggregateId: string }) => aggregateId === id)
    return task.actions.map((action: { id: string }) => action.id)
  }
  const blocked = async (): Promise<string> => {
    const { id, runId } = await ask(service, house, { amount: 70n * USDC })
    await analyse(service, house, runId)
    const organizationId = house.organization.id
    await moveByEngine(service, {
      organizationId,
      expenseId: id,
      event: 'payment_blocked',
      blockCode: 'token_refused',
    })
    return id
  }

  test('does not count while blocked, and counts again once it is released', async () => {
    const id = await blocked()
    expect(await offers(id)).toContain('queue_payment')
    const [released = 0n] = await drain([{}], 6)
    expect(released).toBeGreaterThan(DAY / 2n - 140n * USDC)
    await letPass(1)
    expect((await releaseAgain(id)).status).toBe(202)
    const [later = 0n] = await drain([{}], 9)
    expect(later).toBeLessThanOrEqual(DAY / 2n - 70n * USDC)
  })

  test('is refused with 409 policy_violation above the limit and is no task', async () => {
    const id = await blocked()
    await drain([{}], 9)
    const answer = await releaseAgain(id)
    expect(outcome(answer)).toBe('409 policy_violation')
    expect(answer.body.error.message).toContain('to this recipient in a day')
    expect(await offers(id)).not.toContain('queue_payment')
    expect(await stateOf(service, house, id)).toBe('blocked')
  })
})
