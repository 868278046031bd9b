import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliverPush } from '#push/deliver-push.ts'
import { categories } from '#push/preferences.ts'
import {
  emailEnvironment,
  giveEmail,
  preferencesPath,
  readPreferences,
  setPreferences,
} from '#test/email/steps.ts'
import { addDevice, eventOf, fakePush, pushEnvironment, recordPayment } from '#test/push/steps.ts'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openExpenseHouse } from '#test/support/expenses.ts'
import { auditTrail, outcome } from '#test/support/steps.ts'

const push = fakePush()
let service: TestApp
let person: Person

beforeAll(async () => {
  const env = { ...emailEnvironment(), ...pushEnvironment() }
  service = await startTestApp({ env, replace: { push } })
  person = await service.signIn()
})
afterAll(() => service.stop())

const REQUIRED = [
  ...['payment_unrecorded', 'policy_proposed', 'vault_changed'],
  ...['wallet_exported', 'wallet_export_locked'],
]

const settingOf = async (who: Person, category: string) => {
  const { body } = await readPreferences(service, who)
  return body.preferences.find((one: { category: string }) => one.category === category)
}

const changesOf = async ({ accountId }: Person) =>
  (await auditTrail(service.database, null)).filter(
    ({ action, aggregateId }) =>
      action === 'notification_preferences.changed' && aggregateId === accountId,
  )

test('everything is on until it is switched off', async () => {
  const { status, body } = await readPreferences(service, person)
  expect(status).toBe(200)
  expect(body).toEqual({
    preferences: categories.map((category) => ({
      category,
      push: true,
      email: true,
      required: REQUIRED.includes(category),
    })),
    channels: { push: true, email: true },
    emailAddress: null,
  })
})

test("shows the caller's own verified address", async () => {
  const someone = await service.signIn()
  await giveEmail(service, someone, { email: 'ana@acme.example' })
  expect((await readPreferences(service, someone)).body.emailAddress).toBe('ana@acme.example')
  expect((await readPreferences(service, person)).body.emailAddress).toBeNull()
})

test('says which channels the deployment has', async () => {
  const bare = await startTestApp({})
  const { body } = await readPreferences(bare, await bare.signIn())
  expect(body.channels).toEqual({ push: false, email: false })
  await bare.stop()
})

describe('a change', () => {
  test('concerns the named category and channel only, and is audited once', async () => {
    const someone = await service.signIn()
    const wanted = [{ category: 'review_needed', email: false }]
    const changed = await setPreferences(service, someone, wanted)
    expect(changed.status).toBe(200)
    expect(await settingOf(someone, 'review_needed')).toMatchObject({ push: true, email: false })
    expect(await settingOf(someone, 'payment_blocked')).toMatchObject({ push: true, email: true })
    expect(await settingOf(person, 'review_needed')).toMatchObject({ push: true, email: true })
    await setPreferences(service, someone, wanted)
    expect(await changesOf(someone)).toMatchObject([
      {
        actorRealm: 'consumer',
        data: {
          accountId: someone.accountId,
          changes: [{ category: 'review_needed', channel: 'email', on: false }],
        },
      },
    ])
  })

  test('can be undone', async () => {
    const someone = await service.signIn()
    const both = { category: 'support_updated', push: false, email: false }
    await setPreferences(service, someone, [both])
    await setPreferences(service, someone, [{ ...both, push: true }])
    expect(await settingOf(someone, 'support_updated')).toMatchObject({ push: true, email: false })
    expect(await changesOf(someone)).toHaveLength(2)
  })

  test('by concurrent requests is recorded once', async () => {
    const someone = await service.signIn()
    const wanted = [{ category: 'payment_confirmed', push: false }]
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => setPreferences(service, someone, wanted)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await changesOf(someone)).toHaveLength(1)
  })

  test.each(REQUIRED)('cannot switch off %s', async (category) => {
    const answer = await setPreferences(service, person, [
      { category: 'review_needed', email: false },
      { category, email: false },
    ])
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.error.message).toContain(category)
    expect(await settingOf(person, 'review_needed')).toMatchObject({ email: true })
    const kept = await setPreferences(service, person, [{ category, email: true, push: true }])
    expect(kept.status).toBe(200)
  })

  test.each([
    ['a category that does not exist', [{ category: 'everything', email: false }]],
    ['a channel that does not exist', [{ category: 'review_needed', sms: false }]],
    ['a category twice', [{ category: 'review_needed' }, { category: 'review_needed' }]],
    ['no category', []],
    ['a text for a boolean', [{ category: 'review_needed', email: 'false' }]],
  ])('with %s is 400', async (_what, preferences) => {
    const { token } = person
    const answer = await service.call('PUT', preferencesPath, { token, body: { preferences } })
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('needs a token and an account that is not disabled', async () => {
    expect(outcome(await service.call('GET', preferencesPath))).toBe('401 unauthenticated')
    const body = { preferences: [{ category: 'review_needed', email: false }] }
    expect(outcome(await service.call('PUT', preferencesPath, { body }))).toBe(
      '401 unauthenticated',
    )
    const someone = await service.signIn()
    await service.database.asOwner(`update accounts set status = 'disabled' where id = $1`, [
      someone.accountId,
    ])
    const refused = await setPreferences(service, someone, body.preferences)
    expect(outcome(refused)).toBe('403 account_disabled')
  })
})

test('push honours them too', async () => {
  const house = await openExpenseHouse(service)
  const subscriptionId = await addDevice(service, house.employee)
  const { paymentId } = await expenseIn(service, house, 'draft')
  const { id: organizationId } = house.organization
  await recordPayment(service, { organizationId, paymentId, state: 'confirmed' })
  const eventId = await eventOf(service, { aggregateId: paymentId, targetState: 'confirmed' })
  const { accountId } = house.employee
  const job = { organizationId, accountId, subscriptionId, eventId, attempt: 1 }
  await setPreferences(service, house.employee, [{ category: 'payment_confirmed', push: false }])
  await deliverPush(service.ctx, job)
  expect(push.sent).toEqual([])
  const mailOnly = { category: 'payment_confirmed', push: true, email: false }
  await setPreferences(service, house.employee, [mailOnly])
  await deliverPush(service.ctx, job)
  expect(push.sent).toHaveLength(1)
})
