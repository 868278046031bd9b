/** Runs one program and gathers what it has told. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinTold, testFigures } from './figures.ts'
import type { Run } from './kinds.ts'
import { conditions, ROOT } from './machine.ts'
import type { Result } from './results.ts'

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Shown as it goes; Ctrl-C reaches it as well. */
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
  return { isFine: code === 0, printed }
}

async function readPrinted(run: Run, printed: string): Promise<object> {
  try {
    return (await run.read?.(printed)) ?? {}
  } catch {
    // It was broken off before it had told anything.
    return {}
  }
}

export async function perform(id: string, run: Run): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-prove-'))
  const out = { told: join(folder, 'told'), tests: join(folder, 'tests.json') }
  try {
    const under = await conditions()
    const begun = performance.now()
    const env = { ...run.env, PROVE_OUT: out.told }
    const { isFine, printed } = await launch(run.args(out), env)
    const seconds = Math.round((performance.now() - begun) / 1000)
    const report = await textOf(out.tests)
    const figures = {
      ...testFigures(report === '' ? null : JSON.parse(report)),
      ...(await readPrinted(run, printed)),
      ...joinTold((await textOf(out.told)) || '{}'),
    }
    return { id, title: run.title, holds: isFine, seconds, conditions: under, figures }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
