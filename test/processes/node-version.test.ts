import { execFileSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { cleanUp, run } from '#test/processes/processes.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

afterAll(cleanUp)

const versionOf = (node: string): string => {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin']
const oldNode = folders
  .map((folder) => join(folder, 'node'))
  .find((node) => /^v(1[89]|2[0-3])\./.test(versionOf(node)))

/** This Node, reporting another version. */
const pretending = (version: string) => {
  const claim = `process.versions.node='${version}'`
  const preload = `Object.defineProperty(process,'versions',{value:{...process.versions}});${claim}`
  const script = `data:text/javascript,${encodeURIComponent(preload)}`
  const args = ['--import', script, '--import', './require-node.mjs', '-p', '"it runs"']
  return run(process.execPath, args, {})
}

describe('a Node that is too old', () => {
  test.runIf(oldNode)('is told the required version in one line (real binary)', async () => {
    const start = ['--import', './require-node.mjs', 'src/dev/start.ts']
    const refused = run(oldNode ?? '', start, {})
    expect(await refused.ended).toEqual({ code: 1, signal: null })
    expect(refused.stderr()).toMatch(/^Countersign needs Node 24\.15 or later[^\n]*npm ci[^\n]*\n$/)
    expect(refused.stderr()).toContain(versionOf(oldNode ?? '').slice(1))
    expect(refused.stdout()).toBe('')
  })

  test.each(['18.20.0', '22.99.9', '24.14.9'])('is told so (%s)', async (version) => {
    const refused = pretending(version)
    expect(await refused.ended).toEqual({ code: 1, signal: null })
    expect(refused.stderr()).toMatch(/^Countersign needs Node 24\.15 or later[^\n]*\n$/)
    expect(refused.stderr()).toContain(version)
  })

  test.each(['24.15.0', '25.0.0', '100.1.0'])(
    'does not include %s, which runs',
    async (version) => {
      const allowed = pretending(version)
      expect(await allowed.ended).toEqual({ code: 0, signal: null })
      expect(allowed.stdout()).toBe('it runs\n')
    },
  )
})

/** The files behind the imports of all modules that the processes load, as Node sees them. */
const LIST_MODULES = `
  import { registerHooks } from 'node:module'
  const found = []
  registerHooks({
    resolve(specifier, context, next) {
      const { url, format } = next(specifier, context)
      found.push([context.parentURL, specifier, url, format].join(' '))
      return { url, format, shortCircuit: true }
    },
  })
  for (const name of ['main', 'worker', 'web']) await import('./src/' + name + '.ts')
  process.stdout.write(JSON.stringify([...new Set(found)].sort()), () => process.exit())`

test('imports are resolved as Node resolves them without the shortcut', async () => {
  const listed = async (...imports: string[]): Promise<string[]> => {
    const script = LIST_MODULES.replace('./src/', `${process.cwd()}/src/`)
    const listing = run(process.execPath, [...imports, '--input-type=module', '-e', script], {})
    expect(await listing.ended).toEqual({ code: 0, signal: null })
    return JSON.parse(listing.stdout())
  }
  const [short, plain] = await Promise.all([listed('--import', './require-node.mjs'), listed()])
  expect(plain.length).toBeGreaterThan(2_000)
  expect(short.filter((line) => line.includes('/src/')).length).toBeGreaterThan(1_000)
  const isOwn = (line: string) => !line.startsWith('undefined ') && !line.includes('require-node')
  expect(short.filter(isOwn)).toEqual(plain.filter(isOwn))
})
