/** Approvals of one payment share its deadline where several approvers must sign. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expireApproval } from '#approvals/end-approval.ts'
import { addSeconds, type Clock, systemClock } from '#platform/clock.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  type Awaiting,
  approvalStates,
  awaiting,
  expenseOf,
  openSeveralHouse,
  paymentOf,
  preparedBy,
  type SeveralHouse,
  signerOf,
  submit,
} from '#test/support/several-signers.ts'
import { prepareAs, writePolicyVersion } from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let aheadSeconds = 0
const clock: Clock = { now: () => addSeconds(systemClock.now(), aheadSeconds) }

let service: TestApp
let house: SeveralHouse
let expense: Awaiting

beforeAll(async () => {
  service = await startTestApp({ replace: { clock }, env: { WORKER_WAIT_MS: '0' } })
  await liftOwnersRowSecurity(service.database)
  house = await openSeveralHouse(service)
})
afterAll(() => service.stop())
beforeEach(async () => {
  aheadSeconds = 0
  expense = await awaiting(service, house)
})

const prepared = (index: number, more: object = {}) =>
  preparedBy(service, house, expense, signerOf(house, index), more)

const refused = (index: number, more: object = {}) =>
  prepareAs(service, house, expense, signerOf(house, index), more)

const cancel = ({ signer, approvalId }: Awaited<ReturnType<typeof prepared>>) =>
  service.call(
    'POST',
    `${house.organization.path}/expenses/${expense.id}/approvals/cancel-signing`,
    {
      token: signer.person.token,
      body: { expectedVersion: expense.currentRevision, approvalId },
    },
  )

/** Lets the deadline of these approvals pass. */
const pass = (...approvalIds: string[]) =>
  service.database.asOwner(
    `update approvals set deadline = now() - interval '2 seconds' where id = any($1::uuid[])`,
    [approvalIds],
  )

const secondsFromNow = (deadline: number): number =>
  deadline - Math.floor(clock.now().getTime() / 1000)

const timestamp = (deadline: number): string => new Date(deadline * 1000).toISOString()

test('it is a day by default, and others join it', async () => {
  const first = await prepared(0)
  expect(Math.abs(secondsFromNow(first.deadline) - 86_400)).toBeLessThan(30)
  aheadSeconds = 600
  expect((await prepared(1)).deadline).toBe(first.deadline)
})

test('less than an hour is 409 policy_violation', async () => {
  const answer = await refused(0, { deadlineSeconds: 3_599 })
  expect(outcome(answer)).toBe('409 policy_violation')
  expect(answer.body.error.message).toContain('at least 3600')
  expect(secondsFromNow((await prepared(0, { deadlineSeconds: 3_600 })).deadline)).toBeGreaterThan(
    3_500,
  )
})

test('a policy that ends within the hour is 409 policy_violation', async () => {
  const ending = await openSeveralHouse(service)
  await writePolicyVersion(service, ending, {
    expiresAt: addSeconds(clock.now(), 3_000).toISOString(),
  })
  expense = await awaiting(service, ending)
  const answer = await prepareAs(service, ending, expense, signerOf(ending, 0))
  expect(outcome(answer)).toBe('409 policy_violation')
})

test('asking for another is 409 state_conflict that names it', async () => {
  const { deadline } = await prepared(0)
  const answer = await refused(1, { deadlineSeconds: 7_200 })
  expect(outcome(answer)).toBe('409 state_conflict')
  expect(answer.body.error.message).toContain(timestamp(deadline))
})

test('a signature fixes it like a preparation', async () => {
  const first = await prepared(0)
  expect((await submit(service, house, expense, first)).status).toBe(202)
  expect(outcome(await refused(1, { deadlineSeconds: 7_200 }))).toBe('409 state_conflict')
  const second = await prepared(1)
  expect(second.deadline).toBe(first.deadline)
  const { body } = await submit(service, house, expense, second)
  expect(body.deadline).toBe(timestamp(first.deadline))
})

test("the caller's own preparation does not fix it, because a new one supersedes it", async () => {
  await prepared(0)
  const again = await prepared(0, { deadlineSeconds: 7_200 })
  expect(Math.abs(secondsFromNow(again.deadline) - 7_200)).toBeLessThan(30)
})

test('it is free again when every preparation is cancelled', async () => {
  const [first, second] = [await prepared(0), await prepared(1)]
  expect((await cancel(first)).status).toBe(200)
  expect(outcome(await refused(2, { deadlineSeconds: 7_200 }))).toBe('409 state_conflict')
  expect((await cancel(second)).status).toBe(200)
  const third = await prepared(2, { deadlineSeconds: 7_200 })
  expect(third.deadline).not.toBe(first.deadline)
})

test('it is free again when every preparation has expired', async () => {
  const { approvalId } = await prepared(0, { deadlineSeconds: 3_600 })
  await pass(approvalId)
  expect(secondsFromNow((await prepared(1)).deadline)).toBeGreaterThan(86_000)
})

test('a signature after the deadline is 409 approval_expired, and nothing is lost', async () => {
  const [first, second] = [await prepared(0), await prepared(1)]
  expect((await submit(service, house, expense, first)).status).toBe(202)
  await pass(first.approvalId, second.approvalId)
  expect(outcome(await submit(service, house, expense, second))).toBe('409 approval_expired')
  expect((await paymentOf(service, house, expense)).payment).toMatchObject({
    state: 'reserved',
    signedApprovals: 1,
  })
})

test('at the deadline the reservation ends, and new signatures can be made', async () => {
  const first = await prepared(0)
  expect((await submit(service, house, expense, first)).status).toBe(202)
  const { approvalId } = first
  await pass(approvalId)
  await expireApproval(service.ctx, { organizationId: house.organization.id, approvalId })
  expect((await paymentOf(service, house, expense)).payment).toMatchObject({
    state: 'blocked',
    blockCode: 'approval_expired',
  })
  expect((await expenseOf(service, house, expense)).state).toBe('awaiting_approval')
  expect(await approvalStates(service, house, expense)).toEqual(['expired'])
  for (const index of [0, 1]) {
    const signed = await prepared(index)
    expect((await submit(service, house, expense, signed)).status).toBe(202)
  }
  const { payment } = await paymentOf(service, house, expense)
  expect(payment).toMatchObject({ state: 'reserved', signedApprovals: 2 })
})

test('a new preparation after it ends the reservation at once, and both can sign', async () => {
  const first = await prepared(0)
  expect((await submit(service, house, expense, first)).status).toBe(202)
  await pass(first.approvalId)
  const again = await prepared(0)
  expect((await paymentOf(service, house, expense)).payment).toMatchObject({
    state: 'blocked',
    blockCode: 'approval_superseded',
  })
  for (const signed of [again, await prepared(1)]) {
    expect((await submit(service, house, expense, signed)).status).toBe(202)
  }
  const { payment } = await paymentOf(service, house, expense)
  expect(payment).toMatchObject({ state: 'reserved', signedApprovals: 2 })
  expect(payment.deadline).toBe(timestamp(again.deadline))
})
