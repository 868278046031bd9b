import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { type Environment, readConfig } from './config.ts'

const service: Environment = {
  DATABASE_URL: 'postgres://db.example/countersign',
  SERVER_SECRET: 'rLq8ZV5n0cXw3J+Tk1uYb7/HsGd2Me9PfAi4oRxUzKE=',
  CONSUMER_ISSUER: 'https://id.example/consumer',
  CONSUMER_AUDIENCE: 'consumer-app',
  CONSUMER_JWKS_URL: 'https://id.example/consumer/jwks.json',
  ADMIN_ISSUER: 'https://id.example/admin',
  ADMIN_AUDIENCE: 'admin-app',
  ADMIN_JWKS_URL: 'https://id.example/admin/jwks.json',
  RPC_URLS: 'https://one.example/key',
  TOKEN_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
}
const production: Environment = {
  NODE_ENV: 'production',
  CHAIN_ID: '8453',
  CONFIRMATIONS: '12',
}
const model: Environment = {
  ANALYST_URL: 'https://models.example/v1',
  ANALYST_MODEL: 'vendor/model-1:latest',
}

const analystOf = (env: Environment) => readConfig({ ...service, ...env }).analyst

/** The one line that is printed at the terminal. */
function problemOf(env: Environment): string {
  try {
    analystOf(env)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/[\n\r]/)
    return message
  }
  return 'no problem'
}

describe('the model analyst', () => {
  test('is off when nothing is set, or everything is empty', () => {
    expect(analystOf({})).toBeUndefined()
    expect(
      analystOf({
        ANALYST_URL: '',
        ANALYST_MODEL: '',
        ANALYST_API_KEY: '',
        ANALYST_TIMEOUT_MS: '',
      }),
    ).toBeUndefined()
  })

  test('needs a URL and a model, and has default limits', () => {
    expect(analystOf(model)).toEqual({
      url: 'https://models.example/v1',
      apiKey: undefined,
      model: 'vendor/model-1:latest',
      timeoutMs: 20_000,
      outputTokensMax: 800,
    })
  })

  test('accepts a key and other limits', () => {
    const more = { ANALYST_API_KEY: 'sk-1', ANALYST_TIMEOUT_MS: '100', ANALYST_TOKENS_MAX: '8000' }
    expect(analystOf({ ...model, ...more })).toMatchObject({
      apiKey: 'sk-1',
      timeoutMs: 100,
      outputTokensMax: 8_000,
    })
  })

  test.each([['ANALYST_URL'], ['ANALYST_MODEL'], ['ANALYST_API_KEY']])(
    'with %s alone is refused in one line',
    (name) => {
      expect(problemOf({ [name]: 'https://hunter2.example' })).toBe(
        'Set ANALYST_URL and ANALYST_MODEL, or none of the ANALYST variables.',
      )
    },
  )

  test.each([
    ['ANALYST_TIMEOUT_MS', ['99', '120001', '-1', '1.5', '20s', ' 500']],
    ['ANALYST_TOKENS_MAX', ['99', '8001', '0', '1e3', 'many']],
  ])('with an invalid %s is refused, even while it is off', (name, values) => {
    for (const value of values) {
      const line = new RegExp(`^${name} must be a whole number from 100 to `)
      expect(problemOf({ [name]: value })).toMatch(line)
      expect(problemOf({ ...model, [name]: value })).toMatch(line)
    }
  })
})

describe("the model's URL", () => {
  const elsewhere = [
    'http://models.example/v1',
    'http://10.0.0.8:11434/v1',
    'http://127.evil.example',
  ]
  const loopback = ['http://127.0.0.1:11434/v1', 'http://localhost:8000/v1', 'http://[::1]:8000/v1']

  test('must be https in production, or http on loopback', () => {
    for (const url of [...loopback, 'https://models.example/v1']) {
      expect(problemOf({ ...production, ...model, ANALYST_URL: url })).toBe('no problem')
    }
    for (const url of [...elsewhere, 'http://localhost.example/v1', 'http://0.0.0.0/v1']) {
      expect(problemOf({ ...production, ...model, ANALYST_URL: url })).toBe(
        'ANALYST_URL must be a https:// (on loopback http://) URL without user, query or fragment.',
      )
    }
  })

  test('in development may be http anywhere', () => {
    for (const url of [...loopback, ...elsewhere]) {
      expect(analystOf({ ...model, ANALYST_URL: url })?.url).toBe(url)
    }
  })

  test.each([
    'models.example/v1',
    'ftp://models.example/v1',
    'file:///etc/passwd',
    'https://someone:hunter2@models.example/v1',
    'https://hunter2@models.example/v1',
    'https://models.example/v1?key=hunter2',
    'https://models.example/v1#hunter2',
    'https://models.example/v1?',
  ])('%s is refused and not repeated', (url) => {
    const problem = problemOf({ ...model, ANALYST_URL: url })
    expect(problem).toMatch(/^ANALYST_URL must be a https:\/\/ or http:\/\/ URL without /)
    expect(problem).not.toContain('hunter2')
  })
})

describe('the key and the name of the model', () => {
  test.each(['hunter2\n', 'hunter2 and more', 'hünter2', 'hunter2\u0000', 'hunter2'.repeat(600)])(
    '%j is refused and not repeated, because no header could carry it',
    (value) => {
      for (const name of ['ANALYST_API_KEY', 'ANALYST_MODEL']) {
        const problem = problemOf({ ...model, [name]: value })
        expect(problem).toMatch(new RegExp(`^${name} must be 1 to [0-9]+ visible ASCII characters`))
        expect(problem).not.toContain('hunter2')
      }
    },
  )
})
