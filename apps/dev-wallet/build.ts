/** Builds `dist/wallet.js`, which the gateway serves under `npm start` only. */
import { join } from 'node:path'
import { build } from 'rolldown'

await build({
  input: join(import.meta.dirname, 'src', 'wallet.ts'),
  platform: 'browser',
  treeshake: true,
  logLevel: 'warn',
  output: {
    file: join(import.meta.dirname, 'dist', 'wallet.js'),
    format: 'esm',
    minify: true,
    codeSplitting: false,
  },
})
