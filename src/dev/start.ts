/** `npm start`: brings up whatever is not configured, then runs the API and the worker in one. */
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { startApi } from '#main.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { type Environment, readConfig, readDevConfig, readEnvironment } from '#platform/config.ts'
import { StartupError } from '#platform/errors.ts'
import { serveMetrics } from '#platform/metrics.ts'
import { migrate } from '#platform/migrate.ts'
import { runService, type Service } from '#platform/service.ts'
import { say } from '#platform/terminal.ts'
import { startWorker } from '#worker.ts'
import { claimDataFolder } from './data-folder.ts'
import { devRealm, keepServerSecret, withDefaults } from './defaults.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { type HelperOptions, startHelperServer } from './helper-server.ts'
import { createDevIdentity } from './identity.ts'
import { forgetDatabaseUrl, rememberDatabaseUrl } from './running-database.ts'

/** What was started, stopped in the opposite order. */
function createStack() {
  const stops: (() => Promise<unknown>)[] = []
  return {
    add: (stop: () => Promise<unknown>) => void stops.push(stop),
    async stop() {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}

type Stack = ReturnType<typeof createStack>

async function startDatabase(stack: Stack, folder: string) {
  const postgres = await startEmbeddedPostgres({ folder })
  stack.add(() => postgres.stop())
  const failed = postgres.exited.then((): never => {
    throw new StartupError(`PostgreSQL ended by itself. See ${folder}/postgres.log.`)
  })
  failed.catch(() => {})
  return { url: postgres.url, failed }
}

/** Returns the port it listens on; what it says of the service is filled in later. */
async function startHelper(
  stack: Stack,
  { devPort, folder, about }: { devPort: number; folder: string; about: HelperOptions['about'] },
): Promise<number> {
  const realms = { consumer: devRealm('consumer', devPort), admin: devRealm('admin', devPort) }
  const helper = await startHelperServer({
    port: devPort,
    ids: createIds(),
    identity: await createDevIdentity({ folder, realms, clock: systemClock }),
    about,
  })
  stack.add(() => helper.close())
  return (helper.server.address() as AddressInfo).port
}

async function startParts(stack: Stack, ctx: Context) {
  stack.add(() => ctx.db.close())
  const { config, metrics } = ctx
  const metricsServer = await serveMetrics({
    registry: metrics.registry,
    host: config.metricsHost,
    port: config.metricsPort,
  })
  stack.add(() => metricsServer.close())
  const worker = await startWorker(ctx)
  stack.add(() => worker.stop())
  const api = await startApi(ctx)
  stack.add(() => api.stop())
  return { api, worker, metricsUrl: metricsServer.url }
}

function greet({
  api,
  devPort,
  metricsUrl,
  folder,
}: {
  api: string
  devPort: number
  metricsUrl: string
  folder: string
}): void {
  const helper = `http://127.0.0.1:${devPort}`
  const json = `-H 'content-type: application/json'`
  say(`Countersign is running, for development.
  API      ${api}   (reference: ${api}/docs/)
  Helper   ${helper}   (tokens for trying things out)
  Metrics  ${metricsUrl}
  Data     ${folder}
Try it:
  t=$(curl -s ${helper}/token ${json} -d '{"realm":"consumer","subject":"me"}')
  access=$(echo "$t" | cut -d '"' -f 4); identity=$(echo "$t" | cut -d '"' -f 8)
  curl -s -X PUT ${api}/v1/consumer/session -H "authorization: Bearer $access" \\
    ${json} -d "{\\"identityToken\\":\\"$identity\\"}"
Ctrl-C stops it.`)
}

async function startAll(stack: Stack, env: Environment): Promise<{ failed: Promise<never> }> {
  const { dataDir, devPort: wantedPort } = readDevConfig(env)
  const folder = await claimDataFolder({ folder: resolve(dataDir) })
  stack.add(() => folder.release())
  const serverSecret = await keepServerSecret(folder.path)
  let about: ReturnType<HelperOptions['about']>
  const devPort = await startHelper(stack, {
    devPort: wantedPort,
    folder: folder.path,
    about: () => about,
  })
  const embedded = env.DATABASE_URL ? undefined : await startDatabase(stack, folder.path)
  const databaseUrl = embedded?.url ?? ''
  const config = readConfig(withDefaults(env, { databaseUrl, serverSecret, devPort }))
  // For commands in another terminal, whichever database it is.
  await rememberDatabaseUrl({ folder: folder.path, url: config.databaseUrl })
  stack.add(() => forgetDatabaseUrl({ folder: folder.path }))
  await migrate({ url: config.databaseUrl })
  const { api, worker, metricsUrl } = await startParts(stack, compose(config))
  about = { api: api.url, chainId: config.chainId, ...config.identity }
  greet({ api: api.url, devPort, metricsUrl, folder: folder.path })
  return { failed: Promise.race([worker.failed, ...(embedded ? [embedded.failed] : [])]) }
}

async function start(): Promise<Service> {
  const env = readEnvironment()
  const { devPort } = readDevConfig(env)
  // A bad variable is said before anything is started.
  const placeholder = { databaseUrl: 'postgres://127.0.0.1/none', serverSecret: '-'.repeat(32) }
  readConfig(withDefaults(env, { ...placeholder, devPort }))
  const stack = createStack()
  try {
    const { failed } = await startAll(stack, env)
    return { failed, stop: () => stack.stop() }
  } catch (error) {
    await stack.stop()
    throw error
  }
}

if (import.meta.main) await runService(start, { stopsWithParent: true })
