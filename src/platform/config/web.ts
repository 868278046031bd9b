/** Configuration of a gateway: the process that serves one web application. */
import { resolve } from 'node:path'
import type { Realm } from './identity.ts'
import { readOrigin } from './origins.ts'
import { WORKER_VARIABLES } from './process.ts'
import { readSecret } from './secrets.ts'
import {
  choice,
  type Environment,
  integer,
  isProduction,
  problem,
  safeUrl,
  url,
  visible,
} from './values.ts'

export type WebConfig = {
  production: boolean
  version: string
  realm: Realm
  host: string
  port: number
  /** What browsers see. Decides on cookies, redirects and cross-site checks. */
  origin: string
  apiUrl: string
  /** The folder of the built application. */
  root: string
  /** 32 bytes or more. Seals tokens at rest and the state of sign-ins. */
  secret: string
  databaseUrl: string
  databasePoolSize: number
  provider: SignInConfig
  /** Number of proxies in front of the gateway that append to X-Forwarded-For. */
  trustedProxies: number
  /** Sign-ins, step-ups and returns from the provider, per minute and address. */
  signInsPerMinute: number
  drainMs: number
  metricsHost: string
  metricsPort: number
  logLevel: string
}

export type SignInConfig = {
  issuer: string
  /** Where the provider's metadata is, if not at the issuer's own address. */
  discoveryUrl: string
  clientId: string
  /** Undefined for a public client, which PKCE alone protects. */
  clientSecret: string | undefined
  scope: string
  /** Added to every authorization request, such as `audience=…` or `resource=…`. */
  parameters: Readonly<Record<string, string>>
  /** Added when a fresh sign-in with two factors is requested, such as `acr_values=…`. */
  stepUpParameters: Readonly<Record<string, string>>
}

const SCOPE = 'openid profile email offline_access'

/** The gateway chooses these itself; another value would weaken or break the sign-in. */
const RESERVED = new Set([
  ...['client_id', 'client_secret', 'response_type', 'response_mode', 'redirect_uri', 'scope'],
  ...['state', 'nonce', 'code_challenge', 'code_challenge_method', 'request', 'request_uri'],
])

function readParameters(env: Environment, name: string): Record<string, string> {
  const entries = [...new URLSearchParams(visible(env, name, 2_000) ?? '')]
  const bad = entries.find(([key]) => key === '' || RESERVED.has(key))
  if (bad) throw problem(`${name} must not set ${bad[0] || 'an empty name'}.`)
  return Object.fromEntries(entries)
}

function discoveryUrl(env: Environment, prefix: string, production: boolean): string {
  const name = `${prefix}_DISCOVERY_URL`
  const value = env[name]
  if (value) return safeUrl(name, value, production)
  const issuer = env[`${prefix}_ISSUER`] ?? ''
  if (!/^https?:\/\//.test(issuer)) {
    throw problem(`Set ${name}: ${prefix}_ISSUER is not a URL, so it names no metadata.`)
  }
  const address = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  return safeUrl(`${prefix}_ISSUER`, address, production)
}

function readSignIn(env: Environment, realm: Realm, production: boolean): SignInConfig {
  const prefix = realm.toUpperCase()
  const scope = env[`${prefix}_SCOPE`] || SCOPE
  if (!scope.split(' ').includes('openid')) throw problem(`${prefix}_SCOPE must contain openid.`)
  return {
    issuer: env[`${prefix}_ISSUER`] ?? '',
    discoveryUrl: discoveryUrl(env, prefix, production),
    clientId: env[`${prefix}_CLIENT_ID`] ?? '',
    clientSecret: visible(env, `${prefix}_CLIENT_SECRET`, 4_096),
    scope,
    parameters: readParameters(env, `${prefix}_SIGN_IN_PARAMETERS`),
    stepUpParameters: readParameters(env, `${prefix}_STEP_UP_PARAMETERS`),
  }
}

/** A gateway faces browsers. It holds no secret of the API, a worker or a provider of keys. */
function refuseForeignSecrets(env: Environment): void {
  const held = ['SERVER_SECRET', ...WORKER_VARIABLES].filter((name) => env[name])
  if (held.length > 0) {
    throw problem(`Gateways must not have ${held.join(', ')}: set this for other processes only.`)
  }
}

const required = (realm: Realm, production: boolean): string[] => {
  const prefix = realm.toUpperCase()
  const always = ['DATABASE_URL', 'WEB_SECRET', `${prefix}_ISSUER`, `${prefix}_CLIENT_ID`]
  return production ? [...always, 'WEB_ORIGIN', 'API_URL'] : always
}

export const PORT_OF: Record<Realm, { name: string; fallback: number }> = {
  consumer: { name: 'WEB_PORT', fallback: 4100 },
  admin: { name: 'ADMIN_WEB_PORT', fallback: 4200 },
}

const portOf = (env: Environment, realm: Realm): number => {
  const { name, fallback } = PORT_OF[realm]
  return integer(env, name, { fallback, min: 0, max: 65_535 })
}

export function readWebConfig(env: Environment): WebConfig {
  const production = isProduction(env)
  const realm = choice(env, 'WEB_REALM', { options: ['consumer', 'admin'], fallback: 'consumer' })
  const missing = required(realm, production).filter((name) => !env[name])
  if (missing.length > 0) {
    const hint = production ? '' : ' `npm start` sets them all up for development.'
    throw problem(`Set ${missing.join(', ')}: see the configuration table in README.md.${hint}`)
  }
  if (production) refuseForeignSecrets(env)
  const port = portOf(env, realm)
  const origin = env.WEB_ORIGIN || `http://127.0.0.1:${port}`
  return {
    production,
    version: env.SERVICE_VERSION || '0.0.1',
    realm,
    host: env.HOST || '127.0.0.1',
    port,
    origin: readOrigin('WEB_ORIGIN', origin, production),
    apiUrl: safeUrl('API_URL', env.API_URL || 'http://127.0.0.1:4000', production),
    root: resolve(env.WEB_ROOT || `apps/${realm}/dist`),
    secret: readSecret(env, 'WEB_SECRET', production),
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    databasePoolSize: integer(env, 'DATABASE_POOL_SIZE', { fallback: 10, min: 2, max: 1000 }),
    provider: readSignIn(env, realm, production),
    trustedProxies: integer(env, 'TRUSTED_PROXIES', { fallback: 0, min: 0, max: 16 }),
    signInsPerMinute: integer(env, 'RATE_LIMIT_PER_ADDRESS', { fallback: 60, min: 1, max: 1e9 }),
    drainMs: integer(env, 'DRAIN_MS', { fallback: production ? 3_000 : 0, min: 0, max: 10_000 }),
    metricsHost: env.METRICS_HOST || '127.0.0.1',
    metricsPort: integer(env, 'METRICS_PORT', { fallback: 0, min: 0, max: 65_535 }),
    logLevel: choice(env, 'LOG_LEVEL', {
      options: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      fallback: 'info',
    }),
  }
}
