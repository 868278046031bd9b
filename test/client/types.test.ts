/** What the client takes from openapi.json is generated again and compared. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OPERATIONS } from '@countersign/client/operations.ts'
import { expect, test } from 'vitest'
import { document } from '#test/support/contract.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const GENERATOR = join(ROOT, 'tools', 'openapi-types', 'src', 'generate.ts')

test('schema.ts and operations.ts match openapi.json', async () => {
  const run = promisify(execFile)
  const checked = run(process.execPath, [GENERATOR, '--check']).catch(({ stderr }) => ({ stderr }))
  expect((await checked).stderr).toBe('')
})

test('every operation with a cursor is a list, except the streams', () => {
  type Documented = { operationId?: string; parameters?: { name: string }[] }
  const paged = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods) as Documented[])
    .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'cursor'))
    .map(({ operationId }) => operationId)
    .filter((id) => id !== 'streamLive' && id !== 'streamAdminLive')
  const lists = Object.entries(OPERATIONS)
    .filter(([, operation]) => 'list' in operation)
    .map(([id]) => id)
  expect(lists.sort()).toEqual(paged.sort())
})
