/**
 * Which files a measured result depends on, and one hash over them. A result whose hash differs
 * from that of the working tree is stale: it says nothing about the code as it is now.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createReach, SHARED } from './reached.ts'

export const ROOT = join(import.meta.dirname, '..')

export type Sources = {
  /** Every file below these counts, except test files; each ends with a slash. */
  folders: readonly string[]
  /** Single files, test files among them. */
  files: readonly string[]
  /** What these reach in `test/` and `bench/` counts as well. */
  entries?: readonly string[]
  /** Files that do not influence the result. */
  except?: readonly string[]
}

/** The service, its schema and contracts. */
export const SERVICE_FOLDERS = ['src/', 'packages/proof/src/', 'migrations/', 'contracts/'] as const

/** What `vitest.config.ts` runs before the tests. */
export const SET_UP = [
  'test/support/postgres.ts',
  'test/support/joined-programs.ts',
  'test/support/pages.ts',
  'test/support/property-inputs.ts',
] as const

const GENERATED = ['node_modules', 'dist', 'contracts/build', 'bench/results', 'prove/results']
const isTest = (path: string): boolean => /\.test\.ts$/.test(path)

function isBelow({ folders, files, except = [] }: Sources, path: string): boolean {
  if (files.includes(path)) return true
  if (isTest(path) || except.includes(path)) return false
  return folders.some((folder) => path.startsWith(folder))
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`
    if (GENERATED.includes(path) || GENERATED.includes(entry.name)) return []
    if (entry.isDirectory()) return filesBelow(`${path}/`)
    return entry.isFile() ? [path] : []
  })
}

/** Reads the tree once: make a new one to see later changes. */
export function createSourceReader() {
  const listed = new Map<string, string[]>()
  const digests = new Map<string, string>()

  const list = (folder: string): string[] => {
    const known = listed.get(folder) ?? filesBelow(folder)
    listed.set(folder, known)
    return known
  }
  const reach = createReach({
    paths: SHARED.flatMap(list).filter((path) => !isTest(path)),
    textOf: (path) => readFileSync(join(ROOT, path), 'utf8'),
  })
  const digestOf = (path: string): string => {
    const known =
      digests.get(path) ??
      createHash('sha256')
        .update(readFileSync(join(ROOT, path)))
        .digest('hex')
    digests.set(path, known)
    return known
  }
  const filesOf = (sources: Sources): string[] => {
    const { folders, files, entries = [], except = [] } = sources
    const below = folders.flatMap(list).filter((path) => isBelow(sources, path))
    const reached = [...reach(entries)].filter((path) => !except.includes(path))
    return [...new Set([...below, ...reached, ...files])].toSorted()
  }
  /** `definition` is what else decides the result: a command line and its environment. */
  const hashOf = (sources: Sources, definition: unknown): string => {
    const hash = createHash('sha256').update(JSON.stringify(definition))
    for (const path of filesOf(sources)) hash.update(`\n${path} ${digestOf(path)}`)
    return hash.digest('hex')
  }
  /** Also true of a file that was deleted from one of its folders. */
  const covers = (sources: Sources, path: string): boolean =>
    isBelow(sources, path) || filesOf(sources).includes(path)
  return { filesOf, hashOf, covers }
}

export type SourceReader = ReturnType<typeof createSourceReader>
