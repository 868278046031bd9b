/**
 * `npm start` starts whatever is not configured, then runs the API, the worker and the gateways of
 * both applications in one process.
 */
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { closeContext } from '#compose.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import {
  type Config,
  type Environment,
  type Realm,
  readConfig,
  readDevConfig,
  readEnvironment,
} from '#platform/config/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { StartupError } from '#platform/errors.ts'
import { serveMetrics } from '#platform/metrics.ts'
import { runService, type Service } from '#platform/service.ts'
import { say } from '#platform/terminal.ts'
import { startTracing } from '#tracing.ts'
import { buildPages } from './build-pages.ts'
import { localChainId } from './chain-engine.ts'
import { claimDataFolder } from './data-folder.ts'
import {
  devRealm,
  keepServerSecret,
  keepVapidPrivateKey,
  NO_CHAIN,
  withDefaults,
} from './defaults.ts'
import type { DemoService } from './demo-client.ts'
import { type DemoHost, openDemoHost } from './demo-host.ts'
import { type DevChain, startDevChain } from './dev-chain.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { requireFreePorts, type WantedPort } from './free-ports.ts'
import { chainBegins } from './furnish-calendar.ts'
import { printBanner } from './greeting.ts'
import { type About, type HelperOptions, startHelperServer } from './helper-server.ts'
import { createDevIdentity } from './identity.ts'
import { hasLocalChain } from './local-chain.ts'
import { createMovableClock, type MovableClock } from './movable-clock.ts'
import { createDevProvider } from './openid-provider.ts'
import { composeWith, createStack, type Stack, startParts } from './parts.ts'
import { openPastService, type PastService } from './past-service.ts'
import { forgetDatabaseUrl, rememberDatabaseUrl } from './running-database.ts'
import { readStartFlags, type StartFlags } from './start-flags.ts'
import { findPlace, startWebPart } from './web-part.ts'

const LOOPBACK = '127.0.0.1'

const isOurChain = (env: Environment): boolean => !env.RPC_URLS && !env.TOKEN_ADDRESS

async function startDatabase(stack: Stack, folder: string) {
  const postgres = await startEmbeddedPostgres({ folder })
  stack.add(() => postgres.stop())
  const failed = postgres.exited.then((): never => {
    throw new StartupError(`PostgreSQL ended unexpectedly. See ${folder}/postgres.log.`)
  })
  failed.catch(() => {})
  return { url: postgres.url, failed }
}

/** Returns the port it listens on. `about` becomes available later. */
async function startHelper(
  stack: Stack,
  options: Pick<HelperOptions, 'about' | 'faucet'> & {
    devPort: number
    folder: string
    applications: Partial<Record<Realm, string>>
    demo: DemoHost | undefined
  },
): Promise<number> {
  const { devPort, folder, about, faucet, applications, demo } = options
  const demoPeople = demo?.people
  const realms = { consumer: devRealm('consumer', devPort), admin: devRealm('admin', devPort) }
  const identity = await createDevIdentity({ folder, realms, clock: systemClock })
  const signIn =
    Object.keys(applications).length === 0
      ? undefined
      : await createDevProvider({ folder, identity, realms, applications, demoPeople })
  const helper = await startHelperServer({
    port: devPort,
    ids: createIds(),
    identity,
    about,
    faucet,
    signIn,
  })
  stack.add(() => helper.close())
  return (helper.server.address() as AddressInfo).port
}

/** A new chain begins months ago, where the history of a demo organization has room. */
async function startChain(
  stack: Stack,
  options: { folder: string; port: number; clock: MovableClock },
) {
  const { clock } = options
  if (!(await hasLocalChain(options))) clock.moveTo(chainBegins(systemClock.now()))
  const chain = await startDevChain(options)
  stack.add(() => chain.stop())
  clock.catchUp()
  return chain
}

/** API and worker over a migrated database, and their metrics. */
async function startCore(
  stack: Stack,
  { folder, config, chain }: { folder: string; config: Config; chain: DevChain | undefined },
) {
  // For commands in another terminal, whichever database is used.
  await rememberDatabaseUrl({ folder, url: config.databaseUrl })
  stack.add(() => forgetDatabaseUrl({ folder }))
  await migrate({ url: config.databaseUrl })
  stack.add((await startTracing(config)).stop)
  const ctx = composeWith(config, chain)
  stack.add(() => closeContext(ctx))
  const { registry } = ctx.metrics
  const { metricsHost: host, metricsPort: port } = config
  const metricsServer = await serveMetrics({ registry, host, port })
  stack.add(() => metricsServer.close())
  const { api, worker } = await startParts(stack, ctx)
  return { api, worker, metricsUrl: metricsServer.url, ownerDb: ctx.ownerDb }
}

/** Returns the address of the application. */
async function startPages(
  stack: Stack,
  options: Parameters<typeof startWebPart>[0],
): Promise<string> {
  const { address, stop } = await startWebPart(options)
  stack.add(stop)
  return address
}

function requireKnownChain(env: Environment): void {
  if (!isOurChain(env) || !env.CHAIN_ID || env.CHAIN_ID === String(localChainId)) return
  throw new StartupError(
    `The development chain has the id ${localChainId}; ` +
      `for chain ${env.CHAIN_ID} set RPC_URLS and TOKEN_ADDRESS too.`,
  )
}

/** Its people and vaults exist with the development provider and chain only. */
const canHaveDemo = (env: Environment): boolean =>
  isOurChain(env) && !env.CONSUMER_ISSUER && !env.ADMIN_ISSUER

function requireDemoPossible(env: Environment, { demo }: StartFlags): void {
  if (!demo || canHaveDemo(env)) return
  throw new StartupError(
    '--demo needs the development chain and sign-in: ' +
      'unset RPC_URLS, TOKEN_ADDRESS, CONSUMER_ISSUER and ADMIN_ISSUER.',
  )
}

/** Never resolves. A failure to furnish ends the service, so the greeting is never half true. */
async function greetFurnished(demo: DemoHost, greet: () => void): Promise<never> {
  if (demo.status().state !== 'ready') {
    say('Furnishing a demo organization, once for this data folder.')
    const { history } = await demo.furnish((chapter) => say(`  ${chapter} …`))
    if (history === 'today') say('This folder has been used before, so all of it is of today.')
  }
  greet()
  return new Promise(() => {})
}

async function startAll(
  stack: Stack,
  { env, wanted, flags }: { env: Environment; wanted: readonly WantedPort[]; flags: StartFlags },
): Promise<{ failed: Promise<never> }> {
  const { dataDir, devPort: wantedPort, chainPort } = readDevConfig(env)
  const { path: folder, release } = await claimDataFolder({ folder: resolve(dataDir) })
  stack.add(release)
  await requireFreePorts(wanted)
  const serverSecret = await keepServerSecret(folder)
  const vapidPrivateKey = await keepVapidPrivateKey(folder)
  const place = await findPlace(env, 'consumer')
  const adminPlace = await findPlace(env, 'admin')
  let about: About | undefined
  let chain: DevChain | undefined
  let past: PastService | undefined
  let devPort = wantedPort
  const demo = canHaveDemo(env)
    ? await openDemoHost({
        folder,
        operator: env.FIRST_OPERATOR || 'operator',
        helper: () => `http://${LOOPBACK}:${devPort}`,
        about: () => about as DemoService | undefined,
        past: () => past,
        blacklist: async (address) => chain?.faucet.blacklist(address),
      })
    : undefined
  devPort = await startHelper(stack, {
    devPort: wantedPort,
    folder,
    demo,
    applications: {
      ...(place && { consumer: place.origin }),
      ...(adminPlace && { admin: adminPlace.origin }),
    },
    about: () => about,
    faucet: () => chain?.faucet,
  })
  requireKnownChain(env)
  // While PostgreSQL starts.
  const building = (place && !env.WEB_ROOT) || adminPlace ? buildPages() : undefined
  const clock = createMovableClock()
  chain = isOurChain(env) ? await startChain(stack, { folder, port: chainPort, clock }) : undefined
  const embedded = env.DATABASE_URL ? undefined : await startDatabase(stack, folder)
  const complete = withDefaults(env, {
    databaseUrl: embedded?.url ?? '',
    serverSecret,
    devPort,
    chain: chain ?? NO_CHAIN,
    vapidPrivateKey,
    appOrigin: place?.origin,
  })
  const config = readConfig(complete)
  const { api, worker, metricsUrl, ownerDb } = await startCore(stack, { folder, config, chain })
  if (chain && embedded) {
    past = await openPastService({ folder, config, ownerDb, worker, chain, clock })
    stack.add(past.stop)
  }
  const [rpc = ''] = config.chain.rpcUrls
  const { id: chainId, tokenAddress } = config.chain
  about = { api: api.url, rpc, chainId, tokenAddress, ...config.identity }
  const shared = { env, complete, folder, about, devPort, building, demo }
  const app = place && (await startPages(stack, { ...shared, realm: 'consumer', place }))
  const admin =
    adminPlace && (await startPages(stack, { ...shared, realm: 'admin', place: adminPlace }))
  const addresses = { app, admin, api: api.url, rpc, devPort, metricsUrl, folder }
  const greet = () => printBanner({ ...addresses, demoPeople: demo?.people() ?? [] })
  const greeting = flags.demo && demo ? greetFurnished(demo, greet) : void greet()
  const parts = [worker.failed, embedded?.failed, chain?.failed, greeting]
  return { failed: Promise.race(parts.filter((part) => part !== undefined)) }
}

export async function start(
  env = readEnvironment(),
  args = process.argv.slice(2),
): Promise<Service> {
  const flags = readStartFlags(args)
  requireDemoPossible(env, flags)
  const { devPort, chainPort, webPort, adminWebPort } = readDevConfig(env)
  // Invalid variables and ports in use are reported before anything is started.
  const placeholder = { databaseUrl: 'postgres://127.0.0.1/none', serverSecret: '-'.repeat(32) }
  const checked = readConfig(withDefaults(env, { ...placeholder, devPort, chain: NO_CHAIN }))
  const { host, port, metricsHost, metricsPort } = checked
  const wanted = [
    { name: 'PORT', host, port },
    { name: 'METRICS_PORT', host: metricsHost, port: metricsPort },
    { name: 'DEV_PORT', host: LOOPBACK, port: devPort },
    ...(isOurChain(env) ? [{ name: 'DEV_CHAIN_PORT', host: LOOPBACK, port: chainPort }] : []),
    ...(webPort === undefined ? [] : [{ name: 'WEB_PORT', host: LOOPBACK, port: webPort }]),
    ...(adminWebPort === undefined
      ? []
      : [{ name: 'ADMIN_WEB_PORT', host: LOOPBACK, port: adminWebPort }]),
  ]
  const stack = createStack()
  try {
    const { failed } = await startAll(stack, { env, wanted, flags })
    return { failed, stop: () => stack.stop() }
  } catch (error) {
    await stack.stop()
    throw error
  }
}

if (import.meta.main) await runService(start, { stopsWithParent: true })
