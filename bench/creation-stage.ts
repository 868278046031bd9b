/** Organizations in which expenses are created, what the service says for it, and pgbench. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import { createIds } from '#platform/clock.ts'
import { readConfig } from '#platform/config/config.ts'
import { APP_ROLE } from '#platform/database/settings.ts'
import { NOTIFY_AFTER_COMMIT } from '#platform/jobs/wake-ups.ts'
import { type DataSet, subjectOf, writeDataSet } from './data-set.ts'
import { type RoundTrip, record, type Statement } from './recording.ts'
import { pgbenchScript } from './same-statements.ts'
import { type Ground, ISSUER } from './service-stage.ts'

export const ORGANIZATIONS = 8
export const CONNECTIONS = Number(process.env.CREATION_CONNECTIONS ?? 8)
export const ROUNDS = Number(process.env.CREATION_ROUNDS ?? 7)
/** Whole ones: pgbench knows no others. */
export const ROUND_SECONDS = Number(process.env.CREATION_ROUND_SECONDS ?? 5)

const settings = (entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** As the version before: it wakes those who wait for live events within the transaction. */
export const OPTIONS_BEFORE = settings({
  search_path: 'countersign',
  timezone: 'UTC',
  role: APP_ROLE,
})
export const OPTIONS = `${OPTIONS_BEFORE} ${settings(NOTIFY_AFTER_COMMIT)}`

const ids = createIds()
const run = promisify(execFile)

export type Tenant = { data: DataSet; token: string }

export const requestOf = ({ data, token }: Tenant) => ({
  method: 'POST' as const,
  path: `/v1/consumer/organizations/${data.organizationId}/expenses`,
  headers: { authorization: `Bearer ${token}`, 'idempotency-key': ids.next() },
  body: JSON.stringify({
    vaultId: data.vaultId,
    recipientId: data.recipientId,
    purpose: 'Paper for the office, as agreed with the supplier in the spring',
    amountBaseUnits: '20000100',
    requestedMode: 'approved',
  }),
})

const creationOf = (tenant: Tenant) => {
  const { method, path, headers, body } = requestOf(tenant)
  const typed = { ...headers, 'content-type': 'application/json' }
  return { method, url: path, headers: typed, payload: body }
}

export async function makeTenants(ground: Ground): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    const name = `creation-${n}`
    const data = await writeDataSet(ground.pool, { name, expenses: 200, issuer: ISSUER })
    tenants.push({ data, token: await ground.tokenOf(subjectOf(name, 2)) })
  }
  await ground.pool.query('vacuum analyze')
  return tenants
}

/**
 * Recorded statements that are repeated with new ids have the digest of the recorded audit event.
 * The trigger still computes and compares it, for the service too, but accepts the difference.
 */
export async function acceptOldDigests({ pool }: Ground): Promise<void> {
  const { rows } = await pool.query(
    `select pg_get_functiondef('chain_audit_event'::regproc) as text`,
  )
  const refusal = /raise exception 'the digest of[^;]*;/
  if (!refusal.test(rows[0].text)) throw new Error('chain_audit_event() compares no digest')
  await pool.query(rows[0].text.replace(refusal, 'null;'))
}

/**
 * The second request of each member is recorded. The first also takes a lease of the rate limit,
 * which most requests do not; repeated for long enough, it would use up the limit of the service.
 */
export async function recordCreations(ground: Ground, tenants: readonly Tenant[]) {
  const ctx = compose({ ...readConfig(ground.env), logLevel: 'silent' })
  const app = await buildApp(ctx)
  const trips: RoundTrip[][] = []
  for (const tenant of tenants) {
    await app.inject(creationOf(tenant))
    trips.push(await record(app, creationOf(tenant), 201))
  }
  await app.close()
  await closeContext(ctx)
  return trips
}

/** Before it is measured: what is prepared and planned once a connection. */
const PGBENCH_WARM_UP_SECONDS = 2

/** Its progress, one line a second, without the first ones. */
const perSecondOf = (progress: string): number => {
  const seconds = [...progress.matchAll(/^progress: [\d.]+ s, ([\d.]+) tps/gm)]
  const counted = seconds.slice(PGBENCH_WARM_UP_SECONDS).map(([, tps]) => Number(tps))
  return counted.reduce((sum, tps) => sum + tps, 0) / counted.length
}

/** Undefined where there is no pgbench. */
export async function preparePgbench(
  ground: Ground,
  scripts: readonly Statement[][],
  known: string[],
) {
  const exists = await run('pgbench', ['--version']).catch(() => undefined)
  if (!exists) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'countersign-pgbench-'))
  const file = join(folder, 'creation.sql')
  const client = new pg.Client({ connectionString: ground.url, options: OPTIONS })
  await client.connect()
  await writeFile(file, await pgbenchScript(client, scripts, known))
  await client.end()
  const { hostname, port, username, password, pathname } = new URL(ground.url)
  const where = ['-h', hostname, '-p', port, '-U', username]
  const seconds = `${PGBENCH_WARM_UP_SECONDS + ROUND_SECONDS}`
  const how = ['-n', '-M', 'prepared', '-c', `${CONNECTIONS}`, '-T', seconds, '-P', '1']
  return {
    version: exists.stdout.trim(),
    async perSecond(options = OPTIONS) {
      const args = [...where, ...how, '-f', file, pathname.slice(1)]
      const env = { ...process.env, PGPASSWORD: password, PGOPTIONS: options }
      return perSecondOf((await run('pgbench', args, { env })).stderr)
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}
