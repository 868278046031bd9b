import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parts } from '#bench/parts.ts'
import { createReach, SHARED } from '#prove/reached.ts'
import { runs } from '#prove/registry.ts'
import { hashOfRun, readResults } from '#prove/results.ts'
import { createSourceReader, ROOT, SET_UP, type Sources } from '#prove/sources.ts'
import { importsOf } from '#test/tidy/imports.ts'

const reader = createSourceReader()
const { covers } = reader
const outputs = { figures: 'figures', tests: 'tests' }

/** A file of ours, or undefined; `@countersign/proof/x.ts` is in the package's src. */
const pathOf = (specifier: string, target: string | undefined): string | undefined => {
  const own = /^@countersign\/proof\/(.+)$/.exec(specifier)?.[1]
  return own === undefined ? target : `packages/proof/src/${own}`
}

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const imported = new Map<string, readonly string[]>()

/** Files of ours that a file imports. Each is read once: the runs share most of them. */
function filesImportedBy(path: string): readonly string[] {
  const known = imported.get(path)
  if (known) return known
  const found = importsOf({ path, text: textOf(path) })
    .map(({ specifier, target }) => pathOf(specifier, target))
    .filter((file) => file?.endsWith('.ts'))
  imported.set(path, found as string[])
  return found as string[]
}

/** The entry points and everything that they import, directly or not. */
function closureOf(entries: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const left = [...entries]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    left.push(...filesImportedBy(path))
  }
  return seen
}

const entriesOf = (args: readonly string[]): string[] =>
  args.filter((arg) => /^(?:test|src|packages|contracts|bench)\/.*\.ts$/.test(arg))

describe('the sources of a run', () => {
  test.each(Object.entries(runs))('%s include every file that it imports', (_name, run) => {
    const missing = [...closureOf(entriesOf(run.args(outputs)))].filter(
      (path) => !covers(run.sources, path),
    )
    expect(missing).toEqual([])
    expect(reader.filesOf(run.sources)).toEqual(
      expect.arrayContaining(['package-lock.json', 'prove/perform.ts', 'prove/figures.ts']),
    )
  })

  test.each(Object.entries(parts))('benchmark %s: every file that it imports', (_name, part) => {
    const missing = [...closureOf(entriesOf(part.args))].filter(
      (path) => !covers(part.sources, path),
    )
    expect(missing).toEqual([])
  })

  test('are the service, packages, migrations, contracts, test support and own tests', () => {
    const { S3 } = runs
    if (!S3) throw new Error('There is no run S3')
    const own = (path: string) => covers(S3.sources, path)
    const covered = ['src/app.ts', 'packages/proof/src/digest.ts', 'migrations/0001_foundation.sql']
    const tests = ['test/support/app.ts', 'test/security/realms.test.ts', 'contracts/src/X.sol']
    expect([...covered, ...tests].filter((path) => !own(path))).toEqual([])
    const others = ['test/security/roles.test.ts', 'docs/PROOF.md', 'prove/results/S3.json']
    const unused = ['test/browser/hostile-session.ts', 'test/processes/clients.ts']
    const unlike = ['prove/security.ts', 'src/app.test.ts']
    expect([...others, ...unused, ...unlike].filter(own)).toEqual([])
  })
})

describe('shared code of tests and benchmarks', () => {
  const scripts = Object.values<string>(JSON.parse(textOf('package.json')).scripts)
  const started = scripts.flatMap((line) => line.match(/\b(?:test|bench)\/[\w./-]+\.ts\b/g) ?? [])
  const exclude = (path: string) => /node_modules|dist$/.test(path)
  const tests = globSync('*/**/*.test.ts', { cwd: ROOT, exclude })
  const paths = reader
    .filesOf({ folders: SHARED, files: [] })
    .filter((path) => !path.startsWith('bench/results/'))

  test('is reached, all of it, from tests, runs, parts and scripts', () => {
    const named = [...Object.values(runs), ...Object.values(parts)]
    const entries = named.flatMap(({ sources }) => [...(sources.entries ?? []), ...sources.files])
    const reached = createReach({ paths, textOf })([...tests, ...started, ...entries])
    expect(paths.filter((path) => !reached.has(path))).toEqual([])
  })

  test.each([
    ['an import over several lines', "import {\n  a,\n} from '#test/one/a.ts'", ['test/one/a.ts']],
    ['a neighbour', "import './b.ts'", ['test/one/b.ts']],
    ['a process', "new URL('./fixtures/c.ts', import.meta.url)", ['test/one/fixtures/c.ts']],
    ['a joined path', "join(folder, 'fixtures', 'c.ts')", ['test/one/fixtures/c.ts']],
    ['a name without its ending', "launch('c')", ['test/one/fixtures/c.ts']],
    ['a fixture', "read('key.pem')", ['test/two/key.pem']],
    ['what those reach', "import '#test/two/d.ts'", ['test/two/d.ts', 'test/two/e.ts']],
  ])('is reached by %s', (_how, text, expected) => {
    const texts: Record<string, string> = {
      'test/one/one.test.ts': text,
      'test/two/d.ts': "import './e.ts'",
    }
    const own = ['one/a.ts', 'one/b.ts', 'one/fixtures/c.ts', 'two/d.ts', 'two/e.ts', 'two/key.pem']
    const reach = createReach({
      paths: own.map((path) => `test/${path}`),
      textOf: (path) => texts[path] ?? '',
    })
    expect([...reach(['test/one/one.test.ts'])]).toEqual(['test/one/one.test.ts', ...expected])
  })

  test('is set up for every test as vitest.config.ts says', () => {
    const named = textOf('vitest.config.ts').matchAll(/'(test\/support\/[\w-]+\.ts)'/g)
    expect([...named].map(([, path]) => path)).toEqual(SET_UP)
  })
})

describe('the hash of sources', () => {
  const sources: Sources = { folders: ['prove/'], files: ['package-lock.json'] }

  test('depends on the definition of the run and on the set of files', () => {
    const hash = reader.hashOf(sources, ['a'])
    expect(createSourceReader().hashOf(sources, ['a'])).toBe(hash)
    expect(reader.hashOf(sources, ['b'])).not.toBe(hash)
    expect(reader.hashOf({ ...sources, files: [] }, ['a'])).not.toBe(hash)
    expect(reader.hashOf({ ...sources, except: ['prove/run.ts'] }, ['a'])).not.toBe(hash)
  })

  test('leaves out generated files', () => {
    const files = reader.filesOf({
      folders: ['prove/', 'contracts/', 'packages/proof/src/'],
      files: [],
    })
    expect(files.filter((path) => /results\/|build\/|node_modules\//.test(path))).toEqual([])
    expect(files).toContain('prove/run.ts')
  })

  test('leaves out what the build of the packages copies into them', () => {
    const copies = ['packages/client/LICENSE', 'packages/proof/LICENSE']
    const all = [...Object.values(runs), ...Object.values(parts)]
    expect(all.flatMap(({ sources: of }) => copies.filter((path) => covers(of, path)))).toEqual([])
  })

  test('decides whether a kept result is fresh; a result without one is stale', async () => {
    for (const { id, sources: hash, isFresh } of (await readResults()).values()) {
      const run = runs[id]
      expect(isFresh).toBe(run !== undefined && hash === hashOfRun(run, reader))
      if (hash === undefined || hash === null) expect(isFresh).toBe(false)
    }
  })
})
