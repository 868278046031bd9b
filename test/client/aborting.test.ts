/** Time-outs and signals end a request also after a garbage collection, when Node forgets them. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')

type Found = { unanswered: unknown; halfway: unknown; stream: unknown }

let found: Found

/** A process of its own: collecting the garbage of this one, with all its modules, takes long. */
beforeAll(async () => {
  const program = fileURLToPath(new URL('./fixtures/aborting.ts', import.meta.url))
  const flags = ['--expose-gc', '--import', './require-node.mjs']
  const run = promisify(execFile)
  // Requests that never end would keep it running.
  const { stdout } = await run(process.execPath, [...flags, program], {
    cwd: ROOT,
    timeout: 60_000,
  })
  found = JSON.parse(stdout)
})

test('a call without an answer ends at its time-out', () => {
  expect(found.unanswered).toMatchObject({ failure: { code: 'timeout' } })
})

test('a call whose answer stops halfway ends at its time-out', () => {
  expect(found.halfway).toMatchObject({ failure: { code: 'timeout' } })
})

test('a signal ends a stream, and closes its connection', () => {
  expect(found.stream).toBe('lost')
})
