/** Reads that an operator's client polls are recorded once in ten minutes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { POLLED_READ_SECONDS } from '#journal/record-read.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { type Operator, operatorTrail, signInOperator } from '#test/support/operators.ts'

const clock = createMovingClock()
let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ replace: { clock }, plansByValues: true })
})
afterAll(() => service.stop())

const poll = async ({ token }: Operator, what: 'snapshot' | 'stream') => {
  const { status } = await service.call('GET', `/v1/admin/live/${what}`, { token })
  expect(status).toBe(200)
}

const recorded = async (operator: Operator) =>
  (await operatorTrail(service, operator)).map(({ data }) => data.operation)

test('records once per operator and operation, and again after ten minutes', async () => {
  const [first, second] = [await signInOperator(service), await signInOperator(service)]
  for (let n = 0; n < 3; n += 1) await poll(first, 'snapshot')
  await poll(second, 'snapshot')
  await poll(first, 'stream')
  expect(await recorded(first)).toEqual(['getAdminLiveSnapshot', 'streamAdminLive'])
  expect(await recorded(second)).toEqual(['getAdminLiveSnapshot'])
  clock.ahead(POLLED_READ_SECONDS)
  for (let n = 0; n < 2; n += 1) await poll(first, 'snapshot')
  expect(await recorded(first)).toEqual([
    ...['getAdminLiveSnapshot', 'streamAdminLive', 'getAdminLiveSnapshot'],
  ])
})
