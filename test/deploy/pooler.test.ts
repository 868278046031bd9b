/** API processes behind PgBouncer, with the file of deploy/ha: docs/OPERATIONS.md. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { start as startApi } from '#main.ts'
import { openDatabase } from '#platform/database/database.ts'
import { failureOf } from '#platform/terminal.ts'
import { configurePgbouncer } from '#test/high-availability/pgbouncer.ts'
import { production } from '#test/processes/environment.ts'
import { cleanUp, type Environment, onCleanUp } from '#test/processes/processes.ts'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { createTestDatabase, overTcp, type TestDatabase } from '#test/support/database.ts'
import { createExpense, openExpenseHouse } from '#test/support/expenses.ts'
import { openedLive } from '#test/support/live.ts'
import { times } from '#test/support/steps.ts'

let folder: string
let database: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-pooler-'))
  await chmod(folder, 0o755)
  onCleanUp(() => rm(folder, { recursive: true, force: true }))
  database = await createTestDatabase()
  onCleanUp(() => database.drop())
})
afterAll(cleanUp)

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** PgBouncer refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Resolves with a URL of the test's database that leads through it. */
async function startPooler(values: Record<string, string | number>): Promise<string> {
  const url = overTcp(database.url)
  const { program, args, port } = await configurePgbouncer({
    folder,
    to: Number(url.port),
    database: url.pathname.slice(1),
    logins: { [url.username]: decodeURIComponent(url.password) },
    values,
  })
  const child = spawn(program.path, args, { env: program.env, stdio: 'ignore', ...account })
  const ended = once(child, 'exit')
  onCleanUp(async () => {
    child.kill('SIGKILL')
    await ended
  })
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error('PgBouncer has ended')
    await wait(20)
  }
  url.port = String(port)
  url.pathname = 'countersign'
  return url.href
}

describe('in transaction mode', () => {
  let poolerUrl: string
  let service: TestApp
  beforeAll(async () => {
    poolerUrl = await startPooler({ default_pool_size: 2, reserve_pool_size: 0 })
    service = await startTestApp({ database, poolerUrl, streams: { lifetimeMs: 60_000 } })
    onCleanUp(() => service.app.close())
  })

  test('requests of many people share two connections, and each sees their own', async () => {
    const houses = await Promise.all(times(3, () => openExpenseHouse(service)))
    const made = await Promise.all(
      houses.map((house) => Promise.all(times(6, () => createExpense(service, house)))),
    )
    const listed = await Promise.all(
      houses.map(({ organization: { path, owner } }) =>
        service.call('GET', `${path}/expenses`, { token: owner.token }),
      ),
    )
    const idsIn = (expenses: { id: string }[]) => expenses.map(({ id }) => id).toSorted()
    for (const [n, { body }] of listed.entries()) {
      expect(idsIn(body.expenses)).toEqual(idsIn((made[n] ?? []).map((answer) => answer.body)))
    }
  })

  test('a stream is woken by a listener that goes past the pooler', async () => {
    const house = await openExpenseHouse(service)
    const { path, owner } = house.organization
    const client = await openedLive(service, `${path}/live/stream`, { token: owner.token })
    const { body } = await createExpense(service, house)
    await expect
      .poll(() => client.messages.some(({ data }) => data.aggregateId === body.id))
      .toBe(true)
    client.close()
  })

  test('an operator reads as the observer', async () => {
    const token = await service.operatorToken()
    const { status } = await service.call('GET', '/v1/admin/organizations', { token })
    expect(status).toBe(200)
  })

  test('a transaction leaves no setting on the connection', async () => {
    const pooled = openDatabase({ url: poolerUrl, poolSize: 4, isPooled: true })
    const { id: organizationId } = await createOrganization(service)
    const inside = await pooled.transaction({ organizationId }, (tx) =>
      tx.query(sql`select current_user as role, current_setting('app.organization') as scope,
        current_setting('statement_timeout') as limit`),
    )
    expect(inside).toEqual([{ role: 'countersign_app', scope: organizationId, limit: '8s' }])
    await pooled.close()
    const plain = new pg.Client(poolerUrl)
    await plain.connect()
    const text = `select current_user::text as role,
      current_setting('app.organization', true) as scope,
      (select count(*)::integer from pg_prepared_statements) as prepared`
    const { rows } = await plain.query(text)
    expect(rows).toEqual([{ role: new URL(poolerUrl).username, scope: '', prepared: 0 }])
    await plain.end()
  })
})

test('in session mode the service works as well', async () => {
  const poolerUrl = await startPooler({ pool_mode: 'session' })
  const service = await startTestApp({ database, poolerUrl })
  onCleanUp(() => service.app.close())
  const house = await openExpenseHouse(service)
  expect((await createExpense(service, house)).status).toBe(201)
})

describe.concurrent('an API process refuses in one line', () => {
  const refused = async (env: Environment): Promise<string> => {
    const all = { ...production(database.url), LOG_LEVEL: 'silent', ...env }
    const outcome = await startApi(all).catch(failureOf)
    if (!('code' in outcome)) throw new Error('It was not refused')
    expect(outcome.code).toBe(1)
    return outcome.stderr.trimEnd()
  }

  test('statement mode', async () => {
    const DATABASE_URL = await startPooler({ pool_mode: 'statement' })
    expect(await refused({ DATABASE_URL, DATABASE_DIRECT_URL: database.url })).toBe(
      `The pooler at ${new URL(DATABASE_URL).host} is in statement mode, which cannot keep a ` +
        'transaction together. Set pool_mode = transaction.',
    )
  })

  test('a pooler without a direct URL', async () => {
    const DATABASE_URL = await startPooler({})
    const { host } = new URL(DATABASE_URL)
    expect(await refused({ DATABASE_URL })).toBe(
      `The database ${host}/countersign cannot be used: unsupported startup parameter: options. ` +
        'It is a pooler: set DATABASE_DIRECT_URL to the database itself.',
    )
  })

  test('a pooler that is not there', async () => {
    const DATABASE_URL = 'postgres://somebody:hunter2hunter2@127.0.0.1:1/countersign'
    const line = await refused({ DATABASE_URL, DATABASE_DIRECT_URL: database.url })
    expect(line).toMatch(
      /^The database 127\.0\.0\.1:1\/countersign cannot be used: connect ECONNREFUSED [^\n]*$/,
    )
    expect(line).not.toContain('hunter2')
  })
})
