/** The vault's part of docs/MUTATION.md from the verdicts. */
import { change } from '#mutation/document.ts'
import type { Mutant } from '#mutation/mutant.ts'
import type { Sabotage } from './sabotage.ts'
import type { Verdict } from './workspace.ts'

/** `reason` says why a survivor is no fault of the tests. */
export type Entry = { mutant: Mutant; verdict: Verdict; reason: string | null }
export type Proof = Sabotage & { said: string | null }

const count = (entries: readonly Entry[], outcome: Verdict['outcome']): number =>
  entries.filter(({ verdict }) => verdict.outcome === outcome).length

export function score(entries: readonly Entry[]) {
  const killed = count(entries, 'killed')
  const equivalent = entries.filter(({ reason }) => reason !== null).length
  const counted = entries.length - count(entries, 'invalid') - equivalent
  return { killed, equivalent, counted, share: counted === 0 ? 0 : killed / counted }
}

const place = ({ file, line }: Mutant): string => `${file}:${line}`

function ruleRow(rule: string, entries: readonly Entry[]): string {
  const { killed, equivalent } = score(entries)
  const survived = count(entries, 'survived') - equivalent
  const cells = [entries.length, count(entries, 'invalid'), killed, equivalent, survived]
  return `| ${rule} | ${cells.join(' | ')} |`
}

function survivors(entries: readonly Entry[]): string[] {
  const rows = entries
    .filter(({ verdict }) => verdict.outcome === 'survived')
    .map(({ mutant, reason }) => {
      const cells = [mutant.id, place(mutant), change(mutant.before, mutant.after)]
      return `| ${cells.join(' | ')} | ${reason ?? '**a gap in the tests**'} |`
    })
  if (rows.length === 0) return ['None.']
  return ['| Id | Place | Change | Why |', '|---|---|---|---|', ...rows]
}

function ruleRows(entries: readonly Entry[]): string[] {
  const rules = new Map<string, Entry[]>()
  for (const entry of entries) {
    const { rule } = entry.mutant
    rules.set(rule, [...(rules.get(rule) ?? []), entry])
  }
  return [...rules].map(([rule, ofRule]) => ruleRow(rule, ofRule))
}

type Outcome = {
  entries: readonly Entry[]
  proofs: readonly Proof[]
  /** How many mutants there are, also those that were not run. */
  made: number
  seed: string
}

export function report({ entries, proofs, made, seed }: Outcome): string {
  const { killed, counted, share, equivalent } = score(entries)
  const invalid = count(entries, 'invalid')
  const noticed = (isInvariant: boolean) =>
    entries.filter(({ verdict: { tests } }) =>
      tests.some((test) => test.startsWith('invariant_') === isInvariant),
    ).length
  const percent = (share * 100).toFixed(1)
  return `# Mutation run

Written by \`npm run mutate\`. It makes small wrong versions of the vault by rules over the text of
its sources (\`mutation/vault/mutants.ts\`) and runs the Solidity tests against each. A version
that no test notices is a gap in the tests, or does the same as the vault.

**${killed} of ${counted} killed: ${percent} %.** ${extent(entries.length, made, seed)}
${invalid} of them do not compile and ${equivalent} do the same as the vault. The tests of the
functions notice ${noticed(false)}; the invariants with their model, run where those notice nothing,
${noticed(true)}.

| Rule | Run | Not compiling | Killed | Equivalent | Survived |
|---|---:|---:|---:|---:|---:|
${ruleRows(entries).join('\n')}

## What was not noticed

${survivors(entries).join('\n')}

${proofs.length === 0 ? NO_PROMISES : promises(proofs)}`
}

const NO_PROMISES = `This run did not show that each promise of the invariants can be broken
(\`mutation/vault/sabotage.ts\`); \`--promises\` adds that to a sample, and a full run has it.
`

const extent = (run: number, made: number, seed: string): string =>
  run === made
    ? `${made} were made,`
    : `${made} can be made; this run took a sample of ${run} (seed \`${seed}\`),`

function promises(proofs: readonly Proof[]): string {
  const broken = proofs.map(({ find, replace, said }) => {
    return `| ${change(find, replace)} | ${said ?? '**nothing**'} |`
  })
  return `## Each promise can be broken

One sabotage for each of the 29 promises of the invariants, run with the other promises silent and
with up to eight seeds (\`mutation/vault/sabotage.ts\`). I18 has none: the EVM itself undoes a
refused call.

| Sabotage | What the invariants said |
|---|---|
${broken.join('\n')}
`
}
