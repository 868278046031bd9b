/** Settings of the embedded default for unset variables. Never used in production. */
import { randomBytes } from 'node:crypto'
import { ZERO_ADDRESS } from '@countersign/proof/values.ts'
import type { Environment, Realm, RealmConfig } from '#platform/config/config.ts'
import { makeVapidPrivateKey, vapidPublicKey } from '#platform/config/push.ts'
import { loadOrCreateSecret } from './data-folder.ts'

/** The issuer does not depend on the port, so accounts survive a change of ports. */
export const devRealm = (realm: Realm, devPort: number): RealmConfig => ({
  issuer: `https://identity.countersign.localhost/${realm}`,
  audience: `countersign-${realm}`,
  idAudiences: [`countersign-${realm}`],
  jwksUrl: `http://127.0.0.1:${devPort}/${realm}/.well-known/jwks.json`,
})

/** A partly configured realm gets no defaults: the configuration then reports what is missing. */
function realmDefaults(env: Environment, realm: Realm, devPort: number): Environment {
  const prefix = realm.toUpperCase()
  const names = ['ISSUER', 'AUDIENCE', 'JWKS_URL'].map((name) => `${prefix}_${name}`)
  if (names.some((name) => env[name])) return {}
  const { issuer, audience, jwksUrl } = devRealm(realm, devPort)
  return {
    ...(realm === 'admin' ? { FIRST_OPERATOR: 'operator' } : {}),
    [`${prefix}_ISSUER`]: issuer,
    [`${prefix}_AUDIENCE`]: audience,
    [`${prefix}_JWKS_URL`]: jwksUrl,
  }
}

export type Defaults = {
  databaseUrl: string
  serverSecret: string
  devPort: number
  chain: { rpcUrl: string; tokenAddress: string }
  /** Omitted where no push messages are sent. */
  vapidPrivateKey?: string
  /** Where the consumer application is served; undefined if it is not. */
  appOrigin?: string | undefined
}

/** The application's origin if no other server is put in front of it. */
const DEFAULT_APP_ORIGIN = 'http://127.0.0.1:4100'

export function withDefaults(
  env: Environment,
  { databaseUrl, serverSecret, devPort, chain, vapidPrivateKey, appOrigin }: Defaults,
): Environment {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value))
  return {
    DATABASE_URL: databaseUrl,
    SERVER_SECRET: serverSecret,
    LOG_LEVEL: 'warn',
    STREAMS_PER_ACCOUNT: '10',
    // Where `npm start` serves the consumer application.
    CONSUMER_APP_ORIGIN: appOrigin ?? DEFAULT_APP_ORIGIN,
    // New members may get automatic payments at once, instead of after a week.
    AUTOMATIC_AFTER_DAYS: '0',
    WEBHOOK_LOOPBACK: 'true',
    ...(env.RPC_URLS || env.TOKEN_ADDRESS ? {} : chainDefaults(chain)),
    ...pushDefaults(env, vapidPrivateKey),
    ...realmDefaults(env, 'consumer', devPort),
    ...realmDefaults(env, 'admin', devPort),
    ...set,
  }
}

/** A partly configured chain gets no defaults. */
const chainDefaults = ({ rpcUrl, tokenAddress }: Defaults['chain']): Environment => ({
  RPC_URLS: rpcUrl,
  TOKEN_ADDRESS: tokenAddress,
  CONFIRMATIONS: '1',
  FOLLOW_EVERY_MS: '100',
})

/** Partly configured VAPID keys get no defaults. */
function pushDefaults(env: Environment, privateKey: string | undefined): Environment {
  const isOurs = !env.VAPID_PUBLIC_KEY && !env.VAPID_PRIVATE_KEY && !env.VAPID_SUBJECT
  if (!isOurs || privateKey === undefined) return { PUSH_LOOPBACK: 'true' }
  return {
    PUSH_LOOPBACK: 'true',
    VAPID_PUBLIC_KEY: vapidPublicKey(privateKey),
    VAPID_PRIVATE_KEY: privateKey,
    VAPID_SUBJECT: 'mailto:push@countersign.localhost',
  }
}

/** For reading the configuration without starting or contacting anything. */
export const NO_CHAIN = { rpcUrl: 'http://127.0.0.1:1', tokenAddress: ZERO_ADDRESS }

export const keepServerSecret = (folder: string): Promise<string> =>
  loadOrCreateSecret({
    folder,
    name: 'server-secret',
    make: () => randomBytes(48).toString('base64url'),
  })

/** Kept, because sessions of the web applications are sealed with it. */
export const keepWebSecret = (folder: string): Promise<string> =>
  loadOrCreateSecret({
    folder,
    name: 'web-secret',
    make: () => randomBytes(48).toString('base64url'),
  })

/** Kept, because a new key pair would invalidate every browser subscription. */
export const keepVapidPrivateKey = (folder: string): Promise<string> =>
  loadOrCreateSecret({ folder, name: 'vapid-private-key', make: makeVapidPrivateKey })
