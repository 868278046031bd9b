import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, isProven, proofDocument, summary } from '#prove/document.ts'
import { judge, reaches } from '#prove/figures.ts'
import { figure, from } from '#prove/kinds.ts'
import { promises } from '#prove/promises.ts'
import { chooseRuns, groups, proofs, runNameOf, runs } from '#prove/registry.ts'
import { type KeptResult, readResults } from '#prove/results.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const outputs = { figures: 'figures', tests: 'tests' }

describe('the registry', () => {
  test('has 88 proofs and ten promises, each once and in order', () => {
    const sizes = { L: 11, F: 20, B: 13, S: 20, C: 20, P: 4 }
    const wanted = Object.entries(sizes).flatMap(([letter, size]) =>
      Array.from({ length: size }, (_, n) => `${letter}${n + 1}`),
    )
    expect(proofs.map(({ id }) => id)).toEqual(wanted)
    expect(groups.map(([, own]) => own.length)).toEqual(Object.values(sizes))
    expect(promises.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `G${n + 1}`))
  })

  test.each(Object.entries(runs))('%s runs existing files', (_name, run) => {
    const paths = run.args(outputs).filter((arg) => /^(?:test|src|contracts|prove)\//.test(arg))
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(run.args(outputs).length).toBeGreaterThan(2)
  })

  test('gives every figure a valid target and an existing run', () => {
    const all = [...proofs, ...promises].flatMap(({ figures }) => figures)
    for (const { target, run } of all) {
      if (target !== undefined) expect(() => reaches(0, target)).not.toThrow()
      if (run !== undefined) expect(Object.keys(runs)).toContain(run)
    }
    // A proof without any target could not fail.
    const aimless = proofs.filter(({ figures }) => figures.every(({ target }) => !target))
    expect(aimless).toEqual([])
    expect(proofs.map(runNameOf).filter((name) => !Object.hasOwn(runs, name))).toEqual([])
  })

  test('finds runs by proof id and by name, and rejects unknown names', () => {
    expect(chooseRuns(['F3', 'F4', 'simulator', 'L4'])).toEqual(['simulator', 'L4'])
    expect(chooseRuns([])).toHaveLength(Object.keys(runs).length)
    expect(() => chooseRuns(['L4', 'L99'])).toThrow('There is no proof called L99.')
  })
})

describe('a figure', () => {
  test.each([
    [0, '= 0', true],
    [1, '= 0', false],
    [100, '>= 100', true],
    [99, '>= 100', false],
    [1.5, '< 1.5', false],
    [undefined, '= 0', false],
    ['0', '= 0', false],
  ])('of %s with the target %s', (value, target, holds) => {
    expect(judge(figure('it', 'a.b', target), { a: { b: value } }).holds).toBe(holds)
  })

  test('counts tests by their names', () => {
    const names = ['usdc: test_a', 'usdc: test_b', 'tokens: test_a']
    expect(judge(figure('cases', /^usdc: /, '>= 2'), { names })).toMatchObject({ value: 2 })
  })
})

describe('the page', () => {
  type Told = { holds?: boolean; isFresh?: boolean }
  const result = (
    id: string,
    figures: object,
    { holds = true, isFresh = true }: Told = {},
  ): [string, KeptResult] => [
    id,
    { id, title: id, holds, isFresh, seconds: 1, figures: { ...figures } },
  ]
  const figures = [figure('lost', 'lost', '= 0'), from('other', 'paid', 'paid', '>= 1')]
  const verdict = (...results: [string, KeptResult][]) =>
    account(figures, 'own', new Map(results)).verdict

  test('gives a proof the verdict of its runs', () => {
    const other = result('other', { paid: 1 })
    expect(verdict()).toBe('none')
    expect(verdict(other)).toBe('none')
    expect(verdict(result('own', { lost: 0 }))).toBe('partly')
    expect(verdict(result('own', { lost: 0 }), other)).toBe('holds')
    expect(verdict(result('own', { lost: 1 }), other)).toBe('short')
    expect(verdict(result('own', {}), other)).toBe('short')
    expect(verdict(result('own', { lost: 0 }, { holds: false }), other)).toBe('fails')
  })

  test('calls a proof stale when any of its runs is', () => {
    const [own, other] = [result('own', { lost: 0 }), result('other', { paid: 1 })]
    const stale = { isFresh: false }
    expect(verdict(result('own', { lost: 0 }, stale), other)).toBe('stale')
    expect(verdict(own, result('other', { paid: 1 }, stale))).toBe('stale')
    expect(verdict(result('own', { lost: 1 }, { ...stale, holds: false }), other)).toBe('stale')
  })

  test('counts only fresh results as holding', () => {
    const all = (isFresh: boolean) =>
      new Map(Object.keys(runs).map((name) => result(name, {}, { isFresh })))
    expect(summary(all(false))).toBe('0 of 88 proofs hold, 88 stale.')
    expect(summary(all(true))).toBe('0 of 88 proofs hold, 88 misses its target.')
    expect(summary(new Map())).toBe('0 of 88 proofs hold, 88 not run.')
  })

  test('calls a run proven when it is fresh and every reader finds its targets met', () => {
    const good = { stops: 20, dropped: 0, wordless: 0, unfinished: 0, stopMax: 2 }
    const isProvenWith = (figures: object, told?: Told) =>
      isProven('F15', new Map([result('F15', figures, told)]))
    expect(isProvenWith(good)).toBe(true)
    expect(isProvenWith({ ...good, dropped: 1 })).toBe(false)
    expect(isProvenWith(good, { holds: false })).toBe(false)
    expect(isProvenWith(good, { isFresh: false })).toBe(false)
    expect(isProven('F15', new Map())).toBe(false)
  })

  test('in docs/ is the one of the kept results and of the sources as they are now', async () => {
    const page = readFileSync(join(ROOT, 'docs', 'PROOF.md'), 'utf8')
    const expected = proofDocument(await readResults())
    expect(page, 'run `npm run prove -- --write`').toBe(expected)
    for (const { id } of proofs) expect(page).toContain(`| ${id} |`)
  })
})
