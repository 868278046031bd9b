/**
 * The drill of docs/OPERATIONS.md, Backup, with the scripts of deploy/backup: the server is lost
 * while people write, and what was acknowledged is there afterwards. What happens to payments that
 * an old backup lacks is tested by `test/journeys/payment-restore.strain.test.ts`.
 */
import { existsSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { pickPort } from '#dev/free-ports.ts'
import { ensureLogins } from '#platform/database/logins.ts'
import { migrate } from '#platform/database/migrate.ts'
import { databaseAt } from '#test/processes/killable-postgres.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { ask, type Cluster, type Drill, openDrill, type Started } from './drill.ts'

vi.setConfig({ testTimeout: 120_000 })

let drill: Drill
let cluster: Cluster
let receiver: Started
let backup: string
let archive: string
let service: TestApp
let token: string

const LOGINS = { api: 'a-password-of-the-api', worker: 'a-password-of-workers' }

beforeAll(async () => {
  drill = await openDrill()
  archive = join(drill.folder, 'archive')
  cluster = await drill.createCluster('first')
  await cluster.start()
  const { password } = new URL(cluster.ownerUrl)
  await ask(
    cluster.superuserUrl,
    `create role countersign login createrole password '${password}'`,
    'create database countersign owner countersign',
  )
  await migrate({ url: cluster.ownerUrl })
  await ensureLogins(cluster.ownerUrl, LOGINS)
  receiver = drill.start('receive-wal.sh', [archive], cluster)
  await ask(
    cluster.superuserUrl,
    "alter system set synchronous_standby_names = 'countersign_backup'",
    'select pg_reload_conf()',
  )
  const isSynchronous = async () =>
    (await ask(cluster.superuserUrl, 'select sync_state from pg_stat_replication'))[0]?.sync_state
  await vi.waitFor(async () => expect(await isSynchronous()).toBe('sync'), { timeout: 30_000 })
  service = await startTestApp({ database: databaseAt(cluster.ownerUrl) })
  ;({ token } = await service.signIn())
  await create('before the backup')
  backup = await drill.script('base-backup.sh', [join(drill.folder, 'backups')], cluster)
}, 600_000)
afterAll(async () => {
  await service?.stop()
  await drill?.stop()
})

/** Undefined if it was not acknowledged. */
async function create(name: string): Promise<string | undefined> {
  const path = '/v1/consumer/organizations'
  const { status, body } = await service.call('POST', path, { token, body: { name } })
  return status === 201 ? body.id : undefined
}

const organizationsAt = async (url: string): Promise<Map<string, string>> => {
  const rows = await ask(url, 'select id, name from countersign.organizations')
  return new Map(rows.map(({ id, name }) => [String(id), String(name)]))
}

const inDatabase = (url: string): string => url.replace(/postgres$/, 'countersign')

test('nothing is acknowledged while nobody receives, even if the wait is cancelled', async () => {
  receiver.signal('SIGSTOP')
  let isAnswered = false
  const writing = create('not received').then((id) => {
    isAnswered = true
    return id
  })
  const waiting = "select pid from pg_stat_activity where wait_event = 'SyncRep'"
  await expect.poll(() => ask(cluster.superuserUrl, waiting)).toHaveLength(1)
  expect(isAnswered).toBe(false)
  // As `statement_timeout` does after 8 s.
  await ask(cluster.superuserUrl, waiting.replace('pid', 'pg_cancel_backend(pid)'))
  expect(await writing).toBeUndefined()
  receiver.signal('SIGCONT')
  expect(await create('received')).toBeDefined()
})

test('nothing that was acknowledged is lost with the server and its disk', async () => {
  const acknowledged: string[] = []
  let isLost = false
  const write = async (writer: number) => {
    for (let n = 0; !isLost; n += 1) {
      const id = await create(`${writer}-${n}`)
      if (id !== undefined) acknowledged.push(id)
    }
  }
  const writing = [1, 2, 3].map(write)
  await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(40)
  await cluster.kill()
  isLost = true
  await Promise.all(writing)
  await receiver.stop()
  await rm(cluster.data, { recursive: true, force: true })

  const restored = drill.clusterAt('restored', cluster.port)
  await drill.script('restore.sh', [backup, archive, restored.data])
  await restored.start()
  const found = await organizationsAt(inDatabase(restored.superuserUrl))
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
  // The service goes on with it: roles, logins and privileges are there.
  await expect.poll(() => create('after the loss'), { timeout: 30_000 }).toBeDefined()
  const api = new URL(restored.ownerUrl)
  api.username = 'countersign_api'
  api.password = LOGINS.api
  expect(await ask(api.href, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a point in time has what was written until then and nothing later', async () => {
  const names = await organizationsAt(inDatabase(cluster.superuserUrl))
  // A time between two of the writes above.
  const [row] = await ask(
    inDatabase(cluster.superuserUrl),
    `select max(created_at)::text as time from (select created_at
       from countersign.organizations where name ~ '^[0-9]' order by 1 limit 20) x`,
  )
  const past = drill.clusterAt('past', await pickPort('127.0.0.1'))
  await drill.script('restore.sh', [backup, archive, past.data, String(row?.time)])
  await past.start()
  const found = await organizationsAt(inDatabase(past.superuserUrl))
  await past.kill()
  expect(found.size).toBeGreaterThanOrEqual(15)
  expect(found.size).toBeLessThan(names.size - 15)
  expect([...found.values()]).toContain('before the backup')
  expect([...found.values()]).not.toContain('after the loss')
})

test('a server with its configuration outside the data folder is restored with that', async () => {
  const debian = await drill.createCluster('debian')
  const config = await drill.moveConfiguration(debian, 'etc')
  await debian.start(config)
  await ask(debian.superuserUrl, 'create table kept as select 1 as one')
  const copy = await drill.script('base-backup.sh', [join(drill.folder, 'debian-base')], debian)
  await debian.kill()
  await rm(debian.data, { recursive: true, force: true })

  const restored = drill.clusterAt('debian-restored', debian.port)
  const args = [copy, archive, restored.data]
  await expect(drill.script('restore.sh', args)).rejects.toThrow('restore.sh -c FOLDER')
  expect(existsSync(restored.data)).toBe(false)
  await drill.script('restore.sh', ['-c', config, ...args])
  await restored.start()
  expect(await ask(restored.superuserUrl, 'select one from kept')).toEqual([{ one: 1 }])
  const settings =
    "select current_setting('data_directory') as data, current_setting('work_mem') as own"
  expect(await ask(restored.superuserUrl, settings)).toEqual([{ data: restored.data, own: '5MB' }])
  await restored.kill()
})

test('a configuration that names the old data folder opens nothing there', async () => {
  const patroni = await drill.createCluster('patroni')
  await appendFile(
    join(patroni.data, 'postgresql.conf'),
    `hba_file = '${patroni.data}/pg_hba.conf'\nident_file = '${patroni.data}/pg_ident.conf'\n`,
  )
  await patroni.start()
  const copy = await drill.script('base-backup.sh', [join(drill.folder, 'patroni-base')], patroni)
  await patroni.kill()
  await rm(patroni.data, { recursive: true, force: true })
  const restored = drill.clusterAt('patroni-restored', patroni.port)
  await drill.script('restore.sh', [copy, archive, restored.data])
  await restored.start()
  expect(await ask(restored.superuserUrl, 'show hba_file')).toEqual([
    { hba_file: join(restored.data, 'pg_hba.conf') },
  ])
  await restored.kill()
})

test('a dump has roles and rows, and a new cluster takes both', async () => {
  const folder = join(drill.folder, 'dump')
  await drill.script('dump.sh', [folder, 'countersign'], cluster)
  const other = await drill.createCluster('other')
  await other.start()
  // As the image of compose.yaml does when its volume is new, and what to do about it before.
  const owner = 'create role countersign login createrole'
  await ask(other.superuserUrl, owner, 'create database countersign owner countersign')
  await ask(other.superuserUrl, 'drop database countersign', 'drop role countersign')
  await drill.script('restore-dump.sh', [folder], other)
  const [before, after] = [cluster, other].map(({ superuserUrl }) => inDatabase(superuserUrl))
  expect(await organizationsAt(after ?? '')).toEqual(await organizationsAt(before ?? ''))
  // It is complete: a migration finds nothing to do.
  expect(await migrate({ url: other.ownerUrl })).toEqual(await migrate({ url: cluster.ownerUrl }))
  const policies = 'select tablename, policyname, roles from pg_policies order by 1, 2'
  expect(await ask(after ?? '', policies)).toEqual(await ask(before ?? '', policies))
  await other.kill()
})

test('old backups are removed, and what the newest needs stays', async () => {
  const folder = join(drill.folder, 'backups')
  await expect(drill.script('prune.sh', [folder, archive, '0'])).rejects.toThrow('KEEP must be')
  await drill.script('prune.sh', [folder, archive, '1'])
  const again = drill.clusterAt('again', 1)
  await drill.script('restore.sh', [backup, archive, again.data])
  await expect(drill.script('restore.sh', [backup, archive, again.data])).rejects.toThrow(
    'is not empty',
  )
})
