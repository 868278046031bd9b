/** What processes say when they start with a real standby, or with a primary that has one. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { production, productionWorker } from '#test/processes/environment.ts'
import { cleanUp, type Environment, runScript } from '#test/processes/processes.ts'
import { type StandbyPair, startStandbyPair } from './standby-pair.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let pair: StandbyPair
beforeAll(async () => {
  pair = await startStandbyPair()
})
afterAll(cleanUp)

describe('with the URL of a standby', () => {
  const line = () =>
    `The database at 127.0.0.1:${pair.standby.port} is a standby and cannot be written to. ` +
    'Point DATABASE_URL, and DATABASE_DIRECT_URL if it is set, to the primary.'

  test.each([
    ['an API process', 'src/main.ts', production],
    ['a worker', 'src/worker.ts', productionWorker],
    ['npm run migrate', 'src/platform/database/migrate.ts', production],
  ] as const)('%s exits with one line', async (_what, script, environment) => {
    const running = runScript(script, environment(pair.standby.ownerUrl))
    expect(await running.ended).toEqual({ code: 1, signal: null })
    expect(running.stdout()).toBe('')
    expect(running.stderr()).toBe(`${line()}\n`)
  })
})

const WARNING = 'The database has standbys, but commits do not wait for one'
const NEW_HISTORY = 'The database has a new history'

/** What a process has warned of until it is ready. */
async function warningsOf(script: string, env: Environment): Promise<string[]> {
  const running = runScript(script, { ...env, LOG_LEVEL: 'info', METRICS_PORT: '0' })
  await running.says(/"msg":"(?:api listening|worker running)"/)
  running.kill('SIGTERM')
  await running.ended
  const lines = running.stderr().trim().split('\n')
  const messages = lines.map((text) => (JSON.parse(text) as { msg: string }).msg)
  return messages.filter((text) => text.startsWith(WARNING) || text.startsWith(NEW_HISTORY))
}

const startApi = (url: string) => warningsOf('src/main.ts', production(url))
const startWorker = (url: string) => warningsOf('src/worker.ts', productionWorker(url))

describe('with the URL of a primary that has a standby', () => {
  test.each([
    ['an API process', startApi],
    ['a worker', startWorker],
  ])('%s warns until commits wait for the standby', async (_what, start) => {
    const { primary } = pair
    expect(await start(primary.ownerUrl)).toEqual([
      `${WARNING}: a failover can lose acknowledged changes. ` +
        'Set synchronous_standby_names (in Patroni: synchronous_mode).',
    ])
    await pair.makeSynchronous()
    expect(await start(primary.ownerUrl)).toEqual([])
    await pair.makeAsynchronous()
  })
})

test('the first process that starts with a promoted standby logs the new history', async () => {
  const { primary, standby } = pair
  await startApi(primary.ownerUrl)
  await pair.untilReplayed()
  await primary.crash()
  await pair.promote()
  expect(await startApi(standby.ownerUrl)).toEqual([expect.stringContaining(NEW_HISTORY)])
  expect(await startApi(standby.ownerUrl)).toEqual([])
})
