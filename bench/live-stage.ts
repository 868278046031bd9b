/** The two servers of the benchmark of live streams, each with somebody who publishes to it. */
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
import { createDevIdentity, type DevIdentity } from '#dev/identity.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { migrate } from '#platform/database/migrate.ts'
import { launch, type Published, portOf } from './live-wire.ts'

type Wanted = { topic: number; number: number; size?: number }
/** All at once; returns the moment of the commit. */
export type Publisher = (wanted: Wanted[]) => Promise<number>

export type Stage = {
  server: ChildProcess
  port: number
  publish: Publisher
  /** One for each topic. */
  streams: { path: string; token: string }[]
  /** Of the topic after the last. */
  quiet: { path: string; token: string }
  stop(): Promise<void>
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6
const ids = createIds()
const padded = ({ number, size = 0 }: Wanted) => `${number}${'.'.repeat(size)}`

const endOf = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

export async function prepareBare(topics: number): Promise<Stage> {
  const server = launch('live-bare')
  const port = await portOf(server)
  const publish: Publisher = async (wanted) => {
    const events: Published[] = wanted.map((one) => ({
      topic: String(one.topic),
      event: {
        id: ids.next(),
        cursor: '',
        organizationId: ids.next(),
        audience: 'both',
        kind: 'integration.changed',
        aggregateType: 'integration',
        aggregateId: padded(one),
        targetState: null,
        severity: 'healthy',
        code: null,
        occurredAt: systemClock.now().toISOString(),
      },
    }))
    const sentAt = nowMs()
    server.send({ events })
    return sentAt
  }
  const stream = (topic: number) => ({ path: `/${topic}`, token: 'none' })
  const streams = Array.from({ length: topics }, (_, topic) => stream(topic))
  return { server, port, publish, streams, quiet: stream(topics), stop: () => endOf(server) }
}

async function startIdentity(folder: string) {
  const realms = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  const identity = await createDevIdentity({ folder, realms, clock: systemClock })
  const helper = await startHelperServer({
    port: 0,
    identity,
    ids,
    about: () => undefined,
    faucet: () => undefined,
  })
  return { identity, helper, devPort: (helper.server.address() as AddressInfo).port }
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

async function makeOrganization(port: number, identity: DevIdentity, topic: number) {
  const issued = await identity.issue({ realm: 'consumer', subject: `owner-${topic}` })
  const { accessToken: token, identityToken } = issued
  const call = async (method: string, path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { id: string }
  }
  await call('PUT', '/v1/consumer/session', { identityToken })
  const { id } = await call('POST', '/v1/consumer/organizations', { name: `Topic ${topic}` })
  return { id, path: `/v1/consumer/organizations/${id}/live/stream`, token }
}

/** As the service does it. The moment that counts is when the commit leaves. */
function publisher(client: pg.Client, organizations: { id: string }[]): Publisher {
  const text = `insert into live_events (id, organization_id, audience, kind, aggregate_type,
      aggregate_id, severity, occurred_at)
    select id, organization, 'both', 'integration.changed', 'integration', aggregate, 'healthy',
      now() from unnest($1::uuid[], $2::uuid[], $3::text[]) e (id, organization, aggregate)`
  let last: Promise<unknown> = Promise.resolve()
  const write = async (wanted: Wanted[]) => {
    await client.query('begin')
    await client.query({
      name: 'publish',
      text,
      values: [
        wanted.map(() => ids.next()),
        wanted.map(({ topic }) => organizations[topic]?.id),
        wanted.map(padded),
      ],
    })
    const sentAt = nowMs()
    await client.query('commit')
    await client.query("select pg_notify('countersign_live', '')")
    return sentAt
  }
  return (wanted) => {
    const writing = last.then(() => write(wanted))
    last = writing.catch(() => {})
    return writing
  }
}

export async function prepareService(topics: number, streamsMax: number): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const postgres = await startEmbeddedPostgres({ folder, durable: false, maxConnections: 100 })
  await migrate({ url: postgres.url })
  const { identity, helper, devPort } = await startIdentity(folder)
  const server = launch('live-service', {
    DATABASE_URL: postgres.url,
    SERVER_SECRET: 'a secret of the benchmark that is long enough',
    PORT: '0',
    LOG_LEVEL: 'warn',
    API_DOCS: 'false',
    RPC_URLS: 'http://127.0.0.1:1',
    TOKEN_ADDRESS: `0x${'00'.repeat(19)}01`,
    RATE_LIMIT_PER_ACCOUNT: '1000000',
    ORGANIZATIONS_PER_ACCOUNT: '1000000',
    STREAMS_PER_ACCOUNT: String(streamsMax),
    ...realmEnv('consumer', devPort),
    ...realmEnv('admin', devPort),
  })
  const port = await portOf(server)
  const organizations: { id: string; path: string; token: string }[] = []
  for (let topic = 0; topic <= topics; topic += 1) {
    organizations.push(await makeOrganization(port, identity, topic))
  }
  const client = new pg.Client({
    connectionString: postgres.url,
    options: '-c search_path=countersign -c app.wakes=afterwards',
  })
  await client.connect()
  const quiet = organizations[topics]
  if (!quiet) throw new Error('no organization is left for the slow readers')
  return {
    server,
    port,
    publish: publisher(client, organizations),
    streams: organizations.slice(0, topics),
    quiet,
    async stop() {
      await client.end()
      await endOf(server)
      await helper.close()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
