/**
 * Bundles the programs that tests start, with the modules they load, into a few files, once for
 * each state of the sources. Finding, opening and linking a thousand files is most of a process's
 * start-up, and tests start hundreds of processes. Processes started through npm read the sources
 * as they are.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that has `src/main.mjs` for `src/main.ts`. */
    joinedPrograms: string
  }
}

const ROOT = join(import.meta.dirname, '..', '..')
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

/** With what they import: packages that every start loads and that read no file beside them. */
const PACKAGES = [
  ...['@countersign', '@fastify', '@hpke', '@scure', 'ajv', 'canonicalize', 'content-disposition'],
  ...['fastify', 'jose', 'pg', 'pino', 'prom-client', 'sql-template-tag', 'typebox', 'viem'],
]
const JOINED = new RegExp(`^([.#/]|(${PACKAGES.join('|')})(/|$))`)

const isOwn = (path: string): boolean => !relative(ROOT, path).startsWith('node_modules')

const joinedName = (path: string): string => relative(ROOT, path).replace(/\.ts$/, '')

/** Own modules keep their places: they find migrations there, and know which program is running. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform(code, path) {
    if (!isOwn(path) || !code.includes('import.meta.')) return null
    const program = JSON.stringify(`/${joinedName(path)}.mjs`)
    return code
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.main', `process.argv[1].endsWith(${program})`)
  },
}

async function joinPrograms(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  // Moved into place atomically, because another run may be reading.
  const fresh = await mkdtemp(`${folder}-`)
  const programs = await Array.fromAsync(glob(PROGRAMS, { cwd: ROOT }))
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(programs.map((path) => [joinedName(join(ROOT, path)), path])),
    platform: 'node',
    external: (id, from) =>
      id.startsWith('node:') || (from !== undefined && isOwn(from) && !JOINED.test(id)),
    plugins: [keepPlaces],
    // Without tree shaking, so that tests see all of it.
    treeshake: false,
  })
  await bundle.write({
    dir: fresh,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()
  await rename(fresh, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true })
    // Another run has bundled the same meanwhile.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}

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
  const state = createHash('sha256').update(`${ROOT}\n`)
  for (const path of [...paths.sort(), 'package-lock.json', relative(ROOT, import.meta.filename)]) {
    state.update(`${path}\n`).update(await readFile(join(ROOT, path)))
  }
  return state.digest('hex').slice(0, 16)
}

export async function setup(project: TestProject): Promise<void> {
  const folder = join(CACHE, `joined-${await stateOfSources()}`)
  if (!existsSync(folder)) {
    await removeOld()
    await joinPrograms(folder)
  }
  project.provide('joinedPrograms', folder)
}
