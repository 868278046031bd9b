/** `npm run build:web`: builds and compresses the pages, and prints one hash per application. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { APPLICATIONS, type Application, ROOT, viteConfigOf } from './vite-config.ts'

const COMPRESSED = /\.(?:js|css|html|svg|json|webmanifest)$/

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort()

/** One hash over names and contents: two builds of one commit can be compared by it. */
function hashOfBuild(folder: string): string {
  const hash = createHash('sha256')
  for (const path of filesIn(folder)) {
    hash
      .update(`${relative(folder, path)}\0`)
      .update(readFileSync(path))
      .update('\0')
  }
  return hash.digest('hex')
}

function compress(folder: string): void {
  for (const path of filesIn(folder).filter((name) => COMPRESSED.test(name))) {
    const bytes = readFileSync(path)
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

async function buildApplication(application: Application, folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  for (const page of application.pages) await build(viteConfigOf(application, page, folder))
  return hashOfBuild(folder)
}

/** What a gateway serves besides the files themselves. */
function complete(folder: string, hash: string): void {
  compress(folder)
  writeFileSync(join(folder, 'build.json'), `${JSON.stringify({ hash })}\n`)
}

if (import.meta.main) {
  // A folder other than the usual ones, to compare two builds by their hashes, and what to build.
  const [elsewhere, ...names] = process.argv.slice(2)
  const isWanted = ({ name }: Application) => names.length === 0 || names.includes(name)
  for (const application of APPLICATIONS.filter(isWanted)) {
    const { name } = application
    const folder = elsewhere ? join(elsewhere, name) : resolve(ROOT, 'apps', name, 'dist')
    const hash = await buildApplication(application, folder)
    if (!elsewhere) complete(folder, hash)
    process.stdout.write(`${name} ${hash}\n`)
  }
  // Served by the gateway under `npm start` only; no part of the applications.
  if (!elsewhere) await import('../../apps/dev-wallet/build.ts')
}
