import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { deriveSecrets } from '#platform/secrets.ts'
import { type Environment, readConfig } from './config.ts'
import { type ProcessKind, WORKER_VARIABLES } from './process.ts'
import { makeVapidPrivateKey, vapidPublicKey } from './push.ts'

const pkcs8 = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ format: 'der', type: 'pkcs8' })
    .toString('base64')

const vapidKey = makeVapidPrivateKey()

/** The environment of both processes. */
const shared: Environment = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db.example/countersign',
  SERVER_SECRET: 'Xq3vT9bLz0KfYw7RnUe5HcJd2GsPa8MiOo1Bt6EyVkQ=',
  CONSUMER_ISSUER: 'https://id.example/consumer',
  CONSUMER_AUDIENCE: 'consumer-app',
  CONSUMER_JWKS_URL: 'https://id.example/consumer/jwks.json',
  ADMIN_ISSUER: 'https://id.example/admin',
  ADMIN_AUDIENCE: 'admin-app',
  ADMIN_JWKS_URL: 'https://id.example/admin/jwks.json',
  RPC_URLS: 'https://one.example',
  TOKEN_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  CHAIN_ID: '8453',
  CONFIRMATIONS: '12',
  EXECUTOR_PROVIDER: 'circle',
  ANALYST_URL: 'https://model.example',
  ANALYST_MODEL: 'a-model',
  VAPID_PUBLIC_KEY: vapidPublicKey(vapidKey) ?? '',
  VAPID_SUBJECT: 'mailto:push@example.com',
  EMAIL_FROM: 'Countersign <mail@example.com>',
  CONSUMER_APP_ORIGIN: 'https://app.example',
  PRIVY_APP_ID: 'app',
  PRIVY_OWNER_ID: 'quorum',
  PRIVY_FUNDING_SIGNER_ID: 'signer',
  PRIVY_FUNDING_EXPIRES_AT: '2027-01-31T00:00:00Z',
}

const secret: Record<(typeof WORKER_VARIABLES)[number], string> = {
  KEYSTORE_SECRET: 'nV7q2Lw9+Xc4Rt6Yb1Zk8Pm3Hd5Gf0/JsAe2UoIxTyQ=',
  KEYSTORE_SECRET_PREVIOUS: 'an old keystore secret of the tests, long',
  WORKER_SECRET: 'Bq5Wz8Ks1/Tn4Vd7Lp0Xm3Rc6Yh9+GfJa2EuQiOyZrM=',
  WORKER_SECRET_PREVIOUS: 'an old worker secret of the tests, long',
  PRIVY_APP_SECRET: 'hunter2',
  PRIVY_AUTHORIZATION_KEY: pkcs8(),
  PRIVY_FUNDING_SIGNER_KEY: pkcs8(),
  CIRCLE_API_KEY: 'LIVE_API_KEY:id:hunter2',
  CIRCLE_ENTITY_SECRET: 'ab'.repeat(32),
  ANALYST_API_KEY: 'hunter2',
  VAPID_PRIVATE_KEY: vapidKey,
  SMTP_URL: 'smtps://mailer:hunter2@mail.example',
}

function problemOf(env: Environment, process: ProcessKind): string {
  try {
    readConfig(env, { process })
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/hunter2|[\n\r]/)
    return message
  }
  return 'no problem'
}

describe('an API process', () => {
  test('knows every provider from its public settings', () => {
    const config = readConfig(shared, { process: 'api' })
    const { executor, wallets, analyst, push } = config
    expect(executor).toEqual({ provider: 'keyless', of: 'circle' })
    expect(wallets).toEqual({
      provider: 'keyless',
      of: 'privy',
      url: 'https://api.privy.io',
      appId: 'app',
      ownerId: 'quorum',
      funding: { signerId: 'signer', policyId: null, expiresAt: '2027-01-31T00:00:00.000Z' },
    })
    expect(analyst).toMatchObject({ model: 'a-model', apiKey: undefined })
    expect(push).toMatchObject({ publicKey: shared.VAPID_PUBLIC_KEY, vapid: undefined })
    expect(config.worker).toEqual({ secret: undefined, previousSecret: undefined })
    expect(deriveSecrets(config).keystoreKey).toBeUndefined()
  })

  test.each(WORKER_VARIABLES)('in production refuses to start with %s', (name) => {
    const problem = problemOf({ ...shared, [name]: secret[name] }, 'api')
    expect(problem).toBe(`API processes must not have ${name}: set this for workers only.`)
  })

  test('names every variable that it must not have', () => {
    expect(problemOf({ ...shared, ...secret }, 'api')).toContain(WORKER_VARIABLES.join(', '))
  })

  test('in development ignores them and derives no keystore key', () => {
    const env = { ...shared, ...secret, NODE_ENV: 'development' }
    const config = readConfig(env, { process: 'api' })
    expect(config).toMatchObject({ keystore: { secret: undefined }, push: { vapid: undefined } })
    expect(deriveSecrets(config).keystoreKey).toBeUndefined()
    expect(deriveSecrets(config).keystorePreviousKey).toBeUndefined()
  })
})

describe('a worker', () => {
  test('in production has all of them', () => {
    const config = readConfig({ ...shared, ...secret }, { process: 'worker' })
    expect(config).toMatchObject({
      keystore: { secret: secret.KEYSTORE_SECRET },
      worker: { secret: secret.WORKER_SECRET, previousSecret: secret.WORKER_SECRET_PREVIOUS },
      executor: { provider: 'circle', apiKey: secret.CIRCLE_API_KEY },
      wallets: { provider: 'privy', appSecret: 'hunter2' },
    })
    expect(deriveSecrets(config).keystoreKey).toBeDefined()
  })

  test.each(['KEYSTORE_SECRET', 'WORKER_SECRET'] as const)(
    'in production refuses to start without %s',
    (name) => {
      expect(problemOf({ ...shared, ...secret, [name]: '' }, 'worker')).toMatch(`Set ${name}: `)
    },
  )

  test.each([
    ['KEYSTORE_SECRET', 'SERVER_SECRET'],
    ['WORKER_SECRET', 'SERVER_SECRET'],
    ['WORKER_SECRET', 'KEYSTORE_SECRET'],
  ] as const)('refuses a %s equal to %s', (name, other) => {
    const all: Environment = { ...shared, ...secret }
    const problem = problemOf({ ...all, [name]: all[other] }, 'worker')
    expect(problem).toBe(`${name} must differ from ${other}.`)
  })
})

test.each([
  ['an API process', shared],
  ['a worker', { ...shared, ...secret }],
])('a command that needs no key starts with the environment of %s', (_name, env) => {
  const config = readConfig(env, { process: 'command' })
  expect(deriveSecrets(config).keystoreKey).toBeUndefined()
})
