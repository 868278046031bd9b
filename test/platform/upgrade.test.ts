import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '#platform/database/migrate.ts'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { addRecipient } from '#test/support/steps.ts'

let service: TestApp
let folder: string

beforeAll(async () => {
  service = await startTestApp()
  folder = await mkdtemp(join(tmpdir(), 'countersign-migrations-'))
  await cp(join(import.meta.dirname, '..', '..', 'migrations'), folder, { recursive: true })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Adds recipients in a loop; returns the statuses of the answers. */
async function work(signal: AbortSignal): Promise<Set<number>> {
  const organization = await createOrganization(service)
  const statuses = new Set<number>()
  while (!signal.aborted) statuses.add((await addRecipient(service, organization)).status)
  return statuses
}

/** A long read that holds a lock which a change of the table must wait for. */
async function longRead(): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client(service.database.url)
  await client.connect()
  await client.query('begin')
  await client.query('select from countersign.recipients limit 1')
  return {
    async end() {
      await client.query('commit')
      await client.end()
    },
  }
}

test('while a migration waits for a long read, the previous version keeps serving', async () => {
  await writeFile(
    join(folder, '9001_expand.sql'),
    'alter table countersign.recipients add column hint text',
  )
  const read = await longRead()
  const ending = new AbortController()
  const working = work(ending.signal)
  const migrating = migrate({ url: service.database.url, folder })
  // It has waited and released its request at least once; writers queue behind it.
  const lockSeen = `select from pg_locks where not granted and mode = 'AccessExclusiveLock'
    and relation = 'countersign.recipients'::regclass`
  await expect.poll(() => service.database.asOwner(lockSeen)).toHaveLength(1)
  await expect.poll(() => service.database.asOwner(lockSeen)).toEqual([])
  await read.end()
  expect(await migrating).toEqual(['9001_expand.sql'])
  ending.abort()
  // A wait of five seconds, the application's lock time-out, would be refused.
  expect([...(await working)]).toEqual([201])
})

test('an index is built concurrently with writers, and rebuilt after a failure', async () => {
  const name = '9002_index.sql'
  const index = 'drop index concurrently if exists countersign.recipients_hint;\n'
  const create = 'create index concurrently recipients_hint on countersign.recipients (hint);\n'
  await writeFile(join(folder, name), `-- outside a transaction\n${index}${create}select 1/0;\n`)
  await expect(migrate({ url: service.database.url, folder })).rejects.toThrow('division by zero')
  const applied = () => service.database.asOwner('select from migrations where name = $1', [name])
  expect(await applied()).toEqual([])
  await writeFile(join(folder, name), `-- outside a transaction\n${index}${create}`)
  expect(await migrate({ url: service.database.url, folder })).toEqual([name])
  expect(await applied()).toHaveLength(1)
  const valid = `select indisvalid from pg_index where indexrelid =
    'countersign.recipients_hint'::regclass`
  expect(await service.database.asOwner(valid)).toEqual([{ indisvalid: true }])
})
