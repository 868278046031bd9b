/**
 * Bundles the programs that tests start, as a deployment does, once for each state of the sources:
 * tests start hundreds of processes. Processes started through npm read the sources as they are.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleOnce, ROOT } from '#tools/service/bundle.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that has `src/main.mjs` for `src/main.ts`. */
    joinedPrograms: string
  }
}

const CACHE = join(ROOT, 'node_modules', '.cache')
const KEEP_MS = 24 * 3_600_000

const PROGRAMS = [
  'src/main.ts',
  'src/worker.ts',
  'src/dev/{start,demo}.ts',
  'src/platform/database/migrate.ts',
  'src/cli/{account,audit,decode,funding,keys,logins,openapi,operator,verify,wallet}.ts',
  'test/processes/fixtures/worker.ts',
]

async function removeOld(): Promise<void> {
  for await (const name of glob('joined-*', { cwd: CACHE })) {
    const folder = join(CACHE, name)
    const { mtimeMs } = await stat(folder)
    if (Date.now() - mtimeMs > KEEP_MS) await rm(folder, { recursive: true, force: true })
  }
}

/** Of everything that the bundles are made from, and of where, because they hold paths. */
async function stateOfSources(): Promise<string> {
  const sources = ['{src,packages/*/src}/**/*.ts', 'test/processes/fixtures/*.ts']
  const paths = await Array.fromAsync(glob(sources, { cwd: ROOT }))
  const state = createHash('sha256').update(`${ROOT}\n${PROGRAMS}\n`)
  for (const path of [...paths.sort(), 'package-lock.json', 'tools/service/bundle.ts']) {
    state.update(`${path}\n`).update(await readFile(join(ROOT, path)))
  }
  return state.digest('hex').slice(0, 16)
}

export async function setup(project: TestProject): Promise<void> {
  const folder = join(CACHE, `joined-${await stateOfSources()}`)
  if (!existsSync(folder)) {
    await removeOld()
    await bundleOnce(await Array.fromAsync(glob(PROGRAMS, { cwd: ROOT })), folder)
  }
  project.provide('joinedPrograms', folder)
}
