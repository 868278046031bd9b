import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parts } from '#bench/parts.ts'
import { runs } from '#prove/registry.ts'
import { hashOfRun, readResults } from '#prove/results.ts'
import { covers, createSourceReader, ROOT, type Sources } from '#prove/sources.ts'
import { importsOf } from '#test/tidy/imports.ts'

const reader = createSourceReader()
const outputs = { figures: 'figures', tests: 'tests' }

/** A file of ours, or undefined; `@countersign/proof/x.ts` is in the package's src. */
const pathOf = (specifier: string, target: string | undefined): string | undefined => {
  const own = /^@countersign\/proof\/(.+)$/.exec(specifier)?.[1]
  return own === undefined ? target : `packages/proof/src/${own}`
}

const imported = new Map<string, readonly string[]>()

/** Files of ours that a file imports. Each is read once: the runs share most of them. */
function filesImportedBy(path: string): readonly string[] {
  const known = imported.get(path)
  if (known) return known
  const text = readFileSync(join(ROOT, path), 'utf8')
  const found = importsOf({ path, text })
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
    expect([...others, 'prove/security.ts', 'src/app.test.ts'].filter(own)).toEqual([])
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
