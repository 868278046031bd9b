/** Several API and worker processes on one database, restarted whenever they end. */
import { expect } from 'vitest'
import { startTestApp, type TestApp, WIDE_LIMITS } from '#test/support/app.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { production } from './environment.ts'
import { type Environment, freePort, onCleanUp } from './processes.ts'
import { keepRunning, type Slot } from './supervised.ts'

export type Cluster = {
  /** On the same database, for setup and inspection; it serves no load. */
  service: TestApp
  apis: Slot[]
  workers: Slot[]
  /** The URLs of the API processes. */
  urls: string[]
}

export type ClusterOptions = {
  apis?: number
  workers?: number
  database?: TestDatabase
  /** Environment of the test's service and of all processes. */
  env?: Environment
  /** What only processes of one kind get. */
  apiEnv?: Environment
  workerEnv?: Environment
  /** The test's service uses this pooler for requests. */
  poolerUrl?: string
}

const realmEnv = ({ ctx }: TestApp, realm: 'consumer' | 'admin'): Environment => {
  const { issuer, audience, jwksUrl } = ctx.config.identity[realm]
  const prefix = realm.toUpperCase()
  return {
    [`${prefix}_ISSUER`]: issuer,
    [`${prefix}_AUDIENCE`]: audience,
    [`${prefix}_JWKS_URL`]: jwksUrl,
  }
}

export async function startCluster({
  apis = 2,
  workers = 2,
  database: given,
  env: own = {},
  apiEnv = {},
  workerEnv = {},
  poolerUrl,
}: ClusterOptions = {}): Promise<Cluster> {
  const database = given ?? (await createTestDatabase())
  const service = await startTestApp({ database, env: own, ...(poolerUrl && { poolerUrl }) })
  onCleanUp(() => service.stop())
  const env = {
    ...production(database.url),
    NODE_ENV: 'test',
    CHAIN_ID: '31337',
    CONFIRMATIONS: '1',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    API_DOCS: 'false',
    DRAIN_MS: '2000',
    RATE_LIMIT_PER_ACCOUNT: '1000000000',
    ...WIDE_LIMITS,
    STREAMS_PER_ACCOUNT: '1000',
    SERVER_SECRET: service.ctx.config.serverSecret,
    ...realmEnv(service, 'consumer'),
    ...realmEnv(service, 'admin'),
    ...own,
  }
  const ports: number[] = []
  for (let n = 0; n < apis; n += 1) ports.push(await freePort())
  const cluster: Cluster = {
    service,
    apis: ports.map((port) =>
      keepRunning('src/main.ts', { ...env, ...apiEnv, PORT: String(port) }),
    ),
    workers: Array.from({ length: workers }, () =>
      keepRunning('src/worker.ts', { ...env, ...workerEnv }),
    ),
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
  }
  const slots = [...cluster.apis, ...cluster.workers]
  onCleanUp(() => Promise.all(slots.map((slot) => slot.stop())))
  await Promise.all(slots.map(untilUp))
  return cluster
}

/** Restarts a process that has ended, even during its start, and waits for it. */
export async function untilUp(slot: Slot): Promise<void> {
  for (;;) {
    const running = slot.current()
    await running.says(/"msg":"(?:api listening|worker running)"/).catch((error) => {
      if (!running.hasEnded()) throw error
    })
    if (!running.hasEnded()) return
    await expect.poll(() => slot.current() === running).toBe(false)
  }
}
