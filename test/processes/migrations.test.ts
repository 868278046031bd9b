import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { production, productionWorker, withLogin } from '#test/processes/environment.ts'
import { cleanUp, onCleanUp, ROOT, type Running, runScript } from '#test/processes/processes.ts'
import { ask } from '#test/processes/service.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

afterEach(cleanUp)
afterAll(cleanUp)

async function makeDatabase({ migrated }: { migrated: boolean }): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated })
  onCleanUp(() => database.drop())
  return database
}

const migrate = (url: string): Running =>
  runScript('src/platform/database/migrate.ts', { DATABASE_URL: url })

const fileNames = async () =>
  (await readdir(join(ROOT, 'migrations'))).filter((name) => name.endsWith('.sql')).toSorted()

async function appliedNames({ asOwner }: TestDatabase): Promise<string[]> {
  const rows = await asOwner<{ name: string }>('select name from migrations order by applied_at')
  return rows.map(({ name }) => name).filter((name) => name.endsWith('.sql'))
}

async function expectRefused(running: Running, line: RegExp) {
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.stdout()).toBe('')
  expect(running.stderr()).toMatch(/^[^\n]+\n$/)
  expect(running.stderr()).toMatch(line)
}

describe('npm run migrate', () => {
  test('applies each file once when six run concurrently, and nothing afterwards', async () => {
    const database = await makeDatabase({ migrated: false })
    const all = Array.from({ length: 6 }, () => migrate(database.url))
    for (const one of all) {
      expect(await one.ended).toEqual({ code: 0, signal: null })
      expect(one.stderr()).toBe('')
    }
    const said = all.flatMap((one) => one.stdout().match(/\d{4}_\w+\.sql/g) ?? [])
    expect(said.toSorted()).toEqual(await fileNames())
    expect(await appliedNames(database)).toEqual(await fileNames())
    const before = await database.asOwner('select * from migrations order by name')

    const later = migrate(database.url)
    expect(await later.ended).toEqual({ code: 0, signal: null })
    expect(later.stdout()).toBe('The database is up to date.\n')
    expect(await database.asOwner('select * from migrations order by name')).toEqual(before)
  })

  test('refuses a file changed after it was applied, as does the API', async () => {
    const database = await makeDatabase({ migrated: true })
    const [, name] = await fileNames()
    await database.asOwner(`update migrations set checksum = 'other' where name = $1`, [name])
    const line = new RegExp(`^Migration ${name} was changed after it was applied`)
    await expectRefused(migrate(database.url), line)
    await expectRefused(runScript('src/main.ts', production(database.url)), line)
  })

  test('rolls a failing file back as a whole and reports it in one line', async () => {
    const database = await makeDatabase({ migrated: false })
    // Another schema of the same name is in the way.
    await database.asOwner('create schema countersign; create table countersign.accounts ()')
    await expectRefused(migrate(database.url), /relation "accounts" already exists/)
    expect(await appliedNames(database)).toEqual((await fileNames()).slice(0, 1))
    await database.asOwner('drop table countersign.accounts')
    const next = migrate(database.url)
    expect(await next.ended).toEqual({ code: 0, signal: null })
    expect(next.stdout()).toBe(`Applied ${(await fileNames()).slice(1).join(', ')}.\n`)
    expect(await appliedNames(database)).toEqual(await fileNames())
  })
})

describe('a login that may only act as the application', () => {
  async function lesserLogin({ url, asOwner }: TestDatabase): Promise<string> {
    const user = `lesser_${randomBytes(6).toString('hex')}`
    await asOwner(`create role ${user} login password 'lesser' in role countersign_app`)
    onCleanUp(() => asOwner(`drop role ${user}`))
    return withLogin(url, { user, password: 'lesser' })
  }

  test('runs the API on a migrated database', async () => {
    const database = await makeDatabase({ migrated: true })
    const url = await lesserLogin(database)
    const api = runScript('src/main.ts', { ...production(url), FIRST_OPERATOR: 'boss' })
    const [, address = ''] = await api.says(/"url":"([^"]+)","msg":"api listening"/)
    expect((await ask('GET', `${address}/health/ready`)).status).toBe(200)
    // An API login cannot create an operator; a worker grants the first one.
    expect(await database.asOwner('select from operators')).toEqual([])
    const worker = runScript('src/worker.ts', {
      ...productionWorker(database.url),
      FIRST_OPERATOR: 'boss',
    })
    await worker.says(/worker running/)
    expect(await database.asOwner('select action from audit_events order by seq')).toEqual([
      { action: 'account.created' },
      { action: 'operator.granted' },
    ])
    worker.kill('SIGTERM')
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    api.kill('SIGTERM')
    expect(await api.ended).toEqual({ code: 0, signal: null })
  })

  test('is told in one line that a database is not migrated, and changes nothing', async () => {
    const database = await makeDatabase({ migrated: false })
    const refused = runScript('src/main.ts', production(await lesserLogin(database)))
    await expectRefused(refused, /not up to date, .* Run npm run migrate with the owner/)
    const found = await database.asOwner(
      `select from pg_namespace where nspname in ('countersign', 'graphile_worker')`,
    )
    expect(found).toEqual([])
  })
})
