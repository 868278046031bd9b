/** Approvers who sign at the same moment: no signature is lost, and no payment is queued twice. */
import { beforeAll, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import {
  approvalStates,
  awaiting,
  expenseOf,
  openSeveralHouse,
  paymentOf,
  preparedBy,
  releaseJobs,
  type SeveralHouse,
  signerOf,
  submit,
} from '#test/support/several-signers.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { prepareAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

const ROUNDS = 8

let service: TestApp
let house: SeveralHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSeveralHouse(service, { signers: 4 })
})

const eventsOf = (id: string, action: string) =>
  service.database.asOwner('select 1 from audit_events where aggregate_id = $1 and action = $2', [
    ...[id, action],
  ])

/** An expense with signatures of these approvers that are not submitted yet. */
async function preparedFor(...indexes: number[]) {
  const expense = await awaiting(service, house)
  const signed = []
  for (const index of indexes) {
    signed.push(await preparedBy(service, house, expense, signerOf(house, index)))
  }
  return { expense, signed }
}

test('two first signatures at once are both counted, and one of them is the last', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { expense, signed } = await preparedFor(0, 1)
    const answers = await Promise.all(signed.map((one) => submit(service, house, expense, one)))
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    const counted = answers.map(({ body }) => body.signedApprovals).toSorted()
    expect(counted).toEqual([1, 2])
    const { payment, approvals } = await paymentOf(service, house, expense)
    expect([payment.signedApprovals, approvals.length]).toEqual([2, 2])
    expect((await expenseOf(service, house, expense)).state).toBe('approved_ready_for_payment')
    expect(await releaseJobs(service, expense)).toBe(1)
    expect(await eventsOf(expense.id, 'expense.approved')).toHaveLength(1)
    expect(await eventsOf(expense.paymentId, 'payment.reserved')).toHaveLength(1)
  }
})

test('of two last signatures at once one completes the payment, the other is refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { expense, signed } = await preparedFor(0, 1, 2)
    const [first, ...last] = signed
    if (!first) throw new Error('Nobody has signed')
    expect((await submit(service, house, expense, first)).status).toBe(202)
    const answers = await Promise.all(last.map((one) => submit(service, house, expense, one)))
    expect(answers.map(outcome).toSorted()).toEqual(['202', '409 state_conflict'])
    const { payment, approvals } = await paymentOf(service, house, expense)
    expect([payment.signedApprovals, approvals.length]).toEqual([2, 2])
    expect((await approvalStates(service, house, expense)).toSorted()).toEqual([
      ...['signed', 'signed', 'superseded'],
    ])
    expect(await releaseJobs(service, expense)).toBe(1)
    expect(await eventsOf(expense.id, 'expense.approved')).toHaveLength(1)
  }
})

test('the same signature many times at once is counted once', async () => {
  const { expense, signed } = await preparedFor(0)
  const [only] = signed
  if (!only) throw new Error('Nobody has signed')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => submit(service, house, expense, only)),
  )
  for (const { status, body } of answers) {
    expect([status, body.signedApprovals]).toEqual([202, 1])
  }
  expect(await eventsOf(expense.paymentId, 'payment.reserved')).toHaveLength(1)
})

test('approvers who prepare at once get the same deadline', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const expense = await awaiting(service, house)
    const answers = await Promise.all(
      house.signers.map((signer) => prepareAs(service, house, expense, signer)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.message.deadline)).size).toBe(1)
  }
})

test('a signature and a revision at once leave either a reservation or a draft', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { expense, signed } = await preparedFor(0)
    const [only] = signed
    if (!only) throw new Error('Nobody has signed')
    const { path } = house.organization
    const [answer, cancelled] = await Promise.all([
      submit(service, house, expense, only),
      service.call('POST', `${path}/expenses/${expense.id}/cancel`, {
        token: house.employee.token,
        body: { expectedVersion: 1 },
      }),
    ])
    // The submitter may cancel before or after the first of two signatures.
    expect(cancelled.status).toBe(200)
    expect(outcome(answer)).toBeOneOf(['202', '409 state_conflict'])
    expect((await expenseOf(service, house, expense)).state).toBe('cancelled')
    expect(await approvalStates(service, house, expense)).toEqual(['superseded'])
    const held = await service.database.asOwner(
      `select 1 from payments where id = $1 and state in ('reserved', 'queued')`,
      [expense.paymentId],
    )
    expect(held).toEqual([])
  }
})
