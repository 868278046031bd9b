/** docs/PROOF.md: the promises, the proofs and the conditions, from what the runs have found. */
import { type Judged, judge } from './figures.ts'
import type { Figure, Proof, Vow } from './kinds.ts'
import { promises } from './promises.ts'
import { groups, proofs, runNameOf } from './registry.ts'
import type { Result } from './results.ts'

type Results = ReadonlyMap<string, Result>

const VERDICTS = {
  holds: 'holds',
  short: '**falls short**',
  fails: '**fails**',
  partly: 'partly run',
  none: 'not yet run',
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
  const found = value === undefined ? 'not told' : words(value)
  const wanted = target === undefined ? '' : ` (${sign(target)})`
  const text = `${label} ${found}${wanted}`
  return holds === false ? `**${text}**` : text
}

type Account = { verdict: Verdict; figures: Judged[]; runs: Result[] }

/** Figures of runs that are missing are left out, and then it is only partly run. */
export function account(
  figures: readonly Figure[],
  own: string | undefined,
  results: Results,
): Account {
  const names = new Set([...(own ? [own] : []), ...figures.flatMap(({ run }) => run ?? [])])
  const runs = [...names].flatMap((name) => results.get(name) ?? [])
  const judged = figures.flatMap((figure) => {
    const result = results.get(figure.run ?? own ?? '')
    return result ? [judge(figure, result.figures ?? {})] : []
  })
  const verdict = ((): Verdict => {
    if (runs.length === 0 || (own && !results.has(own))) return 'none'
    if (runs.some(({ holds }) => !holds)) return 'fails'
    if (judged.some(({ holds }) => holds === false)) return 'short'
    return runs.length < names.size ? 'partly' : 'holds'
  })()
  return { verdict, figures: judged, runs }
}

export const accountOf = (proof: Proof, results: Results): Account =>
  account(proof.figures, runNameOf(proof), results)

/** It has done what it is for: whatever reads its figures finds them as they should be. */
export function isProven(name: string, results: Results): boolean {
  const read = [
    ...proofs.flatMap((proof) =>
      proof.figures.filter(({ run = runNameOf(proof) }) => run === name),
    ),
    ...promises.flatMap(({ figures }) => figures.filter(({ run }) => run === name)),
  ]
  return account(read, name, results).verdict === 'holds'
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`

function promiseRow({ id, title, figures }: Vow, results: Results): string {
  const { verdict, figures: judged } = account(figures, undefined, results)
  return row([id, title, judged.map(say).join('; '), VERDICTS[verdict]])
}

function proofRow(proof: Proof, results: Results): string {
  const { verdict, figures } = accountOf(proof, results)
  const told = verdict === 'none' ? '' : figures.map(say).join('; ')
  const { id, title, done } = proof
  return row([id, `${title}: ${done}`, told, `\`${runNameOf(proof)}\``, VERDICTS[verdict]])
}

const minutes = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${(seconds / 60).toFixed(1)} min`

function runRow({ id, title, seconds, conditions, figures, holds }: Result): string {
  const {
    commit = '',
    at = '',
    node = '',
    postgres = '',
    chain = '',
    machine = '',
  } = conditions ?? {}
  const seed = figures?.seed === undefined ? '' : String(figures.seed)
  const versions = conditions ? `Node ${node}, PostgreSQL ${postgres}, ${chain}` : 'not noted'
  const name = `\`${id}\`${holds ? '' : ' (failed)'}`
  return row([name, title, minutes(seconds), seed, commit, at.slice(0, 16), versions, machine])
}

export function summary(results: Results): string {
  const verdicts = proofs.map((proof) => accountOf(proof, results).verdict)
  const count = (wanted: Verdict) => verdicts.filter((verdict) => verdict === wanted).length
  const others = (['short', 'fails', 'partly', 'none'] as const)
    .filter((verdict) => count(verdict) > 0)
    .map((verdict) => `, ${VERDICTS[verdict].replaceAll('*', '')} ${count(verdict)}`)
  return `${count('holds')} of ${proofs.length} proofs hold${others.join('')}.`
}

export function proofDocument(results: Results): string {
  const ordered = [...results.values()].toSorted((a, b) => a.id.localeCompare(b.id, 'en'))
  return [
    '# Proof',
    '',
    'Written by `npm run prove` from `prove/results`. Each figure stands with its target in',
    'brackets; one that misses it is printed bold. `npm run prove -- L4 F6` runs some proofs,',
    '`npm run prove` all that do not hold yet, `--again` also those that do, and `--write` only',
    'writes this page. A run that is broken off goes on where it was. `npm test` runs a small size',
    'of each.',
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
      row(['', 'What is done', 'Figures (target)', 'Run', '']),
      '|---|---|---|---|---|',
      ...own.map((proof) => proofRow(proof, results)),
    ]),
    '',
    '## Runs and their conditions',
    '',
    row(['Run', 'What', 'Took', 'Seed', 'Commit', 'At (UTC)', 'Versions', 'Machine']),
    '|---|---|---:|---|---|---|---|---|',
    ...ordered.map(runRow),
    '',
    'A commit with a + had changes that were not committed. Where no seed stands, nothing is',
    'random but ids and keys, which no figure depends on.',
    '',
  ].join('\n')
}
