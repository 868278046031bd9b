/**
 * Verdicts of earlier runs, in the repository. Each names the state of the files that decided it,
 * so that after a change only those run again that it can affect: a kill stands while the sources
 * and the test that noticed it are the same, a survivor while all tests are.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { openResults } from '#mutation/results.ts'
import { root, type Verdict } from './workspace.ts'

const FILE = 'mutation/results/vault.jsonl'
const INVARIANTS = 'contracts/test/invariants/'

/** `of` is the hash of the files that decided it. */
type Kept = Verdict & { of: string }

export type Verdicts = {
  /** Undefined if it has to be run. */
  find(id: string): Verdict | undefined
  add(id: string, verdict: Verdict): Promise<void>
}

export async function openVerdicts(folder = root): Promise<Verdicts> {
  const readText = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const pathsOf = async (pattern: string): Promise<string[]> =>
    (await Array.fromAsync(glob(pattern, { cwd: folder }))).sort()
  const sources = await pathsOf('contracts/src/*.sol')
  const tests = await pathsOf('contracts/test/**/*.sol')
  const texts = new Map([...sources, ...tests].map((path) => [path, readText(path)]))
  const isShared = (path: string) => /\/test\/(?:base|mocks)\//.test(path)
  /** The tests that `name` needs; all of them where it does not say which one failed. */
  const testsOf = (name: string | undefined): string[] => {
    if (name?.startsWith('invariant_')) {
      return tests.filter((path) => isShared(path) || path.startsWith(INVARIANTS))
    }
    const declaration = `function ${name}(`
    const own = tests.filter((path) => texts.get(path)?.includes(declaration))
    return name?.startsWith('test_') && own.length > 0
      ? tests.filter((path) => isShared(path) || own.includes(path))
      : tests
  }
  const hashOf = ({ outcome, tests: [first] }: Verdict): string => {
    const decisive = outcome === 'invalid' ? [] : testsOf(outcome === 'killed' ? first : undefined)
    const hash = createHash('sha256').update(readText('hardhat.config.ts'))
    for (const path of [...sources, ...decisive]) hash.update(`\n${path}\n${texts.get(path)}`)
    return hash.digest('hex').slice(0, 16)
  }
  const { verdicts, add } = await openResults<Kept>(join(folder, FILE))
  return {
    find(id) {
      const kept = verdicts.get(id)
      return kept && kept.of === hashOf(kept) ? kept : undefined
    },
    add: (id, verdict) => add(id, { ...verdict, of: hashOf(verdict) }),
  }
}
