/** The installed packages are those of the lock file, and none runs a script on installation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { cleanUp, ROOT, runNpm } from '#test/processes/processes.ts'
import { isProof, reportFigures } from '#test/support/figures.ts'
import { lockProblems } from '#test/tidy/packages.ts'

vi.setConfig({ testTimeout: 60_000 })
afterAll(cleanUp)

type Locked = { version?: string; integrity?: string; hasInstallScript?: boolean; link?: boolean }
type LockFile = { packages: Record<string, Locked> }

const json = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const lock: LockFile = json('package-lock.json')
const installed: LockFile = json('node_modules/.package-lock.json')
const { allowScripts } = json('package.json') as { allowScripts: Record<string, boolean> }

/** Without the root and our own workspaces. */
const named = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
)

/** Over all tests of this file, in the order of their steps. */
const supply: Record<string, number | string> = { packages: named.length }
afterAll(() => reportFigures({ supply }))

test('packages are installed as they are locked', () => {
  const differing = Object.entries(installed.packages).filter(([path, { version, integrity }]) => {
    const locked = lock.packages[path]
    return locked?.version !== version || locked?.integrity !== integrity
  })
  const unlocked = lockProblems(lock)
  Object.assign(supply, { differing: differing.length, unlocked: unlocked.length })
  expect(differing.map(([path]) => path)).toEqual([])
  expect(unlocked).toEqual([])
})

test('packages run no script when they are installed', () => {
  const withScript = named.filter(([, { hasInstallScript }]) => hasInstallScript)
  const allowed = withScript.filter(
    ([path]) => allowScripts[path.replace(/^.*node_modules\//, '')] !== false,
  )
  supply.scripts = allowed.length
  expect(withScript.length).toBeGreaterThan(0)
  expect(allowed.map(([path]) => path)).toEqual([])
})

test('packages are all in the bill of materials that npm makes of the lock file', async () => {
  const npm = await runNpm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {})
  expect(await npm.ended).toEqual({ code: 0, signal: null })
  const { components } = JSON.parse(npm.stdout()) as {
    components: { name: string; group?: string; version: string }[]
  }
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const missing = named
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
    .filter((one) => !listed.has(one))
  Object.assign(supply, { unlisted: missing.length, vulnerable: await vulnerable() })
  expect(missing).toEqual([])
})

/** High and critical advisories together. They come from the registry, which may be offline. */
async function vulnerable(): Promise<number | string> {
  if (!isProof('PROVE_OUT')) return 'not asked for'
  const npm = await runNpm(['audit', '--json', '--fetch-retries=0', '--fetch-timeout=10000'], {})
  await npm.ended
  const report = (() => {
    try {
      return JSON.parse(npm.stdout()) as { metadata?: { vulnerabilities: Record<string, number> } }
    } catch {
      return {}
    }
  })()
  const found = report.metadata?.vulnerabilities
  return found ? (found.high ?? 0) + (found.critical ?? 0) : 'unknown: the registry did not answer'
}
