/**
 * Puts a hash of every script into an import map, the first thing in the page. The browser refuses a
 * script that differs by one byte, and the gateway puts the hash of the map itself into the
 * Content-Security-Policy. So whoever trusts the page trusts every script it will ever load.
 */
import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

/** Name of the script that runs at once, without waiting for the others. */
export const EARLY = 'early'

const sha384 = (text: string | Uint8Array): string =>
  `sha384-${createHash('sha384').update(text).digest('base64')}`

type Output = {
  type: string
  fileName: string
  code?: string
  source?: string | Uint8Array
  isEntry?: boolean
  imports?: readonly string[]
}

function integrityOf(files: readonly Output[]): Record<string, string> {
  const scripts = files.filter(({ fileName }) => fileName.endsWith('.js'))
  return Object.fromEntries(
    scripts
      .map(({ fileName, code, source }) => [`/${fileName}`, sha384(code ?? source ?? '')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** What the entry imports, directly or not, so that the browser fetches it all at once. */
function importedByEntry(files: readonly Output[]): string[] {
  const byName = new Map(files.map((file) => [file.fileName, file]))
  const found = new Set<string>()
  const visit = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    for (const imported of byName.get(name)?.imports ?? []) visit(imported)
  }
  const entries = files.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName)
  for (const entry of entries) visit(entry)
  return [...found].filter((name) => !entries.includes(name)).sort()
}

function headOf(files: readonly Output[], integrity: Record<string, string>): string {
  const preloads = importedByEntry(files).map(
    (name) =>
      `<link rel="modulepreload" crossorigin href="/${name}" integrity="${integrity[`/${name}`]}">`,
  )
  const map = `<script type="importmap">${JSON.stringify({ integrity })}</script>`
  return ['<head>', map, ...preloads].join('\n    ')
}

/**
 * The browser begins to fetch a script of the page before it has read the map. Without the hash at
 * its element too, it would fetch the script once more.
 */
const withHashes = (html: string, integrity: Record<string, string>): string =>
  html.replace(/<script type="module"[^>]* src="([^"]+)"/g, (element, path: string) => {
    const hash = integrity[path]
    if (hash === undefined) return element
    const isEarly = path.startsWith(`/assets/${EARLY}-`)
    return `${element} integrity="${hash}"${isEarly ? ' async fetchpriority="high"' : ''}`
  })

export const importMapIntegrity = (): Plugin => ({
  name: 'import-map-integrity',
  apply: 'build',
  enforce: 'post',
  // After every other plugin has written the final code.
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const files = Object.values(bundle) as Output[]
      const integrity = integrityOf(files)
      const head = headOf(files, integrity)
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.html')) continue
        const html = withHashes(String(file.source), integrity)
        file.source = html.replace('<head>', () => head)
      }
    },
  },
})
