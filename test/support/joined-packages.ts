/**
 * Bundles packages of hundreds of files into a few, once for each state of the lock file. Finding
 * and opening files is half of a process's start-up, and tests start hundreds of processes.
 * Processes started through npm read the packages as they are.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** For `node --import`. */
    joinedPackages: string
  }
}

const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = join(ROOT, 'node_modules', '.cache')

/** ES modules only: nothing in them depends on its location. */
const JOINED = {
  jose: 'jose',
  typebox: 'typebox',
  'typebox-value': 'typebox/value',
  viem: 'viem',
  'viem-accounts': 'viem/accounts',
  'viem-utils': 'viem/utils',
}

const HOOK = `import { registerHooks } from 'node:module'
const joined = ${JSON.stringify(Object.fromEntries(Object.entries(JOINED).map(([k, v]) => [v, k])))}
registerHooks({
  resolve(specifier, context, next) {
    if (!Object.hasOwn(joined, specifier)) return next(specifier, context)
    const { href: url } = new URL(\`\${joined[specifier]}.mjs\`, import.meta.url)
    return { url, format: 'module', shortCircuit: true }
  },
})
`

async function joinPackages(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  // Moved into place atomically, because another run may be reading.
  const fresh = await mkdtemp(`${folder}-`)
  const bundle = await rolldown({
    cwd: ROOT,
    input: JOINED,
    platform: 'node',
    external: /^node:/,
    // Without tree shaking, so that tests see all of it.
    treeshake: false,
  })
  await bundle.write({
    dir: fresh,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()
  await writeFile(join(fresh, 'hook.mjs'), HOOK)
  await rename(fresh, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true })
    // Another run has bundled the same meanwhile.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}

export async function setup(project: TestProject): Promise<void> {
  const versions = await readFile(join(ROOT, 'package-lock.json'))
  const own = await readFile(import.meta.filename)
  const state = createHash('sha256').update(versions).update(own).digest('hex').slice(0, 16)
  const folder = join(CACHE, `joined-${state}`)
  if (!existsSync(folder)) await joinPackages(folder)
  project.provide('joinedPackages', pathToFileURL(join(folder, 'hook.mjs')).href)
}
