/** Output of commands: lines on stdout, and one line on stderr for a failure. */
import { StartupError } from './errors.ts'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Only the message of a StartupError; anything else is a bug and is shown with its stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof StartupError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

export async function runCommand(command: () => Promise<string>): Promise<void> {
  // `process.exit` runs exit handlers, which end child processes; a default signal does not.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  try {
    say(await command())
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exitCode = error instanceof StartupError ? error.exitCode : 1
  }
}
