/**
 * Finds a Chromium for tests: `BROWSER_PATH`, one that is installed, or one fetched earlier. On
 * Debian, where none is, its packages are fetched without root into `node_modules/.cache`. Anywhere
 * else the test fails with one line.
 */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { CACHE, fetchPackage, librariesIn, run } from '#test/support/debian.ts'

const FETCHED = join(CACHE, 'browser')

/** The headless shell comes first, because it needs a quarter less CPU time for the same tests. */
const NAMES = [
  ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  ...['google-chrome-stable', 'chrome', 'microsoft-edge'],
]
/** Where Debian's package installs it, which is not on the path. */
const DEBIAN_SHELL = '/usr/lib/chromium/chromium-headless-shell'
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
  return [DEBIAN_SHELL, ...onPath, ...MAC_APPLICATIONS].map((path) => ({ path, libraries: [] }))
}

async function fetchedBrowser(folder = FETCHED): Promise<FoundBrowser | undefined> {
  const libraries = await librariesIn(folder)
  const path = join(folder, 'usr', 'lib', 'chromium', 'chromium-headless-shell')
  return firstThatWorks([{ path, libraries }])
}

async function fetchFromDebian(): Promise<FoundBrowser | undefined> {
  await fetchPackage('chromium-headless-shell', FETCHED)
  return fetchedBrowser()
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
