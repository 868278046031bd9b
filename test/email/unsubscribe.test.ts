import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUnsubscribeToken } from '#email/unsubscribe-token.ts'
import { addSeconds, systemClock } from '#platform/clock.ts'
import type { Category } from '#push/notification.ts'
import { emailEnvironment, readPreferences, setPreferences } from '#test/email/steps.ts'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { auditTrail, outcome } from '#test/support/steps.ts'

let service: TestApp
let person: Person

beforeAll(async () => {
  service = await startTestApp({ env: emailEnvironment() })
})
afterAll(() => service.stop())

const tokenFor = (
  { accountId }: Pick<Person, 'accountId'>,
  category: Category,
  { key = service.ctx.secrets.unsubscribeKey, age = 0 } = {},
) => createUnsubscribeToken(key, { accountId, category, at: addSeconds(systemClock.now(), -age) })

const unsubscribe = (token: string) =>
  service.call('POST', `/v1/consumer/email-unsubscriptions/${token}`)

const offOf = async (who: Person): Promise<string[]> => {
  const { body } = await readPreferences(service, who)
  return body.preferences.flatMap(
    ({ category, push, email }: { category: string; push: boolean; email: boolean }) => [
      ...(push ? [] : [`push ${category}`]),
      ...(email ? [] : [`email ${category}`]),
    ],
  )
}

describe('an unsubscribe link', () => {
  test('switches off e-mails of its category, without a sign-in, and nothing else', async () => {
    person = await service.signIn()
    const other = await service.signIn()
    const answer = await unsubscribe(tokenFor(person, 'review_needed'))
    expect(answer).toMatchObject({ status: 200, body: { category: 'review_needed' } })
    expect(await offOf(person)).toEqual(['email review_needed'])
    expect(await offOf(other)).toEqual([])
  })

  test('can be used again, and is audited once', async () => {
    person = await service.signIn()
    const token = tokenFor(person, 'payment_blocked')
    expect((await unsubscribe(token)).status).toBe(200)
    expect((await unsubscribe(token)).status).toBe(200)
    const trail = await auditTrail(service.database, null)
    const changes = trail.filter(({ aggregateId }) => aggregateId === person.accountId)
    expect(
      changes.filter(({ action }) => action === 'notification_preferences.changed'),
    ).toMatchObject([
      { data: { changes: [{ category: 'payment_blocked', channel: 'email', on: false }] } },
    ])
  })

  test('works for a disabled account', async () => {
    const someone = await service.signIn()
    await service.database.asOwner(`update accounts set status = 'disabled' where id = $1`, [
      someone.accountId,
    ])
    expect((await unsubscribe(tokenFor(someone, 'review_needed'))).status).toBe(200)
  })

  test('cannot switch off a required category', async () => {
    person = await service.signIn()
    expect((await unsubscribe(tokenFor(person, 'wallet_exported'))).status).toBe(200)
    expect(await offOf(person)).toEqual([])
  })

  test('cannot switch anything on', async () => {
    person = await service.signIn()
    await setPreferences(service, person, [{ category: 'review_needed', email: false }])
    await unsubscribe(tokenFor(person, 'review_needed'))
    expect(await offOf(person)).toEqual(['email review_needed'])
  })
})

describe('is refused with 400', () => {
  beforeAll(async () => {
    person = await service.signIn()
  })

  const spliced = () => {
    const [own, others] = [tokenFor(person, 'payment_blocked'), tokenFor(person, 'review_needed')]
    const bytes = (token: string) => Buffer.from(token, 'base64url')
    const mac = bytes(others).subarray(-32)
    return Buffer.concat([bytes(own).subarray(0, -32), mac]).toString('base64url')
  }

  test.each([
    ['a forged token', () => tokenFor(person, 'review_needed', { key: randomBytes(32) })],
    ['an expired token', () => tokenFor(person, 'review_needed', { age: 181 * 24 * 3_600 })],
    ['the MAC of another category', spliced],
    ['an unknown category', () => tokenFor(person, 'everything' as Category)],
    ['noise', () => randomUUID()],
    ['a token of an invitation', () => randomBytes(32).toString('base64url')],
  ])('%s', async (_what, token) => {
    const answer = await unsubscribe(token())
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(await offOf(person)).toEqual([])
  })
})

test('a link of an account that a restored backup does not have changes nothing', async () => {
  const accountId = randomUUID()
  expect((await unsubscribe(tokenFor({ accountId }, 'review_needed'))).status).toBe(200)
  const trail = await auditTrail(service.database, null)
  expect(trail.filter(({ aggregateId }) => aggregateId === accountId)).toEqual([])
})

test('only refused tokens count towards the rate limit of the address', async () => {
  const env = { ...emailEnvironment(), RATE_LIMIT_PER_ADDRESS: '3' }
  const limited = await startTestApp({ env })
  const { accountId } = await limited.signIn()
  const { unsubscribeKey } = limited.ctx.secrets
  const at = systemClock.now()
  const good = createUnsubscribeToken(unsubscribeKey, { accountId, category: 'review_needed', at })
  const statuses = async (token: string, times: number) => {
    const found: number[] = []
    for (let n = 0; n < times; n += 1) {
      const path = `/v1/consumer/email-unsubscriptions/${token}`
      found.push((await limited.call('POST', path)).status)
    }
    return found
  }
  expect(await statuses(good, 6)).toEqual(Array(6).fill(200))
  expect(await statuses('forged', 5)).toEqual([400, 400, 400, 429, 429])
  expect(await statuses(good, 1)).toEqual([200])
  await limited.stop()
})

test('good tokens of an account are limited to ten in a minute, of whatever category', async () => {
  const limited = await startTestApp({ env: emailEnvironment() })
  const [one, other] = [await limited.signIn(), await limited.signIn()]
  const { unsubscribeKey } = limited.ctx.secrets
  const unsubscribeOnce = ({ accountId }: Person, category: Category) => {
    const at = systemClock.now()
    const token = createUnsubscribeToken(unsubscribeKey, { accountId, category, at })
    return limited.call('POST', `/v1/consumer/email-unsubscriptions/${token}`)
  }
  for (let n = 0; n < 5; n += 1) {
    expect((await unsubscribeOnce(one, 'review_needed')).status).toBe(200)
    expect((await unsubscribeOnce(one, 'payment_blocked')).status).toBe(200)
  }
  const refused = await unsubscribeOnce(one, 'support_updated')
  expect(outcome(refused)).toBe('429 rate_limited')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const { body } = await readPreferences(limited, one)
  expect(body.preferences).toContainEqual(
    expect.objectContaining({ category: 'support_updated', email: true }),
  )
  expect((await unsubscribeOnce(other, 'review_needed')).status).toBe(200)
  await limited.stop()
})
