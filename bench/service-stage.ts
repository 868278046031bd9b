/** The service in a process of its own, over a database that the benchmark fills by itself. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { devRealm } from '#dev/defaults.ts'
import { startEmbeddedPostgres } from '#dev/embedded-postgres.ts'
import { startHelperServer } from '#dev/helper-server.ts'
import { createDevIdentity } from '#dev/identity.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import type { Environment } from '#platform/config/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { setForAll } from '#test/support/superuser.ts'
import { TABLES } from './data-set.ts'
import { launch, portOf } from './live-wire.ts'

export const POOL_SIZE = 10

export type Ground = {
  url: string
  postgresPid: number
  /** Settings of the server, from now on. */
  setForAll(settings: Record<string, string | number>): Promise<void>
  /** As the owner of the tables, past row-level security. */
  pool: pg.Pool
  /** For a process of the service. */
  env: Environment
  tokenOf(subject: string, realm?: 'consumer' | 'admin'): Promise<string>
  stop(): Promise<void>
}

const realmEnv = (realm: 'consumer' | 'admin', devPort: number) => {
  const { issuer, audience, jwksUrl } = devRealm(realm, devPort)
  const prefix = realm.toUpperCase()
  return {
    [`${prefix}_ISSUER`]: issuer,
    [`${prefix}_AUDIENCE`]: audience,
    [`${prefix}_JWKS_URL`]: jwksUrl,
  }
}

export const ISSUER = devRealm('consumer', 0).issuer
export const ADMIN_ISSUER = devRealm('admin', 0).issuer

/** A database with nobody in it, and somebody who signs tokens. */
export async function prepareGround({ durable = false } = {}): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const postgres = await startEmbeddedPostgres({ folder, durable, maxConnections: 100 })
  await migrate({ url: postgres.url })
  const options = '-c search_path=countersign'
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2, options })
  pool.on('error', () => {})
  for (const table of TABLES) await pool.query(`alter table ${table} no force row level security`)
  const realms = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  const identity = await createDevIdentity({ folder, realms, clock: systemClock })
  const nothing = { about: () => undefined, faucet: () => undefined }
  const helper = await startHelperServer({ port: 0, identity, ids: createIds(), ...nothing })
  const devPort = (helper.server.address() as AddressInfo).port
  return {
    url: postgres.url,
    setForAll: (settings) => setForAll({ url: postgres.url, folder }, settings),
    postgresPid: postgres.pid,
    pool,
    env: {
      DATABASE_URL: postgres.url,
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      SERVER_SECRET: 'a secret of the benchmark that is long enough',
      PORT: '0',
      API_DOCS: 'false',
      RPC_URLS: 'http://127.0.0.1:1',
      TOKEN_ADDRESS: `0x${'00'.repeat(19)}01`,
      RATE_LIMIT_PER_ACCOUNT: '100000000',
      AUTOMATIC_AFTER_DAYS: '0',
      AUTOMATIC_DAY_TIMES: '1000000',
      AUTOMATIC_WEEK_TIMES: '1000000',
      AUTOMATIC_RECIPIENT_PERCENT: '100',
      ORGANIZATIONS_PER_ACCOUNT: '1000000',
      ...realmEnv('consumer', devPort),
      ...realmEnv('admin', devPort),
    },
    tokenOf: async (subject, realm = 'consumer') =>
      (await identity.issue({ realm, subject, expiresIn: 12 * 3600 })).accessToken,
    async stop() {
      await pool.end()
      await helper.close()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Server = { child: ChildProcess; port: number; stop(): Promise<void> }

const endOf = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

/** As in production it logs every request; nobody keeps what it says. */
export async function startService({ env }: Ground, flags: string[] = []): Promise<Server> {
  const child = launch('live-service', env, { isQuiet: true, flags })
  return { child, port: await portOf(child), stop: () => endOf(child) }
}

export async function startBare(told: object, flags: string[] = []): Promise<Server> {
  const child = launch('bare-api', {}, { flags })
  await once(child, 'message')
  child.send({ told })
  return { child, port: await portOf(child), stop: () => endOf(child) }
}
