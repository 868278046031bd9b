/**
 * `npm run build:service`: bundles the processes of a deployment into `dist`, where
 * `dist/src/main.mjs` is `src/main.ts` with everything it imports.
 */
import { join, resolve } from 'node:path'
import { bundleAnew, ROOT } from './bundle.ts'

const PROCESSES = ['main', 'worker', 'web']

const folder = resolve(process.argv[2] ?? join(ROOT, 'dist'))
await bundleAnew(
  PROCESSES.map((name) => `src/${name}.ts`),
  folder,
)
for (const name of PROCESSES) process.stdout.write(`${join(folder, 'src', name)}.mjs\n`)
