/** From a change through a worker to a mail server. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { createLog } from '#platform/log.ts'
import { type MailServer, startMailServer } from '#test/email/mail-server.ts'
import {
  APP,
  deliveriesOf,
  emailEnvironment,
  GATEWAY,
  giveEmail,
  queuedEmails,
  readPreferences,
} from '#test/email/steps.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { submit } from '#test/support/expense-states.ts'
import {
  createExpense,
  type ExpenseHouse,
  openExpenseHouse,
  PURPOSE,
} from '#test/support/expenses.ts'
import { startWorker } from '#worker.ts'

const lines: string[] = []
let server: MailServer
let service: TestApp
let worker: JobRunner
let house: ExpenseHouse

beforeAll(async () => {
  server = await startMailServer()
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  const env = { ...emailEnvironment(server.port) }
  service = await startTestApp({ env, replace: { log } })
  house = await openExpenseHouse(service)
  await giveEmail(service, house.manager, { email: 'manager@acme.example', name: 'Chidi Eze' })
  worker = await startWorker(service.ctx)
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
  await server.close()
})

/** Submits an expense, which the worker analyses as any other. */
async function submitExpense(purpose = PURPOSE): Promise<string> {
  const { body } = await createExpense(service, house, { terms: { purpose } })
  expect((await submit(service, house, { id: body.id })).status).toBe(202)
  return body.id
}

const arrived = (expenseId: string) =>
  server.received.filter(({ text }) => text.includes(expenseId))

/** Whether the follower has read that the expense needs review. */
const isFollowed = async (expenseId: string): Promise<boolean> => {
  const rows = await service.database.asOwner(
    `select 1 from live_events e, email_position p
     where e.aggregate_id = $1 and e.target_state = 'needs_review'
       and (e.transaction_id, e.seq) <= (p.transaction_id, p.seq)`,
    [expenseId],
  )
  return rows.length > 0
}

/** Makes waiting retries due now. */
const hurry = () =>
  service.database.asOwner(
    `update graphile_worker._private_jobs set run_at = now() where key like 'email:%'`,
  )

test('a request for a review arrives once, and its link unsubscribes', async () => {
  const expenseId = await submitExpense()
  await vi.waitFor(() => expect(arrived(expenseId)).toHaveLength(1), 20_000)
  const [mail] = arrived(expenseId)
  expect(mail).toMatchObject({ from: 'mail@countersign.example', to: ['manager@acme.example'] })
  expect(mail?.headers.subject).toBe('An expense needs your review (Acme)')
  expect(mail?.text).toContain(
    `${APP}/organizations/${house.organization.id}/expenses/${expenseId}`,
  )
  expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  const link = mail?.headers['list-unsubscribe'] ?? ''
  const token = link.slice(`<${GATEWAY}?token=`.length, -1)

  // What the gateway does with the one-click request of a mail program.
  const path = `/v1/consumer/email-unsubscriptions/${token}`
  expect(await service.call('POST', path)).toMatchObject({
    status: 200,
    body: { category: 'review_needed' },
  })
  const { body } = await readPreferences(service, house.manager)
  expect(body.preferences).toContainEqual({
    category: 'review_needed',
    push: true,
    email: false,
    required: false,
  })

  const next = await submitExpense('The second invoice of the printers')
  await vi.waitFor(async () => {
    expect(await isFollowed(next)).toBe(true)
    expect(await queuedEmails(service, 'deliver_email')).toEqual([])
  }, 20_000)
  expect(arrived(next)).toEqual([])
  await service.call('PUT', '/v1/consumer/notification-preferences', {
    token: house.manager.token,
    body: { preferences: [{ category: 'review_needed', email: true }] },
  })
})

test('a mail server that defers and is then down gets the message in the end', async () => {
  server.refuse('data', 451)
  const expenseId = await submitExpense('Deferred at first')
  const retry = (attempt: number) =>
    vi.waitFor(async () => {
      const jobs = await queuedEmails(service, 'deliver_email')
      expect(jobs).toMatchObject([{ payload: { attempt } }])
    }, 20_000)
  await retry(2)
  expect(arrived(expenseId)).toEqual([])
  const { port } = server
  await server.close()
  await hurry()
  await retry(3)
  server = await startMailServer({ port })
  await hurry()
  await vi.waitFor(() => expect(arrived(expenseId)).toHaveLength(1), 20_000)
  await vi.waitFor(async () => {
    expect((await deliveriesOf(service)).at(-1)).toMatchObject({ outcome: 'accepted' })
  }, 20_000)
})

test('a recipient that the mail server refuses for good is not tried again', async () => {
  server.refuse('rcpt', 550)
  const expenseId = await submitExpense('Refused for good')
  await vi.waitFor(async () => {
    expect((await deliveriesOf(service)).at(-1)).toMatchObject({ outcome: 'rejected' })
  }, 20_000)
  // The finished job leaves the queue shortly afterwards; a retry would stay in it.
  await vi.waitFor(async () => {
    expect(await queuedEmails(service, 'deliver_email')).toEqual([])
  }, 5_000)
  expect(arrived(expenseId)).toEqual([])
})

test('no log line contains an address, a token or the purpose', () => {
  const logged = lines.join('')
  expect(logged).toContain('an e-mail is retried later')
  for (const { headers } of server.received) {
    const token = /token=([\w-]+)/.exec(headers['list-unsubscribe'] ?? '')?.[1] ?? 'none'
    expect(logged).not.toContain(token)
  }
  expect(logged).not.toMatch(/manager@acme\.example|Deferred at first/)
})
