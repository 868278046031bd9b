// Every npm script begins here. On Linux (x64, arm64) `npm ci` brings its own Node 24; elsewhere
// the machine must have it, and one line says so instead of a stack trace about `.ts` files.
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

// What was compiled once is not compiled at every start: a third less work. Beside the packages it
// came from, where nobody can write who could not change them too.
modules.enableCompileCache(join(import.meta.dirname, 'node_modules', '.cache', 'compiled'))
