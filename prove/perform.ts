/** Runs one program and collects the figures that it reports. */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinFigures, testFigures } from './figures.ts'
import type { Run } from './kinds.ts'
import { conditions } from './machine.ts'
import { hashOfRun, type Result } from './results.ts'
import { createSourceReader, ROOT } from './sources.ts'

const SEED_MAX = 2 ** 31 - 1

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Its output is shown as it comes; Ctrl-C reaches it as well. */
async function launch(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    process.stdout.write(text)
  })
  const [code] = await once(child, 'close')
  return { holds: code === 0, printed }
}

async function readPrinted(run: Run, printed: string): Promise<object> {
  try {
    return (await run.read?.(printed)) ?? {}
  } catch {
    // The program ended before it printed its figures: they are missing, and their targets missed.
    return {}
  }
}

export async function perform(id: string, run: Run): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-prove-'))
  const outputs = { figures: join(folder, 'figures'), tests: join(folder, 'tests.json') }
  const seed = randomInt(SEED_MAX)
  try {
    const before = hashOfRun(run, createSourceReader())
    const under = await conditions(run.sources)
    const begun = performance.now()
    const reporting = { PROVE_OUT: outputs.figures, PROVE_PROPERTY_SEED: String(seed) }
    const { holds, printed } = await launch(run.args(outputs), { ...run.env, ...reporting })
    const seconds = Math.round((performance.now() - begun) / 1000)
    const report = await textOf(outputs.tests)
    const figures = {
      ...testFigures(report === '' ? null : JSON.parse(report)),
      ...(await readPrinted(run, printed)),
      ...joinFigures((await textOf(outputs.figures)) || '{}'),
    }
    const sources = hashOfRun(run, createSourceReader()) === before ? before : null
    return { id, title: run.title, holds, seconds, sources, seed, conditions: under, figures }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
