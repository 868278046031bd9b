/**
 * Puts a hash of every script into an import map, the first thing in the page. The browser refuses a
 * script that differs by one byte, and the gateway puts the hash of the map itself into the
 * Content-Security-Policy. So whoever trusts the page trusts every script it will ever load.
 */
import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

const sha384 = (text: string | Uint8Array): string =>
  `sha384-${createHash('sha384').update(text).digest('base64')}`

type Chunk = { type: string; fileName: string; code?: string; source?: string | Uint8Array }

export function integrityOf(chunks: readonly Chunk[]): Record<string, string> {
  const scripts = chunks.filter(({ fileName }) => fileName.endsWith('.js'))
  return Object.fromEntries(
    scripts
      .map(({ fileName, code, source }) => [`/${fileName}`, sha384(code ?? source ?? '')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

export const importMapIntegrity = (): Plugin => ({
  name: 'import-map-integrity',
  apply: 'build',
  enforce: 'post',
  // After every other plugin has written the final code.
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const map = JSON.stringify({ integrity: integrityOf(Object.values(bundle) as Chunk[]) })
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.html')) continue
        const html = String(file.source)
        file.source = html.replace(
          '<head>',
          () => `<head>\n    <script type="importmap">${map}</script>`,
        )
      }
    },
  },
})
