/** The part of docs/MUTATION.md about the TypeScript sources, from the stored verdicts. */
import { change } from '#mutation/document.ts'
import type { Mutant } from '#mutation/mutant.ts'
import { BROKEN_LINES } from './broken-lines.ts'
import { EQUIVALENT } from './equivalent.ts'
import { idOf, lineResults } from './judge-lines.ts'
import { digest, type Judged, resultsOf, sampleOf } from './judge-module.ts'
import { MODULES, readFiles } from './modules.ts'

type Entry = { mutant: Mutant; judged: Judged }
/** `sources` is a hash of the module's files. */
type Part = { module: string; made: number; sources: string; entries: Entry[] }

const SHOWN_MAX = 110
const shortened = (text: string): string =>
  text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)} …` : text

/** Every verdict of a file as it is now, whatever the size of the sample was. */
async function partOf(module: string, seed: string): Promise<Part> {
  const { verdicts } = await resultsOf(module)
  const { made, mutants } = await sampleOf({ module, seed, sample: Number.POSITIVE_INFINITY })
  const files = await readFiles(MODULES[module] ?? [])
  const entries = mutants.flatMap((mutant) => {
    const judged = verdicts.get(mutant.id)
    return judged?.source === digest(files.get(mutant.file) ?? '') ? [{ mutant, judged }] : []
  })
  const sources = digest([...files.values()].join('\n')).slice(0, 8)
  return { module, made, sources, entries }
}

const isEquivalent = ({ mutant, judged }: Entry): boolean =>
  judged.outcome === 'survived' && Object.hasOwn(EQUIVALENT, mutant.id)

function row({ module, made, sources, entries }: Part): string {
  if (entries.length === 0) return `| ${module} | ${sources} | ${made} | not run | | | | | |`
  const killed = entries.filter(({ judged }) => judged.outcome === 'killed').length
  const equivalent = entries.filter(isEquivalent).length
  const ended = entries.filter(({ judged }) => judged.outcome === 'ended').length
  const counted = entries.length - equivalent - ended
  const survived = counted - killed
  const share = `${((100 * killed) / Math.max(1, counted)).toFixed(1)} %`
  const cells = [module, sources, made, entries.length, killed, ended, equivalent, survived, share]
  return `| ${cells.join(' | ')} |`
}

function survivorRow({ mutant, judged }: Entry): string {
  const { id, file, line, before, after } = mutant
  const reason = EQUIVALENT[id]
  const gap = judged.testFiles === 0 ? '**no test of this run calls it**' : '**a gap in the tests**'
  const what = change(shortened(before), shortened(after))
  return `| ${id} | ${file}:${line} | ${what} | ${judged.testFiles} | ${reason ?? gap} |`
}

async function lineRows(): Promise<string[]> {
  const { verdicts } = await lineResults()
  return BROKEN_LINES.flatMap((line) => {
    const verdict = verdicts.get(idOf(line))
    if (!verdict) return []
    const by = verdict.by === null ? '**nothing**' : verdict.by.replaceAll('|', '\\|')
    return [`| ${line.what} | ${line.file} | ${by} |`]
  })
}

export async function report({ seed }: { seed: string }): Promise<string> {
  const parts = await Promise.all(Object.keys(MODULES).map((module) => partOf(module, seed)))
  const survivors = parts
    .flatMap(({ entries }) => entries)
    .filter(({ judged }) => judged.outcome === 'survived')
  const run = parts.filter(({ entries }) => entries.length > 0)
  return `
Written by \`npm run mutate:ts\`. It makes small wrong versions of the service's sources by rules
over their syntax tree and over the SQL in stores (\`mutation/typescript/operators.ts\`,
\`sql-operators.ts\`). Against each it runs test files that call the changed function, at most as
many as \`--tests\` says: first the one beside the file, then those that are quick and call what few
others call. The first test that fails ends it. Which test calls which function is measured once.

A module is sampled: mutants are ordered by a hash of the seed (here \`${seed}\`) and their id, and
the first ones are run. The figures cover only the mutants that were run. A verdict counts while its
file is unchanged; "Sources" is a hash of the module's files. Tests that start
processes of their own, take minutes or reorganise a chain take no part (\`TESTS_LEFT_OUT\` in
\`mutation/typescript/modules.ts\`), so one of them may notice a survivor. A kill counts only when
the same test file passes without the mutant. "Ended" counts mutants whose test process ended before
a test failed, mostly by the time limit. On a busy machine that shows nothing, so the share leaves
them out, like equivalent ones.

${run.length} of ${parts.length} modules have been run. A mutant that only test files slower than
\`--slowest\` call is passed over.

| Module | Sources | Made | Run | Killed | Ended | Equivalent | Survived | Killed share |
|---|---|---:|---:|---:|---:|---:|---:|---:|
${parts.map(row).join('\n')}

## Mutants that were not noticed

${survivors.length === 0 ? 'None.' : SURVIVORS_HEAD + survivors.map(survivorRow).join('\n')}

## Lines that were broken by hand

Each of these changes went unnoticed once, or stands beside one that did. Test that notices it now:

| Change | File | Noticed by |
|---|---|---|
${(await lineRows()).join('\n')}
`
}

const SURVIVORS_HEAD = `| Id | Place | Change | Test files run | Why |
|---|---|---|---:|---|
`
