/** The variables that `npm run api` and `npm run worker` need. */
import type { Environment } from '#test/processes/processes.ts'
import { WIDE_LIMITS } from '#test/support/app.ts'
import { overTcp } from '#test/support/database.ts'

const realm = (name: 'CONSUMER' | 'ADMIN') => ({
  [`${name}_ISSUER`]: `https://identity.example/${name}`,
  [`${name}_AUDIENCE`]: `audience-${name}`,
  [`${name}_JWKS_URL`]: 'https://identity.example/jwks.json',
})

/** A complete production configuration of an API process; its hosts do not answer. */
export const production = (databaseUrl: string): Environment => ({
  NODE_ENV: 'production',
  PORT: '0',
  DRAIN_MS: '0',
  DATABASE_URL: overTcp(databaseUrl).href,
  SERVER_SECRET: 'rLq8ZV5n0cXw3J+Tk1uYb7/HsGd2Me9PfAi4oRxUzKE=',
  CHAIN_ID: '8453',
  RPC_URLS: 'http://127.0.0.1:1/key-that-must-not-be-shown',
  TOKEN_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  CONFIRMATIONS: '12',
  ...realm('CONSUMER'),
  ...realm('ADMIN'),
})

/** The same for workers, and for the commands that use keys. */
export const productionWorker = (databaseUrl: string): Environment => ({
  ...production(databaseUrl),
  KEYSTORE_SECRET: 'nV7q2Lw9+Xc4Rt6Yb1Zk8Pm3Hd5Gf0/JsAe2UoIxTyQ=',
  WORKER_SECRET: 'Bq5Wz8Ks1/Tn4Vd7Lp0Xm3Rc6Yh9+GfJa2EuQiOyZrM=',
})

/** The variables of workers that pay on the test's chain. */
export const onTestChain = (
  databaseUrl: string,
  { rpcUrl, tokenAddress }: { rpcUrl: string; tokenAddress: string },
): Environment => ({
  ...production(databaseUrl),
  NODE_ENV: 'test',
  CHAIN_ID: '31337',
  CONFIRMATIONS: '1',
  METRICS_PORT: '0',
  LOG_LEVEL: 'info',
  RPC_URLS: rpcUrl,
  TOKEN_ADDRESS: tokenAddress,
  FOLLOW_EVERY_MS: '100',
  ...WIDE_LIMITS,
})

export function withLogin(url: string, { user, password }: { user?: string; password: string }) {
  const changed = new URL(url)
  if (user !== undefined) changed.username = user
  changed.password = password
  return changed.href
}
