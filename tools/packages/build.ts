/**
 * Builds a workspace of `packages/` for publishing: JavaScript and declarations in its `dist`.
 * Inside the repository everything imports the sources (`@countersign/proof/digest.ts`), which need
 * no build; published files import `@countersign/proof/digest`.
 */
import { spawnSync } from 'node:child_process'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCE_IMPORT = /(['"]@countersign\/[\w-]+\/[\w-]+)\.ts(['"])/g
/** The compiler rewrites these in JavaScript, but not in declarations. */
const RELATIVE_IMPORT = /(['"]\.\/[\w-]+)\.ts(['"])/g

const [name = ''] = process.argv.slice(2)
const folder = join(ROOT, 'packages', name)
const dist = join(folder, 'dist')

await rm(dist, { recursive: true, force: true })
const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.json')], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)
for (const file of await readdir(dist)) {
  const path = join(dist, file)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(SOURCE_IMPORT, '$1$2').replace(RELATIVE_IMPORT, '$1.js$2'))
}
await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
