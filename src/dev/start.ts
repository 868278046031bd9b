/**
 * `npm start` starts whatever is not configured, then runs the API, the worker and the gateways of
 * both applications in one process.
 */
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import { createLocalFunding } from '#adapters/local/local-funding.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { startApi } from '#main.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import {
  type Config,
  type Environment,
  type Realm,
  readConfig,
  readDevConfig,
  readEnvironment,
} from '#platform/config/config.ts'
import { openDatabase } from '#platform/database/database.ts'
import { migrate } from '#platform/database/migrate.ts'
import { StartupError } from '#platform/errors.ts'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { serveMetrics } from '#platform/metrics.ts'
import { deriveSecrets, masterKeysOf } from '#platform/secrets.ts'
import { runService, type Service } from '#platform/service.ts'
import { say } from '#platform/terminal.ts'
import { startTracing } from '#tracing.ts'
import { startWorker } from '#worker.ts'
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
import { printBanner } from './greeting.ts'
import { type About, type HelperOptions, startHelperServer } from './helper-server.ts'
import { createDevIdentity } from './identity.ts'
import { createDevProvider } from './openid-provider.ts'
import { forgetDatabaseUrl, rememberDatabaseUrl } from './running-database.ts'
import { readStartFlags, type StartFlags } from './start-flags.ts'
import { findPlace, startWebPart } from './web-part.ts'

const GAS_GIFT_WEI = 10n ** 18n
const LOOPBACK = '127.0.0.1'

const isOurChain = (env: Environment): boolean => !env.RPC_URLS && !env.TOKEN_ADDRESS

/** Stops the started parts in reverse order. */
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

async function startChain(stack: Stack, options: { folder: string; port: number }) {
  const chain = await startDevChain({ ...options, clock: systemClock })
  stack.add(() => chain.stop())
  return chain
}

/** On the development chain, executors and funding wallets get their gas from the faucet. */
function composeWith(config: Config, chain: DevChain | undefined): Context {
  if (!chain) return compose(config, {}, 'worker')
  const keys = masterKeysOf(deriveSecrets(config))
  const { current: masterKey, previous: previousKey } = keys
  const fundGas = async ({ address }: { address: string }) => {
    await chain.faucet.give({ address: address as `0x${string}`, wei: GAS_GIFT_WEI, baseUnits: 0n })
  }
  const limits = { chainId: config.chain.id, ...config.funding }
  const replace = {
    ...(config.executor.provider === 'local' && {
      executor: createLocalExecutor({ masterKey, previousKey, fundGas }),
    }),
    ...(config.wallets.provider === 'local' && {
      fundingProvider: createLocalFunding({ keys, clock: systemClock, limits, fundGas }),
    }),
  }
  return compose(config, replace, 'worker')
}

async function startParts(stack: Stack, ctx: Context) {
  stack.add(() => closeContext(ctx))
  const { config, metrics } = ctx
  // One process, two database roles: requests must not have the rights of jobs.
  const { databaseUrl: url, databasePoolSize: poolSize } = config
  const db = openDatabase({ url, poolSize, as: 'application' })
  stack.add(() => db.close())
  const metricsServer = await serveMetrics({
    registry: metrics.registry,
    host: config.metricsHost,
    port: config.metricsPort,
  })
  stack.add(() => metricsServer.close())
  // Before the worker, so that a start with a port in use touches no job.
  const api = await startApi({ ...ctx, db })
  let worker: JobRunner | undefined
  stack.add(async () => {
    await api.stop()
    await worker?.stop()
  })
  worker = await startWorker(ctx)
  return { api, worker, metricsUrl: metricsServer.url }
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
    await demo.furnish((chapter) => say(`  ${chapter} …`))
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
  let devPort = wantedPort
  const demo = canHaveDemo(env)
    ? await openDemoHost({
        folder,
        operator: env.FIRST_OPERATOR || 'operator',
        helper: () => `http://${LOOPBACK}:${devPort}`,
        about: () => about as DemoService | undefined,
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
  chain = isOurChain(env) ? await startChain(stack, { folder, port: chainPort }) : undefined
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
  // For commands in another terminal, whichever database is used.
  await rememberDatabaseUrl({ folder, url: config.databaseUrl })
  stack.add(() => forgetDatabaseUrl({ folder }))
  await migrate({ url: config.databaseUrl })
  stack.add((await startTracing(config)).stop)
  const { api, worker, metricsUrl } = await startParts(stack, composeWith(config, chain))
  const [rpc = ''] = config.chain.rpcUrls
  const { id: chainId, tokenAddress } = config.chain
  about = { api: api.url, rpc, chainId, tokenAddress, ...config.identity }
  const shared = { env, complete, folder, about, devPort, building, demo }
  const gateway = place && (await startWebPart({ ...shared, realm: 'consumer', place }))
  if (gateway) stack.add(() => gateway.stop())
  const admin = adminPlace && (await startWebPart({ ...shared, realm: 'admin', place: adminPlace }))
  if (admin) stack.add(() => admin.stop())
  const pages = { app: gateway?.address, admin: admin?.address }
  const addresses = { ...pages, api: api.url, rpc, devPort, metricsUrl, folder }
  const greet = () => printBanner({ ...addresses, demoPeople: demo?.people() ?? [] })
  const greeting = flags.demo && demo ? greetFurnished(demo, greet) : void greet()
  const parts = [worker.failed, embedded?.failed, chain?.failed, greeting]
  return { failed: Promise.race(parts.filter((part) => part !== undefined)) }
}

async function start(): Promise<Service> {
  const flags = readStartFlags(process.argv.slice(2))
  const env = readEnvironment()
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
