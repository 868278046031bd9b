import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { start as startAll } from '#dev/start.ts'
import { start as startApi } from '#main.ts'
import { WORKER_VARIABLES } from '#platform/config/process.ts'
import type { Service } from '#platform/service.ts'
import { type CommandOutcome, failureOf } from '#platform/terminal.ts'
import { production, productionWorker, withLogin } from '#test/processes/environment.ts'
import {
  cleanUp,
  type Environment,
  freePort,
  isFree,
  makeFolder,
  processesOf,
  type Running,
  runScript,
  takenPort,
} from '#test/processes/processes.ts'
import { ask } from '#test/processes/service.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { start as startWorker } from '#worker.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await cleanUp()
  await database.drop()
})

const START = 'src/dev/start.ts'
const API = 'src/main.ts'
const WORKER = 'src/worker.ts'

/** Expects one clear line, code 1, and no remaining process that uses the folder. */
async function expectLine(outcome: CommandOutcome, line: RegExp | string, folder?: string) {
  expect([outcome.code, outcome.stdout]).toEqual([1, ''])
  expect(outcome.stderr).toMatch(/^[^\n]+\n$/)
  expect(outcome.stderr).toMatch(line)
  expect(outcome.stderr).not.toMatch(/\bat .*:\d+:\d+|Error:/)
  if (folder === undefined) return
  await vi.waitFor(async () => expect(await processesOf(folder)).toEqual([]), 30_000)
}

/** Of a real process; the others are refused by the same function in the test's own. */
async function expectRefused(running: Running, line: RegExp | string, folder?: string) {
  const { code, signal } = await running.ended
  expect(signal).toBeNull()
  const outcome = { code: code ?? 0, stdout: running.stdout(), stderr: running.stderr() }
  await expectLine(outcome, line, folder)
}

/** How the process would end that starts like this. */
async function refusalOf(starting: Promise<Service>): Promise<CommandOutcome> {
  const service = await starting.catch(failureOf)
  if ('code' in service) return service
  await service.stop()
  throw new Error('It was not refused')
}

const anyPorts = {
  PORT: '0',
  DEV_PORT: '0',
  DEV_CHAIN_PORT: '0',
  WEB_PORT: 'off',
  ADMIN_WEB_PORT: 'off',
}

async function expectStartRefused(env: Environment, line: RegExp | string) {
  const folder = await makeFolder()
  const starting = startAll({ ...anyPorts, DATA_DIR: folder, ...env }, [])
  await expectLine(await refusalOf(starting), line, folder)
}

describe.concurrent('npm start refuses in one line', () => {
  test('a PORT that is taken, before anything is started', async () => {
    const PORT = await takenPort()
    const folder = await makeFolder()
    const env = { ...anyPorts, DATA_DIR: folder, PORT, LOG_LEVEL: 'info' }
    await expectRefused(runScript(START, env), `PORT ${PORT} is in use`, folder)
  })

  test('a DEV_PORT that is taken', async () => {
    const DEV_PORT = await takenPort()
    await expectStartRefused({ DEV_PORT }, `DEV_PORT ${DEV_PORT} is in use`)
  })

  test('a DEV_CHAIN_PORT that is taken', async () => {
    const DEV_CHAIN_PORT = await takenPort()
    await expectStartRefused({ DEV_CHAIN_PORT }, `DEV_CHAIN_PORT ${DEV_CHAIN_PORT} is in use`)
  })

  test('a WEB_PORT that is taken', async () => {
    const WEB_PORT = await takenPort()
    await expectStartRefused({ WEB_PORT }, `WEB_PORT ${WEB_PORT} is in use`)
  })

  test('a METRICS_PORT that is taken', async () => {
    const METRICS_PORT = await takenPort()
    const env = { METRICS_PORT, DATABASE_URL: database.url }
    await expectStartRefused(env, `METRICS_PORT ${METRICS_PORT} is in use`)
  })

  test('a data folder that is a file, or below one', async () => {
    const file = join(await makeFolder(), 'file')
    await writeFile(file, 'kept')
    await expectStartRefused({ DATA_DIR: file }, `Cannot create the data folder ${file}`)
    const below = join(file, 'below')
    await expectStartRefused({ DATA_DIR: below }, `Cannot create the data folder ${below}`)
  })

  // What each variable may be is tested beside platform/config.
  test('PORT=abc', async () => {
    await expectStartRefused({ PORT: 'abc' }, /^PORT must be .*, not "abc"/)
  })

  test('a partially configured realm', async () => {
    await expectStartRefused({ ADMIN_ISSUER: 'https://identity.example' }, /ADMIN_AUDIENCE/)
  })

  test('NODE_ENV=production', async () => {
    await expectStartRefused({ NODE_ENV: 'production' }, /npm start .*NODE_ENV=production/)
  })

  test('an unreachable database, without its password', async () => {
    const port = await freePort()
    const DATABASE_URL = `postgres://somebody:hunter2hunter2@127.0.0.1:${port}/somewhere`
    const folder = await makeFolder()
    const starting = startAll({ ...anyPorts, DATA_DIR: folder, DATABASE_URL }, [])
    const refused = await refusalOf(starting)
    await expectLine(refused, `127.0.0.1:${port}/somewhere cannot be used: `, folder)
    expect(refused.stderr).not.toContain('hunter2')
  })

  test('an invalid DATABASE_URL', async () => {
    await expectStartRefused({ DATABASE_URL: 'nonsense' }, /^DATABASE_URL must be a postgres:/)
  })
})

describe.concurrent('npm run api and npm run worker refuse in one line', () => {
  const missing = [
    ...['DATABASE_URL', 'SERVER_SECRET', 'CONSUMER_ISSUER', 'CONSUMER_AUDIENCE'],
    ...['CONSUMER_JWKS_URL', 'ADMIN_ISSUER', 'ADMIN_AUDIENCE', 'ADMIN_JWKS_URL'],
    ...['RPC_URLS', 'TOKEN_ADDRESS'],
  ]

  test.each([
    ['api', API, {}, missing],
    [
      'worker in production',
      WORKER,
      { NODE_ENV: 'production' },
      [...missing, 'CHAIN_ID', 'CONFIRMATIONS', 'KEYSTORE_SECRET', 'WORKER_SECRET'],
    ],
  ])(
    '%s without configuration: every missing variable is named',
    async (_name, script, env, names) => {
      await expectRefused(runScript(script, env), `Set ${names.join(', ')}: `)
    },
  )

  test('a wrong password, which is not repeated', async () => {
    for (const script of [API, 'src/platform/database/migrate.ts']) {
      const DATABASE_URL = withLogin(database.url, { password: 'hunter2hunter2' })
      const refused = runScript(script, { ...production(database.url), DATABASE_URL })
      await expectRefused(refused, /cannot be used: password authentication failed/)
      expect(refused.stderr()).not.toContain('hunter2')
    }
  })

  test('a port that is taken', async () => {
    const PORT = await takenPort()
    await expectRefused(
      runScript(API, { ...production(database.url), LOG_LEVEL: 'silent', PORT }),
      `PORT ${PORT} is in use`,
    )
    const env = { ...productionWorker(database.url), LOG_LEVEL: 'silent', METRICS_PORT: PORT }
    await expectRefused(runScript(WORKER, env), `METRICS_PORT ${PORT}`)
  })

  test('a short SERVER_SECRET, which is not repeated', async () => {
    const env = { ...production(database.url), SERVER_SECRET: 'hunter2hunter2' }
    const refused = await refusalOf(startApi(env))
    await expectLine(refused, /^SERVER_SECRET must have 32 bytes or more/)
    expect(refused.stderr).not.toContain('hunter2')
  })

  test('an easily guessed SERVER_SECRET', async () => {
    const SERVER_SECRET = 'change-me-change-me-change-me-change-me'
    const refused = await refusalOf(
      startWorker({ ...productionWorker(database.url), SERVER_SECRET }),
    )
    await expectLine(refused, /^SERVER_SECRET is too easy to guess: .*openssl rand/)
    expect(refused.stderr).not.toContain(SERVER_SECRET)
  })

  test('a remote node over plain http, without its key', async () => {
    const RPC_URLS = 'https://one.example,http://two.example/hunter2'
    const refused = await refusalOf(startWorker({ ...productionWorker(database.url), RPC_URLS }))
    await expectLine(refused, /^RPC_URLS must be https:\/\/ in production/)
    expect(refused.stderr).not.toContain('hunter2')
  })

  test("an API process in production that has workers' secrets", async () => {
    const value = 'hunter2hunter2hunter2hunter2hunter2'
    const held = Object.fromEntries(
      WORKER_VARIABLES.map((name, n) => [name, `${value}${n}`] as const),
    )
    const refused = await refusalOf(startApi({ ...production(database.url), ...held }))
    await expectLine(refused, `API processes must not have ${WORKER_VARIABLES.join(', ')}: `)
    expect(refused.stderr).not.toContain('hunter2')
  })
})

describe('npm run api in production with everything set', () => {
  test('serves the contract, and no development part', async () => {
    const [DEV_PORT, DEV_CHAIN_PORT] = [await freePort(), await freePort()]
    const api = runScript(API, {
      ...production(database.url),
      DEV_PORT: String(DEV_PORT),
      DEV_CHAIN_PORT: String(DEV_CHAIN_PORT),
    })
    const [, url = ''] = await api.says(/"url":"([^"]+)","msg":"api listening"/)
    expect(api.stderr()).toMatch(/"level":"warn".*CONFIRMATIONS is 12; on Base use 100 or more/)
    expect((await ask('GET', `${url}/health/ready`)).status).toBe(200)
    expect((await ask('GET', `${url}/openapi.json`)).body.info.version).toBe('0.0.1')
    for (const path of ['/docs/', '/docs', '/docs/js/scalar.js', '/token', '/faucet']) {
      const answer = await ask('GET', `${url}${path}`)
      expect(answer.status).toBe(404)
      expect(answer.body.error.code).toBe('not_found')
    }
    expect(await isFree(DEV_PORT)).toBe(true)
    expect(await isFree(DEV_CHAIN_PORT)).toBe(true)
    api.kill('SIGTERM')
    expect(await api.ended).toEqual({ code: 0, signal: null })
    const { password } = new URL(database.url)
    for (const secret of [password, production(database.url).SERVER_SECRET]) {
      expect(api.stdout() + api.stderr()).not.toContain(secret)
    }
  })

  test('shows the reference when asked to', async () => {
    const PORT = String(await freePort())
    const env = { ...production(database.url), API_DOCS: 'true', LOG_LEVEL: 'silent', PORT }
    const api = await startApi(env)
    expect((await ask('GET', `http://127.0.0.1:${PORT}/docs/`)).status).toBe(200)
    await api.stop()
  })
})
