import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { claimDataFolder, isDataFolderInUse, loadOrCreateSecret } from '#dev/data-folder.ts'
import { startEmbeddedPostgres } from '#dev/embedded-postgres.ts'
import { stopOrphan } from '#dev/postgres-cluster.ts'

type Held = { pid: number; url: string }

const limit = 30_000
const realPlatform = process.platform
const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function makeFolder(): Promise<string> {
  const folder = await fs.mkdtemp(join(tmpdir(), 'countersign-test-'))
  cleanups.push(async () => {
    await stopOrphan({ cluster: join(folder, 'postgres') })
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

async function start({ folder, durable = false }: { folder: string; durable?: boolean }) {
  const postgres = await startEmbeddedPostgres({ folder, durable })
  cleanups.push(postgres.stop)
  return postgres
}

function startFixture({ name, args }: { name: string; args: string[] }): ChildProcess {
  const script = new URL(`./fixtures/${name}.ts`, import.meta.url)
  const child = fork(script, args, { execArgv: [], detached: true })
  cleanups.push(async () => {
    try {
      // The whole process group: an initdb outlives the starter that a test has killed.
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
    } catch {}
  })
  return child
}

async function messageOf<T>({ child }: { child: ChildProcess }): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The fixture ended with ${code}`)
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}

async function killHard({ child }: { child: ChildProcess }): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function query({ url, text }: { url: string; text: string }): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe('embedded PostgreSQL', () => {
  /** Creating a cluster takes longest, so most tests share one that no server uses. */
  let folder: string

  beforeAll(async () => {
    folder = await fs.mkdtemp(join(tmpdir(), 'countersign-test-'))
  })
  afterAll(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  afterEach(() => stopOrphan({ cluster: join(folder, 'postgres') }))

  test(
    'starts, stops and starts again with the same cluster and its data',
    async () => {
      const identity = 'select system_identifier::text as id from pg_control_system()'
      const first = await start({ folder })
      const [row] = await query({ url: first.url, text: 'select version()' })
      expect(row).toEqual({ version: expect.stringContaining('PostgreSQL 18') })
      const role = 'select rolsuper, rolcreaterole, rolcreatedb from pg_roles'
      expect(await query({ url: first.url, text: `${role} where rolname = current_user` })).toEqual(
        [{ rolsuper: false, rolcreaterole: true, rolcreatedb: true }],
      )
      expect(
        await query({
          url: first.url,
          text: `select lower('ÄÖ'), current_setting('timezone') as tz`,
        }),
      ).toEqual([{ lower: 'äö', tz: 'UTC' }])
      await query({ url: first.url, text: 'create table kept as select 7 as n' })
      const made = await query({ url: first.url, text: identity })
      await first.stop()
      await expect(query({ url: first.url, text: 'select 1' })).rejects.toThrow('ECONNREFUSED')

      const second = await start({ folder })
      expect(await query({ url: second.url, text: identity })).toEqual(made)
      expect(await query({ url: second.url, text: 'select n from kept' })).toEqual([{ n: 7 }])
    },
    limit,
  )

  test(
    'takes over from a server whose starter was killed',
    async () => {
      const child = startFixture({ name: 'hold-postgres', args: [folder] })
      const held = await messageOf<Held>({ child })
      await query({ url: held.url, text: 'create table held as select 8 as n' })
      await killHard({ child })
      expect(await query({ url: held.url, text: 'select n from held' })).toEqual([{ n: 8 }])

      const next = await start({ folder })
      expect(next.pid).not.toBe(held.pid)
      expect(await query({ url: next.url, text: 'select n from held' })).toEqual([{ n: 8 }])
      await expect(query({ url: held.url, text: 'select 1' })).rejects.toThrow('ECONNREFUSED')
    },
    limit,
  )

  test(
    'reports that the server died, and recovers',
    async () => {
      const first = await start({ folder, durable: true })
      await query({ url: first.url, text: 'create table written as select 9 as n' })
      process.kill(first.pid, 'SIGKILL')
      expect(await first.exited).toBe(null)

      const next = await start({ folder, durable: true })
      expect(await query({ url: next.url, text: 'select n from written' })).toEqual([{ n: 9 }])
    },
    limit,
  )

  test(
    "does not kill an unrelated process that has a dead server's process id",
    async () => {
      await (await start({ folder })).stop()
      const stranger = startFixture({ name: 'hold-folder', args: [join(folder, 'other')] })
      await messageOf({ child: stranger })
      const pidFile = join(folder, 'postgres', 'postmaster.pid')
      await fs.writeFile(pidFile, `${stranger.pid}\n${join(folder, 'postgres')}\n`)

      const next = await start({ folder })
      expect(await query({ url: next.url, text: 'select 1 as n' })).toEqual([{ n: 1 }])
      expect(stranger.exitCode ?? stranger.signalCode).toBe(null)
    },
    limit,
  )

  test(
    'recreates the cluster when its creation was interrupted',
    async () => {
      const folder = await makeFolder()
      const child = startFixture({ name: 'hold-postgres', args: [folder] })
      await vi.waitUntil(
        async () => {
          const names = await fs.readdir(folder, { recursive: true })
          return names.some((name) => /^postgres\.new-.*PG_VERSION$/.test(name))
        },
        { timeout: limit, interval: 1 },
      )
      await killHard({ child })
      expect(await fs.readdir(folder)).not.toContain('postgres')

      const { url } = await start({ folder })
      expect(await query({ url, text: 'select 1 as n' })).toEqual([{ n: 1 }])
      expect((await fs.readdir(folder)).toSorted()).toEqual([
        'postgres',
        'postgres-owner-password',
        'postgres-password',
        'postgres.log',
      ])
    },
    limit,
  )
})

describe('data folder', () => {
  // The other locking method is for systems without abstract sockets.
  test.each([...new Set([realPlatform, 'darwin'])])(
    'is used by one service at a time (%s)',
    async (platform) => {
      const folder = join(await makeFolder(), 'data')
      Object.defineProperty(process, 'platform', { value: platform })
      cleanups.push(async () => {
        Object.defineProperty(process, 'platform', { value: realPlatform })
      })
      expect(await isDataFolderInUse({ folder })).toBe(false)
      const child = startFixture({ name: 'hold-folder', args: [folder, platform] })
      const { path } = await messageOf<{ path: string }>({ child })
      expect(await isDataFolderInUse({ folder })).toBe(true)
      await expect(claimDataFolder({ folder })).rejects.toThrow(
        `The data folder ${path} is in use by a running service. ` +
          'Stop it, or set DATA_DIR to another folder.',
      )
      await killHard({ child })
      expect(await isDataFolderInUse({ folder })).toBe(false)

      const claimed = await claimDataFolder({ folder })
      await expect(claimDataFolder({ folder })).rejects.toThrow('is in use')
      await claimed.release()
      await claimed.release()
      expect(await isDataFolderInUse({ folder })).toBe(false)
      expect((await fs.stat(folder)).mode & 0o777).toBe(0o700)
    },
  )

  test('reports in one line why a folder cannot be used', async () => {
    const file = join(await makeFolder(), 'file')
    await fs.writeFile(file, '')
    await expect(claimDataFolder({ folder: file })).rejects.toThrow(
      `Cannot create the data folder ${file}: not a folder.`,
    )
  })

  test('keeps a generated secret readable by its owner only', async () => {
    const folder = await makeFolder()
    const make = vi
      .fn(() => 'first')
      .mockReturnValueOnce('first')
      .mockReturnValueOnce('second')
    expect(await loadOrCreateSecret({ folder, name: 'secret', make })).toBe('first')
    expect(await loadOrCreateSecret({ folder, name: 'secret', make })).toBe('first')
    expect(make).toHaveBeenCalledOnce()
    expect(await fs.readdir(folder)).toEqual(['secret'])
    expect((await fs.stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600)
  })
})
