/** Finds a running service for the demo, or starts one. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '#platform/config/config.ts'
import { StartupError } from '#platform/errors.ts'
import { readAbout } from './demo-client.ts'

const STARTED_WITHIN_MS = 40_000

export const isRunning = (helper: string): Promise<boolean> =>
  readAbout(helper).then(
    ({ api }) => Boolean(api),
    () => false,
  )

/** Runs the demo against a new service with a temporary folder and free ports. */
export async function withOwnService(work: (helper: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'))
  const service = spawn(
    process.execPath,
    ['--import', './require-node.mjs', join(import.meta.dirname, 'start.ts')],
    {
      cwd: join(import.meta.dirname, '..', '..'),
      env: {
        ...readEnvironment(),
        DATA_DIR: folder,
        PORT: '0',
        DEV_PORT: '0',
        DEV_CHAIN_PORT: '0',
        WEB_PORT: 'off',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()))
  try {
    await work(await helperOf(service.stdout))
  } finally {
    service.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}

async function helperOf(output: AsyncIterable<Buffer>): Promise<string> {
  const timer = AbortSignal.timeout(STARTED_WITHIN_MS)
  let text = ''
  for await (const chunk of output) {
    text += chunk.toString()
    const found = /Helper\s+(http:\S+)/.exec(text)
    if (found?.[1] && text.includes('Ctrl-C')) return found[1]
    if (timer.aborted) break
  }
  throw new StartupError('The service did not start in time.')
}
