/** The one build configuration of all applications. */
import { resolve } from 'node:path'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import babel from '@rolldown/plugin-babel'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'
import { EARLY, importMapIntegrity } from './import-map-integrity.ts'

export const ROOT = resolve(import.meta.dirname, '../..')

export type Application = {
  /** Folder under `apps`. */
  name: string
  /** HTML files of that folder. Each is built alone, so that no page loads another's code. */
  pages: readonly string[]
}

export const APPLICATIONS: readonly Application[] = [
  { name: 'consumer', pages: ['index.html', 'verify.html'] },
  { name: 'admin', pages: ['index.html'] },
]

/**
 * Without groups each shared icon is a script of its own, and the first screen waits for fifty
 * requests. What every screen needs is one script; icons of other screens are another.
 */
const output = {
  codeSplitting: {
    groups: [
      { name: EARLY, test: /[\\/](?:early[\\/][^\\/]+|early|catalogs)\.ts$/, priority: 3 },
      { name: 'first', tags: ['$initial' as const], priority: 2 },
      { name: 'icons', test: /node_modules[\\/]lucide-react/, priority: 1 },
    ],
  },
}

export const viteConfigOf = ({ name }: Application, page: string, outDir: string): InlineConfig => {
  const folder = resolve(ROOT, 'apps', name)
  return {
    configFile: false,
    root: folder,
    base: '/',
    logLevel: 'warn',
    plugins: [
      tailwindcss(),
      react(),
      lingui({ cwd: ROOT }),
      babel({ presets: [linguiTransformerBabelPreset({}, { cwd: ROOT })] }),
      importMapIntegrity(),
    ],
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2023',
      // Vite's preloads carry no hash, and browsers drop those. The plugin writes its own.
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: { input: resolve(folder, page), output },
    },
  }
}
