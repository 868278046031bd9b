/** Earlier times of a database, for the connections whose URL asks for them and no others. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { earlierUrl, makeEarlier, moveEarlier, removeEarlier } from '#dev/database-time.store.ts'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { startJobRunner } from '#platform/jobs/job-runner.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { createLog } from '#platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const DAY = 86_400

let database: TestDatabase
let owner: Db
let present: Db
let earlier: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const { url } = database
  owner = openDatabase({ url, poolSize: 1, as: 'owner' })
  present = openDatabase({ url, poolSize: 1, as: 'worker' })
  earlier = openDatabase({ url: earlierUrl(url), poolSize: 1, as: 'worker' })
  await makeEarlier(owner, 100 * DAY)
})
afterAll(async () => {
  await Promise.all([owner, present, earlier].map((db) => db?.close()))
  await database?.drop()
})

/** How many days the database is behind the present in each of its two kinds of time. */
const daysBehind = async (db: Db): Promise<number[]> => {
  const [row] = await db.query<{ start: number; moment: number }>(sql`
    select round(extract(epoch from pg_catalog.now() - now()) / 86400)::integer as start,
      round(extract(epoch from pg_catalog.clock_timestamp() - clock_timestamp()) / 86400)::integer
        as moment`)
  return [row?.start ?? -1, row?.moment ?? -1]
}

test('only connections that ask for it have an earlier time, which moves on', async () => {
  expect(await daysBehind(earlier)).toEqual([100, 100])
  await moveEarlier(owner, 40 * DAY)
  expect(await daysBehind(earlier)).toEqual([40, 40])
  expect(await daysBehind(present)).toEqual([0, 0])
})

test('such a connection has the role that it asked for', async () => {
  const [row] = await earlier.query<{ role: string }>(sql`select current_user as role`)
  expect(row?.role).toBe('countersign_worker')
})

test('a job of an earlier time is due then, and a worker of that time takes it', async () => {
  await moveEarlier(owner, 40 * DAY)
  await earlier.transaction({}, async (tx) => {
    await enqueue(tx, 'sweep_executions', {})
    await enqueue(tx, 'prune_expired', {}, { delaySeconds: DAY })
  })
  const taken: string[] = []
  const { promise: swept, resolve } = Promise.withResolvers<void>()
  const { promise: pruned, resolve: prune } = Promise.withResolvers<void>()
  const runner = await startJobRunner({
    url: earlierUrl(database.url),
    concurrency: 1,
    schedule: [],
    log: createLog({ level: 'silent' }),
    jobs: {
      sweep_executions: async () => {
        taken.push('sweep')
        resolve()
      },
      prune_expired: async () => {
        taken.push('prune')
        prune()
      },
    },
  })
  await swept
  expect(taken).toEqual(['sweep'])
  await moveEarlier(owner, 38 * DAY)
  await pruned
  expect(taken).toEqual(['sweep', 'prune'])
  await runner.stop()
})

test('nothing stays of it, and it can be made again over an interrupted attempt', async () => {
  await makeEarlier(owner, 10 * DAY)
  await makeEarlier(owner, 20 * DAY)
  await removeEarlier(owner)
  const left = await database.asOwner(`select nspname from pg_namespace where nspname = 'earlier'`)
  expect(left).toEqual([])
})
