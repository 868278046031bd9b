import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, isProven, proofDocument } from '#prove/document.ts'
import { judge, reaches } from '#prove/figures.ts'
import { figure, from } from '#prove/kinds.ts'
import { promises } from '#prove/promises.ts'
import { chooseRuns, groups, proofs, runNameOf, runs } from '#prove/registry.ts'
import { type Result, readResults } from '#prove/results.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const files = { told: 'told', tests: 'tests' }

describe('the registry', () => {
  test('has all 78, each once and in order', () => {
    const sizes = { L: 11, F: 18, B: 13, S: 20, C: 16 }
    const wanted = Object.entries(sizes).flatMap(([letter, size]) =>
      Array.from({ length: size }, (_, n) => `${letter}${n + 1}`),
    )
    expect(proofs.map(({ id }) => id)).toEqual(wanted)
    expect(groups.map(([, own]) => own.length)).toEqual(Object.values(sizes))
    expect(promises.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `G${n + 1}`))
  })

  test.each(Object.entries(runs))('%s runs files that are there', (_name, run) => {
    const paths = run.args(files).filter((arg) => /^(?:test|src|contracts|prove)\//.test(arg))
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(run.args(files).length).toBeGreaterThan(2)
  })

  test('every figure has a target that can be read, and a run that is there', () => {
    const all = [...proofs, ...promises].flatMap(({ figures }) => figures)
    for (const { target, run } of all) {
      if (target !== undefined) expect(() => reaches(0, target)).not.toThrow()
      if (run !== undefined) expect(Object.keys(runs)).toContain(run)
    }
    // A proof without a target could not fail.
    const aimless = proofs.filter(({ figures }) => figures.every(({ target }) => !target))
    expect(aimless).toEqual([])
    expect(proofs.map(runNameOf).filter((name) => !Object.hasOwn(runs, name))).toEqual([])
  })

  test('ids and names of runs may be asked for, and nothing else', () => {
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
  ])('%s is held against %s', (value, target, holds) => {
    expect(judge(figure('it', 'a.b', target), { a: { b: value } }).holds).toBe(holds)
  })

  test('may count tests by their names', () => {
    const names = ['usdc: test_a', 'usdc: test_b', 'tokens: test_a']
    expect(judge(figure('cases', /^usdc: /, '>= 2'), { names })).toMatchObject({ value: 2 })
  })
})

describe('the page', () => {
  const result = (id: string, told: object, holds = true): [string, Result] => [
    id,
    { id, title: id, holds, seconds: 1, figures: { ...told } },
  ]
  const figures = [figure('lost', 'lost', '= 0'), from('other', 'paid', 'paid', '> 0')]
  const verdict = (...results: [string, Result][]) =>
    account(figures, 'own', new Map(results)).verdict

  test('says of a proof what its runs have found', () => {
    const other = result('other', { paid: 1 })
    expect(verdict()).toBe('none')
    expect(verdict(other)).toBe('none')
    expect(verdict(result('own', { lost: 0 }))).toBe('partly')
    expect(verdict(result('own', { lost: 0 }), other)).toBe('holds')
    expect(verdict(result('own', { lost: 1 }), other)).toBe('short')
    expect(verdict(result('own', {}), other)).toBe('short')
    expect(verdict(result('own', { lost: 0 }, false), other)).toBe('fails')
  })

  test('a run that others read is proven when they find there what they need', async () => {
    const results = await readResults()
    const kept = results.get('payments')
    if (!kept) throw new Error('prove/results has no run of payments')
    const isProvenWith = (change: Partial<Result>) =>
      isProven('payments', new Map([...results, ['payments', { ...kept, ...change }]]))
    expect(isProvenWith({})).toBe(true)
    expect(isProvenWith({ figures: { ...kept.figures, doubles: 1 } })).toBe(false)
    expect(isProvenWith({ holds: false })).toBe(false)
    expect(isProven('payments', new Map())).toBe(false)
  })

  test('is the one in docs/, from the results that are there', async () => {
    const page = readFileSync(join(ROOT, 'docs', 'PROOF.md'), 'utf8')
    expect(page).toBe(proofDocument(await readResults()))
    for (const { id } of proofs) expect(page).toContain(`| ${id} |`)
  })
})
