/** The flags of `npm start`. */
import { StartupError } from '#platform/errors.ts'

export type StartFlags = {
  /** Have the demo organization before the greeting. */
  demo: boolean
}

export function readStartFlags(args: readonly string[]): StartFlags {
  const unknown = args.find((arg) => arg !== '--demo')
  if (unknown === undefined) return { demo: args.includes('--demo') }
  throw new StartupError(
    `npm start does not know ${unknown}. Its only flag is --demo: npm start -- --demo`,
    { exitCode: 2 },
  )
}
