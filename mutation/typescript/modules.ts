/** What can be mutated, by the name that the command takes, and which tests take part. */
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mutant } from '#mutation/mutant.ts'
import { mutantsOf } from './operators.ts'

export const ROOT = join(import.meta.dirname, '..', '..')

/** Folders or files of each module, without their subfolders unless a pattern says so. */
export const MODULES: Readonly<Record<string, readonly string[]>> = {
  proof: ['packages/proof/src/*.ts'],
  access: ['src/access/*.ts'],
  payments: ['src/payments/*.ts'],
  'payments/engine': ['src/payments/engine/*.ts'],
  'payments/lane-store': ['src/payments/lane-store/*.ts'],
  'payments/evidence': ['src/payments/evidence/*.ts'],
  treasury: ['src/treasury/*.ts'],
  approvals: ['src/approvals/*.ts'],
  wallets: ['src/wallets/*.ts'],
  journal: ['src/journal/*.ts'],
  idempotency: ['src/platform/idempotency.ts'],
}

/** Described in another way than by code: the OpenAPI document and the artifact have tests. */
const isLeftOut = (path: string): boolean =>
  path.endsWith('.test.ts') || path.endsWith('.schema.ts') || path.endsWith('-artifact.ts')

/** Tests that start processes of their own do not run the mutant; these take minutes each. */
export const TESTS_LEFT_OUT = [
  'test/processes/**',
  'test/browser/**',
  'test/client/{browser,guide,published}.test.ts',
  'test/deploy/**',
  'test/thieves/**',
  'test/contracts/**',
  'test/dev/**',
  'test/fuzz/**',
  'test/chain/**',
  'test/journeys/**',
  'test/prove/**',
  'test/tidy/**',
  'test/tidy.test.ts',
  'test/documents.test.ts',
]

export async function readFiles(patterns: readonly string[]): Promise<Map<string, string>> {
  const paths: string[] = []
  for await (const path of glob([...patterns], { cwd: ROOT })) paths.push(path)
  const kept = paths.filter((path) => !isLeftOut(path)).sort()
  return new Map(
    await Promise.all(
      kept.map(async (path) => [path, await readFile(join(ROOT, path), 'utf8')] as const),
    ),
  )
}

export async function mutantsOfModule(name: string): Promise<Mutant[]> {
  const files = await readFiles(MODULES[name] ?? [])
  return [...files].flatMap(([file, source]) => mutantsOf(file, source))
}
