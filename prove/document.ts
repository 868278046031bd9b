/** docs/PROOF.md: promises, proofs and the conditions of each run, from the kept results. */
import { type Judged, judge } from './figures.ts'
import type { Figure, Guarantee, Proof } from './kinds.ts'
import { promises } from './promises.ts'
import { groups, proofs, runNameOf, runs } from './registry.ts'
import type { KeptResult } from './results.ts'

type Results = ReadonlyMap<string, KeptResult>

export const VERDICTS = {
  holds: 'holds',
  stale: '*stale*',
  short: '**misses its target**',
  fails: '**fails**',
  partly: 'partly run',
  none: 'not run',
} as const

type Verdict = keyof typeof VERDICTS

const words = (value: Judged['value']): string =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { maximumFractionDigits: 3 })
    : `${value}`

const sign = (target: string): string =>
  target
    .replace('>=', '≥')
    .replace('<=', '≤')
    .replace(/\d+/, (digits) => Number(digits).toLocaleString('en-US'))

function say({ label, value, target, holds }: Judged): string {
  const found = value === undefined ? 'not reported' : words(value)
  const wanted = target === undefined ? '' : ` (${sign(target)})`
  const text = `${label} ${found}${wanted}`
  return holds === false ? `**${text}**` : text
}

type Account = { verdict: Verdict; figures: Judged[] }

/**
 * A single stale run makes the verdict stale, whatever its figures: they belong to other code.
 * Figures of missing runs are left out, and the verdict is then "partly run".
 */
export function account(
  figures: readonly Figure[],
  own: string | undefined,
  results: Results,
): Account {
  const names = new Set([...(own ? [own] : []), ...figures.flatMap(({ run }) => run ?? [])])
  const found = [...names].flatMap((name) => results.get(name) ?? [])
  const judged = figures.flatMap((figure) => {
    const result = results.get(figure.run ?? own ?? '')
    return result ? [judge(figure, result.figures ?? {})] : []
  })
  const verdict = ((): Verdict => {
    if (found.length === 0 || (own && !results.has(own))) return 'none'
    if (found.some(({ isFresh }) => !isFresh)) return 'stale'
    if (found.some(({ holds }) => !holds)) return 'fails'
    if (judged.some(({ holds }) => holds === false)) return 'short'
    return found.length < names.size ? 'partly' : 'holds'
  })()
  return { verdict, figures: judged }
}

export const accountOf = (proof: Proof, results: Results): Account =>
  account(proof.figures, runNameOf(proof), results)

/** The run is fresh, ended well, and every figure that anyone reads from it meets its target. */
export function isProven(name: string, results: Results): boolean {
  const read = [
    ...proofs.flatMap((proof) =>
      proof.figures.filter(({ run = runNameOf(proof) }) => run === name),
    ),
    ...promises.flatMap(({ figures }) => figures.filter(({ run }) => run === name)),
  ]
  return account(read, name, results).verdict === 'holds'
}

/** Nothing is bold in a stale result: its targets may be newer than it. */
function sayAll(judged: readonly Judged[], verdict: Verdict): string {
  const text = judged.map(say).join('; ')
  return verdict === 'stale' ? text.replaceAll('**', '') : text
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`

function promiseRow({ id, title, figures }: Guarantee, results: Results): string {
  const { verdict, figures: judged } = account(figures, undefined, results)
  return row([id, title, sayAll(judged, verdict), VERDICTS[verdict]])
}

const isLarger = (proof: Proof): boolean => runs[runNameOf(proof)]?.isLarger ?? false

function proofRow(proof: Proof, results: Results): string {
  const { verdict, figures } = accountOf(proof, results)
  const shown = verdict === 'none' ? '' : sayAll(figures, verdict)
  const { id, title, done } = proof
  const size = isLarger(proof) ? 'full' : 'tests'
  return row([id, `${title}: ${done}`, shown, `\`${runNameOf(proof)}\``, size, VERDICTS[verdict]])
}

const minutes = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${(seconds / 60).toFixed(1)} min`

const versionsOf = ({ node, postgres, chain }: NonNullable<KeptResult['conditions']>): string =>
  `Node ${node}, PostgreSQL ${postgres}, ${chain}`

function seedsOf({ seed, figures }: KeptResult): string {
  const own = figures?.seed === undefined ? [] : [String(figures.seed)]
  return [...own, ...(seed === undefined ? [] : [`fast-check ${seed}`])].join(', ')
}

function runRow(result: KeptResult): string {
  const { id, title, seconds, conditions, holds, isFresh } = result
  const { commit = '', at = '', machine = '' } = conditions ?? {}
  const versions = conditions ? versionsOf(conditions) : 'not recorded'
  const state = [isFresh ? 'fresh' : '*stale*', ...(holds ? [] : ['**failed**'])].join(', ')
  const what = [`\`${id}\``, title, state, minutes(seconds), seedsOf(result)]
  return row([...what, commit, at.slice(0, 16), versions, machine])
}

/** `70 of 81 proofs hold, 6 stale, 2 not run.` */
export function summary(results: Results): string {
  const verdicts = proofs.map((proof) => accountOf(proof, results).verdict)
  const count = (wanted: Verdict) => verdicts.filter((verdict) => verdict === wanted).length
  const others = (['stale', 'short', 'fails', 'partly', 'none'] as const)
    .filter((verdict) => count(verdict) > 0)
    .map((verdict) => `, ${count(verdict)} ${VERDICTS[verdict].replaceAll('*', '')}`)
  return `${count('holds')} of ${proofs.length} proofs hold${others.join('')}.`
}

function sizes(): string {
  const larger = proofs.filter(isLarger).length
  return `${larger} proofs run at **full** size, ${proofs.length - larger} at that of the tests.`
}

const introduction = (): string[] => [
  '# Proof',
  '',
  'Generated by `npm run prove` from `prove/results`. Each figure is followed by its target in',
  'parentheses; a figure that misses its target is bold.',
  '',
  'A result is **fresh** while the files that it covers are unchanged: the service, its packages,',
  'migrations and contracts, the tests that it runs with the support code that they reach, and the',
  'lock file. After a change of one of them the result is *stale* and does not count as holding.',
  '`npm run prove` runs what is stale or missing, `npm run prove -- L4 F6` only the named proofs,',
  '`--again` also fresh ones; `--list` shows the state of each, and `--write` only rewrites this',
  'page. An interrupted run continues where it stopped.',
  '',
  sizes(),
  'A proof of full size makes more requests, rounds or random inputs than `npm test` and',
  '`npm run test:strain`, or runs a program that they do not. The others run tests at the same',
  'size, because their cases are lists that have no larger size: here their result is recorded.',
]

export function proofDocument(results: Results): string {
  const ordered = [...results.values()].toSorted((a, b) => a.id.localeCompare(b.id, 'en'))
  return [
    ...introduction(),
    '',
    summary(results),
    '',
    '## Ten promises',
    '',
    row(['', 'Promise', 'Figures (target)', '']),
    '|---|---|---|---|',
    ...promises.map((promise) => promiseRow(promise, results)),
    ...groups.flatMap(([title, own]) => [
      '',
      `## ${title}`,
      '',
      row(['', 'What is done', 'Figures (target)', 'Run', 'Size', '']),
      '|---|---|---|---|---|---|',
      ...own.map((proof) => proofRow(proof, results)),
    ]),
    '',
    '## Runs and their conditions',
    '',
    row(['Run', 'What', 'Result', 'Time', 'Seed', 'Commit', 'At (UTC)', 'Versions', 'Machine']),
    '|---|---|---|---:|---|---|---|---|---|',
    ...ordered.map(runRow),
    '',
    'A + after a commit means that a file covered by the run had uncommitted changes. The seed is',
    'that of the run’s own random generator, and of fast-check where a run has property tests.',
    'Ids, keys and the guessed tokens of S15 come from the operating system’s random source, and',
    'runs with several processes also depend on scheduling: a seed does not repeat these exactly.',
    '',
  ].join('\n')
}
