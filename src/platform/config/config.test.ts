import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { type Config, type Environment, readConfig } from './config.ts'

const secret = 'a secret of the tests that is long enough'

const complete: Environment = {
  DATABASE_URL: 'postgres://someone:hunter2@db.example/countersign',
  SERVER_SECRET: secret,
  CONSUMER_ISSUER: 'https://id.example/consumer',
  CONSUMER_AUDIENCE: 'consumer-app',
  CONSUMER_JWKS_URL: 'https://id.example/consumer/jwks.json',
  ADMIN_ISSUER: 'https://id.example/admin',
  ADMIN_AUDIENCE: 'admin-app',
  ADMIN_JWKS_URL: 'https://id.example/admin/jwks.json',
  RPC_URLS: 'https://one.example/key, http://127.0.0.1:8545',
  TOKEN_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
}
const production: Environment = {
  ...complete,
  SERVER_SECRET: 'rLq8ZV5n0cXw3J+Tk1uYb7/HsGd2Me9PfAi4oRxUzKE=',
  NODE_ENV: 'production',
  CHAIN_ID: '8453',
  CONFIRMATIONS: '12',
}

/** The one line that is printed at the terminal. */
function problemOf(env: Environment): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/[\n\r]/)
    return message
  }
  return 'no problem'
}

type Variable = {
  name: string
  read: (config: Config) => unknown
  fallback: unknown
  good: [text: string, value: unknown][]
  bad: string[]
}

const notWholeNumbers = ['-1', '1.5', '1e3', '0x10', ' 80', '80 ', '+80', 'eighty', '８０', '80\n']

type Limits = readonly [min: number, max: number]

const integer = (
  name: string,
  fallback: number,
  [min, max]: Limits,
  read: Variable['read'],
): Variable => ({
  name,
  read,
  fallback,
  good: [min, max].map((value) => [String(value), value]),
  bad: [...notWholeNumbers, String(max + 1), '9'.repeat(30), ...(min > 0 ? ['0'] : [])],
})

const flag = (name: string, fallback: boolean, read: Variable['read']): Variable => ({
  name,
  read,
  fallback,
  good: [
    ['true', true],
    ['false', false],
  ],
  bad: ['1', '0', 'yes', 'TRUE', 'True', ' true', 'on'],
})

const word = (name: string, fallback: unknown, read: Variable['read']): Variable => ({
  name,
  read,
  fallback,
  good: [['another', 'another']],
  bad: [],
})

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const port: Limits = [0, 65_535]
const rate: Limits = [1, 1_000_000_000]
const chain: Limits = [1, Number.MAX_SAFE_INTEGER]

const optional: Variable[] = [
  word('ENVIRONMENT', 'development', (config) => config.environment),
  word('SERVICE_VERSION', '0.0.1', (config) => config.version),
  word('HOST', '127.0.0.1', (config) => config.host),
  word('METRICS_HOST', '127.0.0.1', (config) => config.metricsHost),
  word('FIRST_OPERATOR', undefined, (config) => config.firstOperator),
  integer('PORT', 4000, port, (config) => config.port),
  integer('METRICS_PORT', 0, port, (config) => config.metricsPort),
  integer('DATABASE_POOL_SIZE', 20, [2, 1000], (config) => config.databasePoolSize),
  integer('CHAIN_ID', 31_337, chain, (config) => config.chain.id),
  integer('CONFIRMATIONS', 1, [1, 200], (config) => config.chain.confirmations),
  integer('FOLLOW_EVERY_MS', 1_000, [10, 60_000], (config) => config.chain.followEveryMs),
  integer('RATE_LIMIT_PER_ACCOUNT', 600, rate, (config) => config.rateLimit.perAccount),
  integer('RATE_LIMIT_PER_ADDRESS', 60, rate, (config) => config.rateLimit.perAddress),
  integer('STREAMS_PER_ACCOUNT', 5, [1, 10_000], (config) => config.streams.perAccount),
  integer('DRAIN_MS', 0, [0, 10_000], (config) => config.drainMs),
  integer('TRUSTED_PROXIES', 0, [0, 16], (config) => config.trustedProxies),
  integer('WORKER_CONCURRENCY', 8, [1, 200], (config) => config.workerConcurrency),
  flag('API_DOCS', true, (config) => config.docs),
  {
    name: 'LOG_LEVEL',
    read: (config) => config.logLevel,
    fallback: 'info',
    good: levels.map((level) => [level, level]),
    bad: ['verbose', 'INFO', ' info', 'info,debug', '30', 'info\n'],
  },
]

describe.each(optional)('$name', ({ name, read, fallback, good }) => {
  test(`is ${JSON.stringify(fallback)} when it is unset or empty`, () => {
    expect(read(readConfig(complete))).toBe(fallback)
    expect(read(readConfig({ ...complete, [name]: '' }))).toBe(fallback)
  })

  test.each(good)('accepts %s', (text, value) => {
    expect(read(readConfig({ ...complete, [name]: text }))).toBe(value)
  })
})

describe.each(optional.filter(({ bad }) => bad.length > 0))('an invalid $name', ({ name, bad }) => {
  test.each(bad)('%j is refused in one line that starts with the name', (text) => {
    expect(problemOf({ ...complete, [name]: text })).toMatch(new RegExp(`^${name} must be `))
  })
})

const names = Object.keys(complete)

describe('variables without a default', () => {
  test('are read unchanged', () => {
    const config = readConfig(complete)
    expect(config.databaseUrl).toBe(complete.DATABASE_URL)
    expect(config.serverSecret).toBe(secret)
    expect(config.identity).toEqual({
      consumer: {
        issuer: complete.CONSUMER_ISSUER,
        audience: complete.CONSUMER_AUDIENCE,
        idAudiences: [complete.CONSUMER_AUDIENCE],
        jwksUrl: complete.CONSUMER_JWKS_URL,
      },
      admin: {
        issuer: complete.ADMIN_ISSUER,
        audience: complete.ADMIN_AUDIENCE,
        idAudiences: [complete.ADMIN_AUDIENCE],
        jwksUrl: complete.ADMIN_JWKS_URL,
      },
    })
    expect(config.chain).toMatchObject({
      rpcUrls: ['https://one.example/key', 'http://127.0.0.1:8545'],
      tokenAddress: complete.TOKEN_ADDRESS,
    })
  })

  test.each(names)('include %s, which is named when missing or empty', (name) => {
    for (const env of [complete, production]) {
      expect(problemOf({ ...env, [name]: undefined })).toMatch(new RegExp(`^Set ${name}: `))
      expect(problemOf({ ...env, [name]: '' })).toMatch(new RegExp(`^Set ${name}: `))
    }
  })

  test('are listed together, with a hint at npm start outside production', () => {
    expect(problemOf({})).toBe(
      `Set ${names.join(', ')}: see the configuration table in README.md. ` +
        '`npm start` sets them all up for development.',
    )
    expect(problemOf({ NODE_ENV: 'production' })).toBe(
      `Set ${names.join(', ')}, CHAIN_ID, CONFIRMATIONS: see the configuration table in README.md.`,
    )
  })

  test.each(['mysql://someone:hunter2@db.example/x', 'db.example', 'postgres', 'https://x'])(
    'DATABASE_URL %j is refused',
    (url) => {
      const problem = problemOf({ ...complete, DATABASE_URL: url })
      expect(problem).toBe('DATABASE_URL must be a postgres:// or postgresql:// URL.')
    },
  )

  test('DATABASE_URL may start with postgresql', () => {
    const url = 'postgresql://db.example/countersign'
    expect(readConfig({ ...complete, DATABASE_URL: url }).databaseUrl).toBe(url)
  })

  test.each(['ws://x.example', 'node.example', 'https://a.example,', ',', 'https://a b'])(
    'RPC_URLS %j is refused',
    (urls) => {
      expect(problemOf({ ...complete, RPC_URLS: urls })).toMatch(/^RPC_URLS must be one or more /)
    },
  )

  test.each(['0x', '833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', `0x${'g'.repeat(40)}`, 'usdc.eth'])(
    'TOKEN_ADDRESS %j is refused',
    (address) => {
      const problem = problemOf({ ...complete, TOKEN_ADDRESS: address })
      expect(problem).toBe('TOKEN_ADDRESS must be 0x and 40 hex digits.')
    },
  )

  test('TOKEN_ADDRESS with a wrong EIP-55 checksum is refused', () => {
    const wrong = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'
    const problem = problemOf({ ...complete, TOKEN_ADDRESS: wrong })
    expect(problem).toBe('TOKEN_ADDRESS has a wrong EIP-55 checksum.')
    const lower = problemOf({ ...complete, TOKEN_ADDRESS: wrong.toLowerCase() })
    expect(lower).toBe('no problem')
  })

  test('SERVER_SECRET has 32 bytes or more, counted as bytes', () => {
    const line = 'SERVER_SECRET must have 32 bytes or more: try `openssl rand -base64 48`.'
    expect(problemOf({ ...complete, SERVER_SECRET: 'x'.repeat(31) })).toBe(line)
    expect(problemOf({ ...complete, SERVER_SECRET: 'x'.repeat(32) })).toBe('no problem')
    expect(problemOf({ ...complete, SERVER_SECRET: 'ä'.repeat(16) })).toBe('no problem')
    expect(problemOf({ ...production, SERVER_SECRET: 'x'.repeat(31) })).toBe(line)
  })

  test.each(['CONSUMER_JWKS_URL', 'ADMIN_JWKS_URL'])('%s is an http or https URL', (name) => {
    for (const url of ['ftp://id.example/jwks', 'id.example/jwks', 'file:///etc/jwks', '/jwks']) {
      const problem = problemOf({ ...complete, [name]: url })
      expect(problem).toBe(`${name} must be a https:// or http:// URL.`)
    }
    expect(problemOf({ ...complete, [name]: 'http://127.0.0.1:4001/jwks.json' })).toBe('no problem')
  })
})

describe('production', () => {
  test('is NODE_ENV=production and nothing else', () => {
    expect(readConfig(production).production).toBe(true)
    expect(readConfig(production).environment).toBe('production')
    expect(readConfig(complete).production).toBe(false)
    expect(readConfig({ ...complete, NODE_ENV: 'staging' }).production).toBe(false)
  })

  test.each(['CONSUMER_JWKS_URL', 'ADMIN_JWKS_URL'])('accepts %s over https only', (name) => {
    const url = 'http://127.0.0.1:4001/jwks.json'
    expect(problemOf({ ...production, [name]: url })).toBe(`${name} must be a https:// URL.`)
  })

  test('has no default for the chain, because a wrong one would be paid on', () => {
    for (const name of ['CHAIN_ID', 'CONFIRMATIONS']) {
      const problem = problemOf({ ...production, [name]: undefined })
      expect(problem).toMatch(new RegExp(`^Set ${name}: `))
    }
    expect(readConfig(production).chain).toMatchObject({ id: 8453, confirmations: 12 })
  })

  test('has the reference page off by default', () => {
    expect(readConfig(production).docs).toBe(false)
    expect(readConfig({ ...production, API_DOCS: 'true' }).docs).toBe(true)
  })

  test('may have any environment name', () => {
    expect(readConfig({ ...production, ENVIRONMENT: 'eu-1' }).environment).toBe('eu-1')
  })
})

describe('an error message', () => {
  const canary = 'hunter2'
  const withSecrets: Environment = {
    ...complete,
    SERVER_SECRET: canary,
    DATABASE_URL: `mysql://someone:${canary}@db.example/x`,
    CONSUMER_JWKS_URL: `ftp://someone:${canary}@id.example/jwks`,
    ADMIN_JWKS_URL: `ftp://someone:${canary}@id.example/jwks`,
    RPC_URLS: `ws://node.example/${canary}`,
  }

  test.each(['SERVER_SECRET', 'DATABASE_URL', 'CONSUMER_JWKS_URL', 'ADMIN_JWKS_URL', 'RPC_URLS'])(
    'about %s never repeats its value',
    (name) => {
      const problem = problemOf({ ...complete, [name]: withSecrets[name] })
      expect(problem).toContain(name)
      expect(problem).not.toContain(canary)
    },
  )

  test('about another variable never repeats a secret', () => {
    for (const broken of [{ PORT: 'x' }, { ADMIN_ISSUER: '' }, { LOG_LEVEL: 'loud' }]) {
      const problem = problemOf({ ...withSecrets, ...broken })
      expect(problem).not.toBe('no problem')
      expect(problem).not.toContain(canary)
    }
  })
})
