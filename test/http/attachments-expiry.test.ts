/** The job that removes uploads which no expense has. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expireAttachment } from '#attachments/remove-attachment.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { attachmentRows, auditOf, uploaded } from '#test/support/attachments.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

const HOUR = 60 * 60
const clock = createMovingClock()
let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ replace: { clock } })
  await liftOwnersRowSecurity(service.database)
})
beforeEach(async () => {
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())

const expire = (attachmentId: string) =>
  expireAttachment(service.ctx, { organizationId: house.organization.id, attachmentId })

const jobsOf = (attachmentId: string) =>
  service.database.asOwner<{ dueInHours: number }>(
    `select round(extract(epoch from run_at - now()) / 3600)::int as "dueInHours"
     from graphile_worker.jobs where key = $1`,
    [`attachment:${attachmentId}`],
  )

const nothing = { attachments: 0, chunks: 0, bytes: 0 }

test('an upload without an expense is removed after 24 hours, and audited', async () => {
  const { organization, employee } = house
  const { id, sha256 } = await uploaded(service, organization, { person: employee })
  expect(await jobsOf(id)).toEqual([{ dueInHours: 24 }])
  clock.ahead(24 * HOUR - 600)
  await expire(id)
  expect((await attachmentRows(service, organization)).attachments).toBe(1)
  clock.ahead(600)
  await expire(id)
  expect(await attachmentRows(service, organization)).toEqual(nothing)
  expect(await auditOf(service, id)).toEqual([
    expect.objectContaining({ action: 'attachment.uploaded' }),
    { action: 'attachment.removed', data: { sha256, reason: 'not_attached' } },
  ])
  await expire(id)
})

test('an attached one stays, whatever the state of its expense', async () => {
  const { organization, employee } = house
  const { id } = await uploaded(service, organization, { person: employee })
  const made = await createExpense(service, house, { terms: { attachmentIds: [id] } })
  expect(made.status).toBe(201)
  clock.ahead(1_000 * HOUR)
  await expire(id)
  expect(await attachmentRows(service, organization)).toMatchObject({ attachments: 1, chunks: 1 })
})

test('an upload that a crashed process left is removed with its bytes', async () => {
  const { organization, employee } = house
  const { id } = await uploaded(service, organization, { person: employee })
  const left = randomUUID()
  await service.database.asOwner(
    `insert into attachments (id, organization_id, uploader_account_id, state, name, media_type,
       size_bytes, created_at)
     select $2, organization_id, uploader_account_id, 'uploading', name, media_type, 10485760,
       created_at from attachments where id = $1`,
    [id, left],
  )
  await service.database.asOwner(
    `insert into attachment_chunks select organization_id, $2, position, bytes
     from attachment_chunks where attachment_id = $1`,
    [id, left],
  )
  await service.database.asOwner(
    'update attachment_usage set bytes = bytes + 10485760 where organization_id = $1',
    [organization.id],
  )
  const before = await attachmentRows(service, organization)
  await expire(left)
  expect(await attachmentRows(service, organization)).toEqual({
    attachments: before.attachments - 1,
    chunks: before.chunks - 1,
    bytes: before.bytes - 10_485_760,
  })
})

test('bytes whose row is gone already are removed', async () => {
  const { organization } = house
  const { id } = await uploaded(service, organization)
  await service.database.asOwner('delete from attachments where id = $1', [id])
  expect((await attachmentRows(service, organization)).chunks).toBe(1)
  await expire(id)
  expect((await attachmentRows(service, organization)).chunks).toBe(0)
})
