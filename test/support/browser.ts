/**
 * Finds a Chromium for tests: `BROWSER_PATH`, one that is installed, or one fetched earlier. On
 * Debian, where none is, its packages are fetched without root into `node_modules/.cache`. Anywhere
 * else the test fails with one line.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const run = promisify(execFile)

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const FETCHED = join(CACHE, 'browser')

const NAMES = [
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  ...['chrome', 'microsoft-edge', 'chromium-headless-shell'],
]
const MAC_APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]

type FoundBrowser = { path: string; libraries: string[] }

const environmentOf = ({ libraries }: FoundBrowser): NodeJS.ProcessEnv =>
  libraries.length === 0
    ? process.env
    : { ...process.env, LD_LIBRARY_PATH: libraries.join(delimiter) }

/** A file on the path may be a stub that only says how to install a browser. */
async function works(found: FoundBrowser): Promise<boolean> {
  if (!existsSync(found.path)) return false
  const started = run(found.path, ['--version'], { env: environmentOf(found), timeout: 30_000 })
  return started.then(
    ({ stdout }) => /\d+\.\d+\.\d+/.test(stdout),
    () => false,
  )
}

async function firstThatWorks(found: readonly FoundBrowser[]): Promise<FoundBrowser | undefined> {
  for (const one of found) if (await works(one)) return one
  return undefined
}

function installed(): FoundBrowser[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...onPath, ...MAC_APPLICATIONS].map((path) => ({ path, libraries: [] }))
}

/** Debian names library folders by the machine: aarch64-linux-gnu, x86_64-linux-gnu. */
async function fetchedBrowser(folder = FETCHED): Promise<FoundBrowser | undefined> {
  const inside = join(folder, 'usr', 'lib')
  if (!existsSync(inside)) return undefined
  const triplets = (await readdir(inside)).filter((name) => name.endsWith('-linux-gnu'))
  const libraries = triplets.flatMap((name) => [join(inside, name), join(folder, 'lib', name)])
  const path = join(inside, 'chromium', 'chromium-headless-shell')
  return firstThatWorks([{ path, libraries }])
}

/** Belongs to the machine: a second C library beside the machine's own would not start. */
const LIBC = /^(?:libc6|libc-bin|gcc-\d+-base)_/

/** Downloads the package and everything that it depends on, into folders of our own. */
async function fetchFromDebian(): Promise<FoundBrowser | undefined> {
  await mkdir(CACHE, { recursive: true })
  const work = await mkdtemp(`${FETCHED}-`)
  try {
    const archives = join(work, 'cache', 'archives')
    await mkdir(join(archives, 'partial'), { recursive: true })
    await mkdir(join(work, 'state', 'lists', 'partial'), { recursive: true })
    // An empty status: nothing counts as installed, so that nothing is left out.
    await writeFile(join(work, 'status'), '')
    const options = [
      ...['-o', `Dir::State=${join(work, 'state')}`, '-o', `Dir::Cache=${join(work, 'cache')}`],
      ...['-o', `Dir::State::status=${join(work, 'status')}`, '-o', 'Debug::NoLocking=1'],
      ...['-o', 'APT::Sandbox::User=', '-qq', '-y', '--no-install-recommends'],
    ]
    await run('apt-get', [...options, 'update'], { timeout: 300_000 })
    const wanted = ['install', '--download-only', 'chromium-headless-shell']
    await run('apt-get', [...options, ...wanted], { timeout: 600_000 })
    const root = join(work, 'root')
    const packages = (await readdir(archives)).filter((name) => name.endsWith('.deb'))
    for (const name of packages.filter((one) => !LIBC.test(one))) {
      await run('dpkg-deb', ['-x', join(archives, name), root])
    }
    await rename(root, FETCHED).catch(() => undefined)
    return await fetchedBrowser()
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const MISSING = 'No browser: install Chromium or Chrome, or set BROWSER_PATH.'

let finding: Promise<FoundBrowser> | undefined

function findBrowser(): Promise<FoundBrowser> {
  finding ??= find()
  return finding
}

async function find(): Promise<FoundBrowser> {
  const given = process.env.BROWSER_PATH
  if (given !== undefined) {
    const found = await firstThatWorks([{ path: given, libraries: [] }])
    if (found) return found
    throw new Error(`BROWSER_PATH is ${given}, which does not start.`)
  }
  const there = (await firstThatWorks(installed())) ?? (await fetchedBrowser())
  if (there) return there
  const fetched = await fetchFromDebian().catch((error: Error & { stderr?: string }) => {
    const why = error.stderr?.trim().split('\n').at(-1) || error.message.split('\n')[0]
    throw new Error(`${MISSING} (Fetching one failed: ${why})`)
  })
  if (fetched) return fetched
  throw new Error(MISSING)
}

export async function launchBrowser(): Promise<Browser> {
  const found = await findBrowser()
  return chromium.launch({
    executablePath: found.path,
    args: ['--disable-gpu'],
    env: environmentOf(found) as Record<string, string>,
  })
}
