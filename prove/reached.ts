/**
 * Shared files of tests and benchmarks count only for runs that reach them: by an import, or by a
 * name in quotes, because processes are started and fixtures read by path. A name that only looks
 * like a file makes a run cover more than it must, never less.
 */
import { posix } from 'node:path'

/** Code between tests; `src/` and the packages count as a whole. */
export const SHARED = ['test/', 'bench/'] as const

const QUOTED = /['"`]([#\w./-]+)['"`]/g

type Tree = {
  /** Every file below `SHARED`. */
  paths: readonly string[]
  textOf(path: string): string
}

/**
 * The files that a quoted name may stand for: a bare one is in any folder, and one without its
 * ending is in the same folder or below.
 */
function namedFiles(paths: readonly string[], from: string, name: string): string[] {
  const folder = posix.dirname(from)
  if (name.startsWith('./')) return [posix.join(folder, name)]
  const fromRoot = name.replace(/^#/, '')
  if (SHARED.some((shared) => fromRoot.startsWith(shared))) return [fromRoot]
  if (posix.extname(name) !== '') return paths.filter((path) => path.endsWith(`/${name}`))
  return paths.filter((path) => path.startsWith(`${folder}/`) && path.endsWith(`/${name}.ts`))
}

/** The entries and everything below `SHARED` that they reach, directly or not. */
export function createReach({ paths, textOf }: Tree) {
  const known = new Set(paths)
  const next = new Map<string, readonly string[]>()

  const nextOf = (path: string): readonly string[] => {
    const read =
      next.get(path) ??
      [...textOf(path).matchAll(QUOTED)]
        .flatMap(([, name = '']) => namedFiles(paths, path, name))
        .filter((file) => known.has(file))
    next.set(path, read)
    return read
  }
  return (entries: readonly string[]): Set<string> => {
    const reached = new Set(entries)
    // A set is walked in the order of its growth, so this ends when nothing new is reached.
    for (const path of reached) for (const file of nextOf(path)) reached.add(file)
    return reached
  }
}
