/**
 * From the start of the process to its being ready, over a database that is migrated already: the
 * API and the worker as a deployment starts them, bundled, and a bare Fastify + pg server.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { handOver } from './figures.ts'
import { type Ground, prepareGround, startBare } from './service-stage.ts'
import { inTurns, rounded } from './turns.ts'

const ROUNDS = Number(process.env.START_ROUNDS ?? 7)
const API_MS_MAX = 800
const ROOT = join(import.meta.dirname, '..')

const runNode = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', './require-node.mjs', ...args], { cwd: ROOT })

/** As the Dockerfile does. A process that is killed, like those measured here, writes no cache. */
async function buildService(): Promise<void> {
  await runNode('tools/service/build.ts')
  const each = "for (const name of ['main', 'worker'])"
  await runNode('-e', `${each} await import('./dist/src/' + name + '.mjs')`)
}

/** Its own log says when. */
async function untilSaid({ env }: Ground, file: string, said: string): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', './require-node.mjs', file], {
    cwd: ROOT,
    env: { ...process.env, ...env, METRICS_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes(`"msg":"${said}"`)) return performance.now() - began
    }
    throw new Error(`${file} ended before it was ready`)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

async function untilBareListens({ url }: Ground): Promise<number> {
  const began = performance.now()
  const bare = await startBare({ url, poolSize: 1, routes: {} })
  const took = performance.now() - began
  await bare.stop()
  return took
}

const ground = await prepareGround()
await buildService()
try {
  const { values, ratios } = await inTurns(
    {
      api: () => untilSaid(ground, 'dist/src/main.mjs', 'api listening'),
      worker: () => untilSaid(ground, 'dist/src/worker.mjs', 'worker running'),
      bare: () => untilBareListens(ground),
    },
    ROUNDS,
  )
  const ms = (value: number) => rounded(value, 0)
  await handOver([
    {
      what: 'API, until it listens',
      value: ms(values.api),
      unit: 'ms',
      target: { atMost: API_MS_MAX },
      more: { 'bare Fastify + pg, ms': ms(values.bare), ratio: ratios.bare },
    },
    { what: 'worker, until it runs', value: ms(values.worker), unit: 'ms' },
  ])
} finally {
  await ground.stop()
}
