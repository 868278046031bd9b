/** What a prepared approval leaves behind: an audit event, and the job that ends it in time. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expireApproval } from '#approvals/end-approval.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import {
  openSigningHouse,
  prepareAs,
  type SigningHouse,
  signWith,
  submitAs,
} from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: SigningHouse
let expense: Awaited<ReturnType<typeof expenseIn>>
let prepared: Awaited<ReturnType<typeof prepareAs>>['body']

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
})
afterAll(() => service.stop())

beforeEach(async () => {
  expense = await expenseIn(service, house, 'awaiting_approval')
  const answer = await prepareAs(service, house, expense, house.signer)
  expect(answer.status).toBe(200)
  prepared = answer.body
})

/** From the deadline that the approver signs to the job that expires the approval. */
async function expiresAfterDeadlineSeconds(): Promise<number> {
  const [job] = await service.database.asOwner<{ seconds: number }>(
    `select extract(epoch from run_at)::float - $2 as seconds
     from graphile_worker.jobs where key = $1`,
    [`expire_approval:${prepared.approvalId}`, Number(prepared.message.deadline)],
  )
  return job?.seconds ?? Number.NaN
}

describe('a prepared approval', () => {
  test('is in the audit trail with what is to be signed', async () => {
    const events = await service.database.asOwner(
      `select data from audit_events where action = 'approval.prepared' and aggregate_id = $1`,
      [prepared.approvalId],
    )
    const { digest } = prepared
    expect(events).toMatchObject([{ data: { digest } }])
  })

  test('expires a second or two after its deadline', async () => {
    const seconds = await expiresAfterDeadlineSeconds()
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(3)
  })

  test('that is to expire before its deadline waits for it again', async () => {
    await service.database.asOwner('delete from graphile_worker._private_jobs')
    const { approvalId } = prepared
    await expireApproval(service.ctx, { organizationId: house.organization.id, approvalId })
    const seconds = await expiresAfterDeadlineSeconds()
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(3)
  })

  test('is refused under another expense', async () => {
    const other = await expenseIn(service, house, 'awaiting_approval')
    const { person, accounts } = house.signer
    const signature = await signWith(accounts[0], prepared)
    const { approvalId } = prepared
    const answer = await submitAs(service, house, other, { person, approvalId, signature })
    expect(outcome(answer)).toBe('403 forbidden')
  })
})
