/** What a person at the terminal sees: lines on stdout, and one clear line when it goes wrong. */
import { StartupError } from './errors.ts'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** A StartupError is meant for the reader; anything else is a bug and keeps its stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof StartupError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

export async function runCommand(command: () => Promise<string>): Promise<void> {
  // An exit, unlike a death by the signal, takes along what was started for the command.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  try {
    say(await command())
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exitCode = error instanceof StartupError ? error.exitCode : 1
  }
}
