/**
 * Builds the web applications when their sources have changed since the last build. The stamp is a
 * hash over all of them, so that a start with nothing changed costs a few milliseconds.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readEnvironment } from '#platform/config/config.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = join(ROOT, 'node_modules', '.cache', 'web')
const PACKAGES = ['app-kit', 'ui', 'client', 'proof'].map((name) => `packages/${name}`)
const SOURCES = ['apps', ...PACKAGES, 'tools/web']
const APPLICATIONS = ['consumer', 'admin']
const SKIPPED = /(?:^|\/)(?:dist|node_modules|\.cache)(?:\/|$)/
const FILES_AT_ONCE = 32

async function filesOf(folder: string): Promise<string[]> {
  if (!existsSync(join(ROOT, folder))) return []
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !SKIPPED.test(path))
}

async function stampOf(): Promise<string> {
  const lists = await Promise.all(SOURCES.map(filesOf))
  const paths = [...lists.flat(), 'package-lock.json', 'lingui.config.ts'].sort()
  const hash = createHash('sha256')
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    const some = paths.slice(at, at + FILES_AT_ONCE)
    const contents = await Promise.all(some.map((path) => readFile(join(ROOT, path))))
    for (const [n, content] of contents.entries()) {
      hash.update(`${some[n]}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex')
}

async function hasBuild(): Promise<boolean> {
  const { scripts = {} } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  return 'build:web' in scripts
}

/** Variables of the service, secrets among them, are no business of a build. */
const buildEnvironment = (): Record<string, string> => {
  const { PATH, HOME, TMPDIR } = readEnvironment()
  const kept = Object.entries({ PATH, HOME, TMPDIR, npm_config_update_notifier: 'false' })
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => Boolean(entry[1])))
}

function runBuild(): Promise<{ isBuilt: boolean; output: string }> {
  return new Promise((resolve) => {
    let output = ''
    const build = spawn('npm', ['run', '-s', 'build:web'], {
      cwd: ROOT,
      env: buildEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    build.stdout.on('data', collect)
    build.stderr.on('data', collect)
    build.once('error', (error) => resolve({ isBuilt: false, output: String(error) }))
    build.once('close', (code) => resolve({ isBuilt: code === 0, output }))
  })
}

/** Returns what went wrong, in a few words; undefined if the pages are up to date. */
export async function buildPages(): Promise<string | undefined> {
  if (!(await hasBuild())) return 'not built: there is no script build:web'
  const stampFile = join(CACHE, 'stamp')
  const stamp = await stampOf()
  const isCurrent = (await readFile(stampFile, 'utf8').catch(() => '')) === stamp
  const isThere = APPLICATIONS.every((name) =>
    existsSync(join(ROOT, 'apps', name, 'dist', 'index.html')),
  )
  if (isCurrent && isThere) return
  await mkdir(CACHE, { recursive: true })
  const { isBuilt, output } = await runBuild()
  const logFile = join(CACHE, 'build.log')
  await writeFile(logFile, output)
  if (!isBuilt) return `not built: see ${relative(ROOT, logFile)}`
  await writeFile(stampFile, stamp)
  return undefined
}
