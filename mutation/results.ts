/** Verdicts of a run, a line each, so that a run that was stopped continues where it was. */
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

export type Results<Verdict> = {
  verdicts: Map<string, Verdict>
  add(id: string, verdict: Verdict): Promise<void>
}

export async function openResults<Verdict>(file: string): Promise<Results<Verdict>> {
  await mkdir(dirname(file), { recursive: true })
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const verdicts = new Map(lines.map((line) => JSON.parse(line) as [string, Verdict]))
  return {
    verdicts,
    async add(id, verdict) {
      verdicts.set(id, verdict)
      await appendFile(file, `${JSON.stringify([id, verdict])}\n`)
    },
  }
}
