/**
 * Writes what `packages/client` takes from openapi.json: the types (`schema.ts`) and the table of
 * operations (`operations.ts`). With `--check` it only compares, and fails if a file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { hexType, withTextInRequests } from './hex-types.ts'
import { type Document, operationsSource } from './operations-source.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const TARGET = join(ROOT, 'packages', 'client', 'src')
const NOTE = '/** Generated from openapi.json by `npm run client:types`. Do not edit. */\n'

async function sourcesOf(document: Document): Promise<Record<string, string>> {
  const types = await openapiTS(withTextInRequests(document) as never, { transform: hexType })
  return {
    'schema.ts': `${NOTE}${astToString(types)}`,
    'operations.ts': `${NOTE}${operationsSource(document)}`,
  }
}

const document: Document = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'))
const isCheck = process.argv.includes('--check')

for (const [name, source] of Object.entries(await sourcesOf(document))) {
  const path = join(TARGET, name)
  if (!isCheck) await writeFile(path, source)
  else if ((await readFile(path, 'utf8').catch(() => '')) !== source) {
    process.exitCode = 1
    process.stderr.write(`${name} does not match openapi.json. Run npm run client:types.\n`)
  }
}
