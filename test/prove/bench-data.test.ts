/** The benchmarks' data is valid: every read of it succeeds over HTTP. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DataSet, subjectOf, writeDataSet, writeOrganizations } from '#bench/data-set.ts'
import { bodiesDiffer, detailStatement, listStatement } from '#bench/one-statement.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { contractProblem } from '#test/support/contract.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

const EXPENSES = 120
const NAME = 'data'

let service: TestApp
let pool: pg.Pool
let data: DataSet
let caller: { organizationId: string; issuer: string; subject: string }
let tokens: { member: string; operator: string }

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  const options = '-c search_path=countersign -c timezone=UTC'
  pool = new pg.Pool({ connectionString: service.database.url, max: 1, options })
  // Dropping the database may end a connection that is still closing.
  pool.on('error', () => {})
  const { issuer } = service.ctx.config.identity.consumer
  data = await writeDataSet(pool, { name: NAME, expenses: EXPENSES, issuer })
  await writeOrganizations(pool, { name: NAME, count: 20, issuer })
  const subject = subjectOf(NAME, 1)
  caller = { organizationId: data.organizationId, issuer, subject }
  tokens = {
    member: (await service.signIn(subject)).token,
    operator: await service.operatorToken(),
  }
})
afterAll(async () => {
  await pool.end()
  await service.stop()
})

const read = async (path: string, token: string) => {
  const answer = await service.call('GET', path, { token })
  expect([answer.status, contractProblem('GET', path, answer)]).toEqual([200, undefined])
  return answer
}

const inOrganization = (path: string) => `/v1/consumer/organizations/${data.organizationId}/${path}`

test('members read overview, list, detail and snapshot', async () => {
  const paths = ['overview', 'expenses?limit=50', `expenses/${data.expenseId}`, 'live/snapshot']
  for (const path of paths) await read(inOrganization(path), tokens.member)
})

test('administrators read the detail and find the organization among others by name', async () => {
  const all = '/v1/admin/organizations'
  await read(`${all}/${data.organizationId}`, tokens.operator)
  const found = async (q: string) =>
    (await read(`${all}?limit=50&q=${q}`, tokens.operator)).body.organizations.length
  expect([await found(NAME), await found('company')]).toEqual([1, 20])
})

test('the one statement answers the bytes of the service', async () => {
  const bodyOf = async ({ text, values }: { text: string; values: unknown[] }) =>
    (await pool.query(text, values)).rows.map(({ body }) => body)
  for (const limit of [50, EXPENSES, 200]) {
    const { text } = await read(inOrganization(`expenses?limit=${limit}`), tokens.member)
    const [body] = await bodyOf(listStatement(caller, limit))
    expect(bodiesDiffer(body, text)).toBe(false)
  }
  const { text } = await read(inOrganization(`expenses/${data.expenseId}`), tokens.member)
  const [body] = await bodyOf(detailStatement(caller, data.expenseId))
  expect(bodiesDiffer(body, text)).toBe(false)
  expect(bodiesDiffer(body, text.replace('Invoice', 'Receipt'))).toBe(true)
  const stranger = { ...caller, subject: 'nobody' }
  expect(await bodyOf(listStatement(stranger, 50))).toEqual([])
  expect(await bodyOf(detailStatement(stranger, data.expenseId))).toEqual([])
})
