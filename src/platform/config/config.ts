/**
 * The only reader of `process.env`. All variables are parsed once, before anything starts; a bad or
 * missing one ends the process with a one-line message. Production has no default for settings that
 * the operator must choose.
 */
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import { type ChainConfig, chainWarnings, readChain } from './chain.ts'
import { type EmailConfig, readEmail } from './email.ts'
import { type ExecutorConfig, readExecutorConfig } from './executor.ts'
import { type FundingConfig, readFunding } from './funding.ts'
import { type Realm, type RealmConfig, readIdentity } from './identity.ts'
import { type LimitsConfig, readLimits } from './limits.ts'
import { type OriginsConfig, readOrigins } from './origins.ts'
import { environmentOf, isKeyless, type ProcessKind, requiredOfWorkers } from './process.ts'
import { type PushConfig, readPush } from './push.ts'
import { readSecret, readWorker, type WorkerConfig } from './secrets.ts'
import { readTracing, type TracingConfig } from './tracing.ts'
import {
  choice,
  type Environment,
  flag,
  integer,
  isLoopback,
  isProduction,
  problem,
  url,
  visible,
} from './values.ts'
import {
  type KeystoreConfig,
  readKeystore,
  readWalletsConfig,
  type WalletsConfig,
} from './wallets.ts'
import { readWebhooks, type WebhooksConfig } from './webhooks.ts'

export type Config = {
  production: boolean
  environment: string
  version: string
  host: string
  port: number
  /** How long the API keeps answering after a stop signal, while it reports not ready. */
  drainMs: number
  metricsHost: string
  metricsPort: number
  databaseUrl: string
  /** Leads past any pooler: for listening, which needs a connection of its own, and migrations. */
  directUrl: string
  /** `databaseUrl` leads to a pooler. */
  isPooled: boolean
  databasePoolSize: number
  observerPoolSize: number
  /** 32 bytes or more. Other keys are derived from it. */
  serverSecret: string
  identity: Record<Realm, RealmConfig>
  /** Becomes an operator once, if there has never been one. */
  firstOperator: string | undefined
  chain: ChainConfig
  /** Lines that every process logs at start. */
  warnings: string[]
  /** The model that reviews expenses in addition to the rules; undefined disables it. */
  analyst: AnalystConfig | undefined
  push: PushConfig
  /** Undefined: no e-mail is sent. */
  email: EmailConfig | undefined
  webhooks: WebhooksConfig
  /** The provider of server wallets. */
  wallets: WalletsConfig
  /** Limits of funding signers. */
  funding: FundingConfig
  keystore: KeystoreConfig
  worker: WorkerConfig
  /** How long a request waits for a worker before it answers with the state so far. */
  workerWaitMs: number
  /** API processes hold no keys; workers do what needs one. */
  process: ProcessKind
  /** The provider that holds the executors' keys. */
  executor: ExecutorConfig
  /** `automatic`: a payment is released in the transaction that authorises it. */
  paymentRelease: 'automatic' | 'manual'
  limits: LimitsConfig
  origins: OriginsConfig
  rateLimit: { perAccount: number; perAddress: number }
  streams: {
    /** Open streams per account, of all processes. One more ends the oldest. */
    perAccount: number
    keepaliveMs: number
    lifetimeMs: number
    /** How often the callers' access is checked again. */
    checkMs: number
    /** Unread bytes after which a slow client is disconnected. */
    backlogMaxBytes: number
  }
  /** Number of proxies that append to X-Forwarded-For. Earlier entries are not trusted. */
  trustedProxies: number
  docs: boolean
  logLevel: string
  /** Undefined: no traces. */
  tracing: TracingConfig | undefined
  workerConcurrency: number
}

type AnalystConfig = {
  url: string
  /** A model on the same machine often needs none. */
  apiKey: string | undefined
  model: string
  timeoutMs: number
  outputTokensMax: number
}

/** Additional settings of `npm start`. */
export type DevConfig = {
  dataDir: string
  devPort: number
  chainPort: number
  /** Of the consumer application. Undefined: it is not served. */
  webPort: number | undefined
  /** Of the administrator application, which is not served without the other one. */
  adminWebPort: number | undefined
}

const STREAM_LIMITS = {
  keepaliveMs: TRANSPORT_POLICY.keepaliveSeconds * 1_000,
  lifetimeMs: TRANSPORT_POLICY.maxConnectionSeconds * 1_000,
  checkMs: 3_000,
  backlogMaxBytes: 1_048_576,
}

const WORKER_WAIT_MS = 2_000

const NO_WORKER: WorkerConfig = { secret: undefined, previousSecret: undefined }

export { type Environment, isProduction, type Realm, type RealmConfig }

export const readEnvironment = (): Environment => process.env

const required = [
  'DATABASE_URL',
  'SERVER_SECRET',
  'CONSUMER_ISSUER',
  'CONSUMER_AUDIENCE',
  'CONSUMER_JWKS_URL',
  'ADMIN_ISSUER',
  'ADMIN_AUDIENCE',
  'ADMIN_JWKS_URL',
  'RPC_URLS',
  'TOKEN_ADDRESS',
]

/** Their development defaults would be wrong or dangerous in production. */
const requiredInProduction = ['CHAIN_ID', 'CONFIRMATIONS']

function requireAll(env: Environment, process: ProcessKind): void {
  const ofWorkers = process === 'worker' ? requiredOfWorkers : []
  const names = isProduction(env) ? [...required, ...requiredInProduction, ...ofWorkers] : required
  const missing = names.filter((name) => !env[name])
  if (missing.length === 0) return
  const hint = isProduction(env) ? '' : ' `npm start` sets them all up for development.'
  throw problem(`Set ${missing.join(', ')}: see the configuration table in README.md.${hint}`)
}

/** In production, the purpose and the key are sent over https or stay on the machine. */
function isAnalystUrl(value: string, production: boolean): boolean {
  const url = URL.parse(value)
  if (!url || url.username || url.password || /[?#]/.test(value)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && (isLoopback(url) || !production))
}

function readAnalyst(env: Environment): AnalystConfig | undefined {
  const apiKey = visible(env, 'ANALYST_API_KEY', 4_096)
  const model = visible(env, 'ANALYST_MODEL', 200)
  const limits = {
    timeoutMs: integer(env, 'ANALYST_TIMEOUT_MS', { fallback: 20_000, min: 100, max: 120_000 }),
    outputTokensMax: integer(env, 'ANALYST_TOKENS_MAX', { fallback: 800, min: 100, max: 8_000 }),
  }
  if (!env.ANALYST_URL && !model && !apiKey) return undefined
  if (!env.ANALYST_URL || !model) {
    throw problem('Set ANALYST_URL and ANALYST_MODEL, or none of the ANALYST variables.')
  }
  if (!isAnalystUrl(env.ANALYST_URL, isProduction(env))) {
    const kind = isProduction(env) ? 'https:// (on loopback http://)' : 'https:// or http://'
    throw problem(`ANALYST_URL must be a ${kind} URL without user, query or fragment.`)
  }
  return { url: env.ANALYST_URL, apiKey, model, ...limits }
}

const PROTOCOLS = ['postgres:', 'postgresql:']

/** Past any pooler. */
export const readDirectUrl = (env: Environment): string =>
  url(env, env.DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL', PROTOCOLS)

/** Only API processes go through a pooler: workers hold locks on their connections. */
function readDatabase(env: Environment, process: ProcessKind) {
  const directUrl = readDirectUrl(env)
  const isPooled = process === 'api' && Boolean(env.DATABASE_DIRECT_URL)
  const databaseUrl = isPooled ? url(env, 'DATABASE_URL', PROTOCOLS) : directUrl
  return { databaseUrl, directUrl, isPooled }
}

export function readConfig(
  environment: Environment,
  { process = 'both' }: { process?: ProcessKind } = {},
): Config {
  requireAll(environment, process)
  const production = isProduction(environment)
  const env = environmentOf(environment, { process, production })
  const keyless = isKeyless(process)
  const chain = readChain(env, production)
  const origins = readOrigins(env, production)
  return {
    production,
    environment: env.ENVIRONMENT || (production ? 'production' : 'development'),
    version: env.SERVICE_VERSION || '0.0.1',
    host: env.HOST || '127.0.0.1',
    port: readPort(env, 'PORT', 4000),
    drainMs: integer(env, 'DRAIN_MS', { fallback: production ? 3_000 : 0, min: 0, max: 10_000 }),
    metricsHost: env.METRICS_HOST || '127.0.0.1',
    metricsPort: readPort(env, 'METRICS_PORT', 0),
    ...readDatabase(env, process),
    databasePoolSize: integer(env, 'DATABASE_POOL_SIZE', { fallback: 20, min: 2, max: 1000 }),
    observerPoolSize: integer(env, 'OBSERVER_POOL_SIZE', { fallback: 4, min: 2, max: 1000 }),
    serverSecret: readSecret(env, 'SERVER_SECRET', production),
    identity: readIdentity(env, production),
    firstOperator: env.FIRST_OPERATOR || undefined,
    chain,
    warnings: production ? chainWarnings(chain) : [],
    analyst: readAnalyst(env),
    push: readPush(env, {
      production,
      isKeyless: keyless,
      allowsLoopback: flag(env, 'PUSH_LOOPBACK', false),
    }),
    email: readEmail(env, {
      production,
      isKeyless: keyless,
      appOrigin: origins.consumerApp,
    }),
    webhooks: readWebhooks(env, production),
    wallets: readWalletsConfig(env, production, keyless),
    funding: readFunding(env),
    keystore: readKeystore(env),
    worker: keyless ? NO_WORKER : readWorker(env, production),
    workerWaitMs: WORKER_WAIT_MS,
    process,
    executor: readExecutorConfig(env, { production, chainId: chain.id, isKeyless: keyless }),
    paymentRelease: choice(env, 'PAYMENT_RELEASE', {
      options: ['automatic', 'manual'],
      fallback: 'automatic',
    }),
    limits: readLimits(env),
    origins,
    rateLimit: {
      perAccount: integer(env, 'RATE_LIMIT_PER_ACCOUNT', { fallback: 600, min: 1, max: 1e9 }),
      perAddress: integer(env, 'RATE_LIMIT_PER_ADDRESS', { fallback: 60, min: 1, max: 1e9 }),
    },
    streams: {
      perAccount: integer(env, 'STREAMS_PER_ACCOUNT', { fallback: 5, min: 1, max: 10_000 }),
      ...STREAM_LIMITS,
    },
    trustedProxies: integer(env, 'TRUSTED_PROXIES', { fallback: 0, min: 0, max: 16 }),
    docs: flag(env, 'API_DOCS', !production),
    logLevel: choice(env, 'LOG_LEVEL', {
      options: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      fallback: 'info',
    }),
    tracing: readTracing(env, production),
    workerConcurrency: integer(env, 'WORKER_CONCURRENCY', { fallback: 8, min: 1, max: 200 }),
  }
}

const readPort = (env: Environment, name: string, fallback: number): number =>
  integer(env, name, { fallback, min: 0, max: 65_535 })

export function readDevConfig(env: Environment): DevConfig {
  if (isProduction(env)) {
    throw problem(
      'npm start runs development services and refuses NODE_ENV=production. ' +
        'Use npm run migrate, npm run api, npm run worker and npm run web.',
    )
  }
  const webPort = env.WEB_PORT === 'off' ? undefined : readPort(env, 'WEB_PORT', 4100)
  const hasAdmin = webPort !== undefined && env.ADMIN_WEB_PORT !== 'off'
  return {
    dataDir: env.DATA_DIR || '.countersign',
    devPort: readPort(env, 'DEV_PORT', 4001),
    chainPort: readPort(env, 'DEV_CHAIN_PORT', 8545),
    webPort,
    adminWebPort: hasAdmin ? readPort(env, 'ADMIN_WEB_PORT', 4200) : undefined,
  }
}
