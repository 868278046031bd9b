// Every npm script imports this first. On Linux (x64, arm64) `npm ci` installs Node 24; elsewhere
// the machine must have it, and this prints one line instead of a stack trace about `.ts` files.
import * as modules from 'node:module'
import { join } from 'node:path'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `Countersign needs Node 24.15 or later on the path; this is ${process.versions.node}. ` +
      'On Linux x64 and arm64 `npm ci` installs it: run `npm ci` first.\n',
  )
  process.exit(1)
}

// The compile cache saves a third of the CPU time at start. It is inside node_modules, where only
// somebody who could change the packages anyway can write.
modules.enableCompileCache(join(import.meta.dirname, 'node_modules', '.cache', 'compiled'))

// Node looks for a package.json and a symbolic link behind every import, which takes a quarter of
// the time at start. Files of this repository need neither, nor do those of viem and its parts: the
// specifier of an import is the path of its file. `node-version.test.ts` compares the two.
const root = new URL('./', import.meta.url).href
const isOther = /^#(?:test|prove|bench|mutation|tools)\//
const isRelative = /^\.\.?\//

function urlOf(specifier, parent) {
  if (parent.includes('/_esm/')) {
    return isRelative.test(specifier) ? new URL(specifier, parent).href : undefined
  }
  if (!specifier.endsWith('.ts') || parent.includes('/node_modules/')) return undefined
  if (isRelative.test(specifier)) return new URL(specifier, parent).href
  const isOurs = specifier.startsWith('#') && !isOther.test(specifier)
  return isOurs ? `${root}src/${specifier.slice(1)}` : undefined
}

modules.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL: parent = '' } = context
    const url = parent.startsWith(root) ? urlOf(specifier, parent) : undefined
    if (!url) return next(specifier, context)
    return { url, format: url.endsWith('.ts') ? 'module-typescript' : 'module', shortCircuit: true }
  },
})
