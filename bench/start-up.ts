/**
 * From the start of the process to its being ready: the API and the worker as a deployment starts
 * them, bundled, over a database that is migrated already, and a bare Fastify + pg server; and
 * `npm start` with both applications, on a folder that it was started on before.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { handOver } from './figures.ts'
import { type Ground, prepareGround, startBare } from './service-stage.ts'
import { inTurns, rounded } from './turns.ts'

const ROUNDS = Number(process.env.START_ROUNDS ?? 7)
const API_MS_MAX = 800
const LATER_MS_MAX = 2_500
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const PORTS = ['PORT', 'DEV_PORT', 'DEV_CHAIN_PORT', 'WEB_PORT', 'ADMIN_WEB_PORT']

/** Until it greets: everything runs then, and both applications can be opened. */
async function untilStarted(folder: string): Promise<number> {
  const env: NodeJS.ProcessEnv = { ...process.env, DATA_DIR: folder }
  for (const name of PORTS) env[name] = String(await freePort())
  const began = performance.now()
  const child = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('Ctrl-C')) continue
      const took = performance.now() - began
      await answerBoth(env)
      return took
    }
    throw new Error('npm start ended before it was ready')
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function answerBoth({ WEB_PORT, ADMIN_WEB_PORT }: NodeJS.ProcessEnv): Promise<void> {
  for (const port of [WEB_PORT, ADMIN_WEB_PORT]) {
    const { status } = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { accept: 'text/html' },
    })
    if (status !== 200) throw new Error(`An application answered ${status}`)
  }
}

const folder = await mkdtemp(join(tmpdir(), 'countersign-start-'))
const ground = await prepareGround()
await buildService()
// Builds the pages, and makes the database and the chain.
await untilStarted(folder)
try {
  const { values, ratios } = await inTurns(
    {
      api: () => untilSaid(ground, 'dist/src/main.mjs', 'api listening'),
      worker: () => untilSaid(ground, 'dist/src/worker.mjs', 'worker running'),
      bare: () => untilBareListens(ground),
      later: () => untilStarted(folder),
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
    {
      what: '`npm start`, later, with both applications',
      value: ms(values.later),
      unit: 'ms',
      target: { atMost: LATER_MS_MAX },
    },
  ])
} finally {
  await ground.stop()
  await rm(folder, { recursive: true, force: true })
}
