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
