/** A PostgreSQL server with a streaming standby, which can be cut off and promoted. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, vi } from 'vitest'
import { childEnv, chooseAccount, loadBinaries } from '#dev/postgres-cluster.ts'
import { startRelay } from '#test/high-availability/relay.ts'
import { type Environment, freePort, makeFolder, onCleanUp } from '#test/processes/processes.ts'
import { copyFolder } from '#test/support/postgres.ts'
import { ask } from './drill.ts'

const STANDBY = 'countersign_standby'
const READY = { timeout: 60_000, interval: 50 }

type Server = {
  port: number
  ownerUrl: string
  asSuperuser(...statements: string[]): Promise<Record<string, unknown>[]>
  /** An immediate stop, as after a crash. */
  crash(): Promise<void>
}

export type StandbyPair = {
  primary: Server
  standby: Server
  /** From now on each commit waits for the standby. */
  makeSynchronous(): Promise<void>
  makeAsynchronous(): Promise<void>
  /** Waits until the standby has everything that the primary has written. */
  untilReplayed(): Promise<void>
  /** The standby receives nothing any more, as if the network between the two had failed. */
  cutReplication(): void
  promote(): Promise<void>
}

/**
 * Two copies of one stopped and migrated data folder: a base backup without `pg_basebackup`, which
 * the embedded PostgreSQL lacks.
 */
export async function startStandbyPair({
  standbyEnv = {},
}: {
  standbyEnv?: Environment
} = {}): Promise<StandbyPair> {
  const primary = await startServer({})
  const replication = await startRelay(() => primary.port)
  onCleanUp(() => replication.close())
  const standby = await startServer({ primaryPort: replication.port, env: standbyEnv })
  const untilStreaming = (sync: 'async' | 'sync') =>
    vi.waitFor(async () => {
      const text = 'select state, sync_state from pg_stat_replication'
      const [replication] = await primary.asSuperuser(text)
      expect(replication).toEqual({ state: 'streaming', sync_state: sync })
    }, READY)
  const setSynchronous = async (names: string, sync: 'async' | 'sync') => {
    await primary.asSuperuser(
      `alter system set synchronous_standby_names = '${names}'`,
      'select pg_reload_conf()',
    )
    await untilStreaming(sync)
  }
  await untilStreaming('async')
  return {
    primary,
    standby,
    makeSynchronous: () => setSynchronous(STANDBY, 'sync'),
    makeAsynchronous: () => setSynchronous('', 'async'),
    async untilReplayed() {
      const [row] = await primary.asSuperuser('select pg_current_wal_lsn()::text as lsn')
      const text = `select pg_last_wal_replay_lsn() >= '${row?.lsn}' as is_replayed`
      await vi.waitFor(
        async () => expect(await standby.asSuperuser(text)).toEqual([{ is_replayed: true }]),
        READY,
      )
    },
    cutReplication: () => replication.cut(),
    async promote() {
      expect(await standby.asSuperuser('select pg_promote() as done')).toEqual([{ done: true }])
    },
  }
}

/** With the port of its primary it is a standby. */
async function startServer({
  primaryPort,
  env = {},
}: {
  primaryPort?: number
  env?: Environment
}): Promise<Server> {
  const folder = await makeFolder()
  await copyFolder(inject('preparedFolder'), folder)
  const data = join(folder, 'postgres')
  const binaries = await loadBinaries()
  const account = await chooseAccount({ binaries, cluster: data })
  const passwordOf = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim()
  const [superuser, owner] = await Promise.all(
    ['postgres-password', 'postgres-owner-password'].map(passwordOf),
  )
  const port = await freePort()
  if (primaryPort !== undefined) {
    const primary = `host=127.0.0.1 port=${primaryPort} user=postgres password=${superuser}`
    const settings = join(data, 'postgresql.auto.conf')
    const signal = join(data, 'standby.signal')
    const conninfo = `${primary} application_name=${STANDBY} sslmode=disable`
    await appendFile(settings, `primary_conninfo = '${conninfo}'\n`)
    await writeFile(signal, '')
    if (account.owner) await chown(signal, account.owner.uid, account.owner.gid)
  }
  const settings = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='],
    // The standby begins where the folder was copied, however much is written before it connects.
    ...['fsync=off', 'wal_keep_size=256MB'],
  ]
  const flags = settings.flatMap((setting) => ['-c', setting])
  const [file = '', ...args] = [...account.prefix, binaries.postgres, '-D', data, ...flags]
  const options = {
    env: { ...childEnv, ...env },
    cwd: '/',
    stdio: 'ignore',
    ...account.spawnAs,
  } as const
  const child = spawn(file, args, options)
  const ended = once(child, 'exit')
  const crash = async () => {
    child.kill('SIGQUIT')
    await ended
  }
  onCleanUp(crash)
  const at = (login: string, database: string) =>
    `postgres://${login}@127.0.0.1:${port}/${database}`
  const superuserUrl = at(`postgres:${superuser}`, 'postgres')
  await vi.waitFor(() => ask(superuserUrl, 'select 1'), READY)
  return {
    port,
    ownerUrl: at(`countersign:${owner}`, 'countersign'),
    asSuperuser: (...statements) => ask(superuserUrl, ...statements),
    crash,
  }
}
