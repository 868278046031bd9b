/**
 * Bundles programs with the modules they load into a few files. Finding, opening and linking a
 * thousand files is most of a process's start-up. Bundles hold the paths of the files that they
 * read, so they run only where they were made.
 */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

export const ROOT = join(import.meta.dirname, '..', '..')

/** With what they import: packages that every start loads and that read no file beside them. */
const PACKAGES = [
  ...['@countersign', '@fastify', '@hpke', '@scure', 'ajv', 'canonicalize', 'content-disposition'],
  ...['fastify', 'jose', 'pg', 'pino', 'prom-client', 'sql-template-tag', 'typebox', 'viem'],
]
const JOINED = new RegExp(`^([.#/]|(${PACKAGES.join('|')})(/|$))`)

const isOwn = (path: string): boolean => !relative(ROOT, path).startsWith('node_modules')

const nameOf = (path: string): string => relative(ROOT, path).replace(/\.ts$/, '')

/** Own modules keep their places: they find migrations there, and know which program is running. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform(code, path) {
    if (!isOwn(path) || !code.includes('import.meta.')) return null
    const program = JSON.stringify(`/${nameOf(path)}.mjs`)
    return code
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.main', `(process.argv[1] ?? '').endsWith(${program})`)
  },
}

/**
 * `src/main.ts` becomes `src/main.mjs` in a new folder beside `folder`. Returns that folder; the
 * caller moves it into place, because somebody may be reading the one before.
 */
async function writeBundle(programs: readonly string[], folder: string): Promise<string> {
  await mkdir(dirname(folder), { recursive: true })
  const fresh = await mkdtemp(`${folder}-`)
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(programs.map((path) => [nameOf(join(ROOT, path)), path])),
    platform: 'node',
    external: (id, from) =>
      id.startsWith('node:') || (from !== undefined && isOwn(from) && !JOINED.test(id)),
    plugins: [keepPlaces],
    // Without tree shaking: it saves little, and what runs is what was written.
    treeshake: false,
  })
  await bundle.write({
    dir: fresh,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()
  return fresh
}

/** A folder that exists already stays as it is: its name stands for its content. */
export async function bundleOnce(programs: readonly string[], folder: string): Promise<void> {
  const fresh = await writeBundle(programs, folder)
  await rename(fresh, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}

/** Replaces the folder. Restart what runs from it: processes load some parts only when needed. */
export async function bundleAnew(programs: readonly string[], folder: string): Promise<void> {
  const fresh = await writeBundle(programs, folder)
  await rm(folder, { recursive: true, force: true })
  await rename(fresh, folder)
}
