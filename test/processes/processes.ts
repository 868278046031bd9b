/** Real processes of the service, started as the npm scripts do and cleaned up afterwards. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { inject } from 'vitest'
import { stopOrphan } from '#dev/postgres-cluster.ts'

export const ROOT = join(import.meta.dirname, '..', '..')
const PATIENCE_MS = 120_000
/** Dozens of processes load the same code: with a compile cache each costs a third less. */
const NODE_COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'countersign-tests')

export type Environment = Record<string, string>
export type Ended = { code: number | null; signal: NodeJS.Signals | null }

export type Running = {
  pid: number
  stdout(): string
  stderr(): string
  /** Resolves when it has ended and all its output is read. */
  ended: Promise<Ended>
  hasEnded(): boolean
  kill(signal: NodeJS.Signals): void
  /** Signals its whole process group, as a terminal does. */
  killGroup(signal: NodeJS.Signals): void
  /** Waits until the text appears in its output; fails when it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

const cleanups: (() => Promise<unknown>)[] = []

/** For `afterEach` or `afterAll`: ends every process and removes every folder, newest first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}

export const onCleanUp = (cleanup: () => Promise<unknown>): void => void cleanups.push(cleanup)

/** Beside the database that it may get a copy of, which is in memory where there is room. */
export async function makeFolder(): Promise<string> {
  const place = dirname(inject('preparedFolder'))
  const folder = await fs.realpath(await fs.mkdtemp(join(place, 'countersign-process-')))
  onCleanUp(async () => {
    await stopOrphan({ cluster: join(folder, 'postgres') })
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** What `npm run api` and the like execute, without npm and with fewer files to open. */
export const runScript = (script: string, env: Environment, args: string[] = []): Running => {
  const program = join(inject('joinedPrograms'), script.replace(/\.ts$/, '.mjs'))
  return run(process.execPath, ['--import', './require-node.mjs', program, ...args], env)
}

/** Through npm itself, which puts `node_modules/.bin` on the path. */
export async function runNpm(args: string[], env: Environment): Promise<Running> {
  // Its own home folder, so that no npm notices appear in the output.
  const HOME = await makeFolder()
  return run('npm', args, { HOME, npm_config_update_notifier: 'false', ...env })
}

export function run(file: string, args: string[], env: Environment): Running {
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => resolve({ code, signal }))
  })
  const pid = child.pid ?? 0
  onCleanUp(async () => {
    signalTo(-pid, 'SIGKILL')
    await ended
  })
  return {
    pid,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    ended,
    hasEnded: () => hasEnded(child),
    kill: (signal) => signalTo(pid, signal),
    killGroup: (signal) => signalTo(-pid, signal),
    says: (pattern) => waitForText(child, () => written.stdout + written.stderr, pattern),
  }
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null

/** Ignores a process that has ended; pids 0 and 1 would signal everything. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  if (Math.abs(pid) < 2) throw new Error(`No process id: ${pid}`)
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function waitForText(
  child: ChildProcessByStdio<null, Readable, Readable>,
  text: () => string,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
  const fail = () => reject(new Error(`It never said ${pattern}, but:\n${text()}`))
  const look = () => {
    const found = pattern.exec(text())
    if (found) resolve(found)
    else if (hasEnded(child) && child.stdout.readableEnded && child.stderr.readableEnded) fail()
  }
  const limit = setTimeout(fail, PATIENCE_MS)
  const streams = [child.stdout, child.stderr]
  for (const stream of streams) stream.on('data', look)
  child.on('close', look)
  look()
  return promise.finally(() => {
    clearTimeout(limit)
    for (const stream of streams) stream.off('data', look)
    child.off('close', look)
  })
}

/** All live processes that use the folder or have it in their environment, where visible. */
export async function processesOf(folder: string): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const found: string[] = []
  for (const pid of (await fs.readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = ofProcess(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    // Kernel threads and zombie processes have no command.
    if (command === '') continue
    const isOurs =
      command.includes(folder) ||
      ofProcess(() => readlinkSync(`/proc/${pid}/cwd`)).includes(folder) ||
      ofProcess(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(folder)
    if (isOurs) found.push(`${pid} ${command.replaceAll('\0', ' ')}`)
  }
  return found
}

/** Empty for a process that has ended meanwhile, or is somebody else's. */
function ofProcess(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Undefined when the port is taken. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(undefined))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server))
  })
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()))

export async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port)
  if (server) await close(server)
  return server !== undefined
}

/** Each worker of the tests has ports of its own: what is free now is not taken by another one. */
const PORTS_PER_WORKER = 2_000
const WORKERS_MAX = 10
const firstPort =
  12_000 + (Number(process.env.VITEST_POOL_ID ?? 1) % WORKERS_MAX) * PORTS_PER_WORKER
let nextPlace = Math.floor(Math.random() * PORTS_PER_WORKER)

/** Below the kernel's ephemeral port range, and not given out before. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = firstPort + (nextPlace % PORTS_PER_WORKER)
    nextPlace += 1
    if (await isFree(port)) return port
  }
  throw new Error('No port is free')
}

/** Ports in use until the test is over. */
export async function takenPort(): Promise<string> {
  const server = await listenOn(await freePort())
  if (!server) return takenPort()
  onCleanUp(() => close(server))
  const address = server.address()
  return String(typeof address === 'object' ? address?.port : '')
}
