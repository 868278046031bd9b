/** Breaks the listed lines one at a time and stores whether the tests named for it notice. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openResults, type Results } from '#mutation/results.ts'
import { BROKEN_LINES, type BrokenLine } from './broken-lines.ts'
import { ROOT } from './modules.ts'
import type { TestRunner, Verdict } from './test-runner.ts'

/** `source` says of which state of the file the verdict is. */
type JudgedLine = Verdict & { source?: string }

export const lineResults = (): Promise<Results<JudgedLine>> =>
  openResults(join(ROOT, 'mutation/results/lines.jsonl'))

export const idOf = (line: BrokenLine): string =>
  createHash('sha256').update(JSON.stringify(line)).digest('hex').slice(0, 8)

export async function judgeLines(runner: TestRunner): Promise<void> {
  const results = await lineResults()
  for (const line of BROKEN_LINES) {
    const { what, file, find, replace, tests } = line
    const source = await readFile(join(ROOT, file), 'utf8')
    if (source.split(find).length !== 2) throw new Error(`This line is not there once: ${what}`)
    const state = createHash('sha256').update(source).digest('hex').slice(0, 16)
    const known = results.verdicts.get(idOf(line))
    if (known?.outcome === 'killed' && known.source === state) continue
    const verdict = await runner.run({ file, source: source.replace(find, () => replace) }, tests)
    await results.add(idOf(line), { ...verdict, source: state })
    process.stdout.write(`${verdict.outcome} ${what}\n    ${verdict.by?.slice(0, 150)}\n`)
  }
}
