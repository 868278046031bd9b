/**
 * Which files a measured result depends on, and one hash over them. A result whose hash differs
 * from that of the working tree is stale: it says nothing about the code as it is now.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

export type Sources = {
  /** Every file below these counts, except test files; each ends with a slash. */
  folders: readonly string[]
  /** Single files, test files among them. */
  files: readonly string[]
  /** Files in `folders` that do not influence the result. */
  except?: readonly string[]
}

/** The service, its schema and contracts, and what tests share. */
export const SERVICE_FOLDERS = [
  'src/',
  'packages/proof/src/',
  'migrations/',
  'contracts/',
  'test/',
] as const

const GENERATED = ['node_modules', 'dist', 'contracts/build', 'bench/results', 'prove/results']
const isTest = (path: string): boolean => /\.test\.ts$/.test(path)

export function covers({ folders, files, except = [] }: Sources, path: string): boolean {
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
    const below = sources.folders.flatMap(list).filter((path) => covers(sources, path))
    return [...new Set([...below, ...sources.files])].toSorted()
  }
  /** `definition` is what else decides the result: a command line and its environment. */
  const hashOf = (sources: Sources, definition: unknown): string => {
    const hash = createHash('sha256').update(JSON.stringify(definition))
    for (const path of filesOf(sources)) hash.update(`\n${path} ${digestOf(path)}`)
    return hash.digest('hex')
  }
  return { filesOf, hashOf }
}

export type SourceReader = ReturnType<typeof createSourceReader>
