/** Output of commands: lines on stdout, and one line on stderr for a failure. */
import { StartupError } from './errors.ts'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Only the message of a StartupError; anything else is a bug and is shown with its stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof StartupError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** How a process ends that fails with this error. */
export const failureOf = (error: unknown): CommandOutcome => ({
  code: error instanceof StartupError ? error.exitCode : 1,
  stdout: '',
  stderr: `${describeFailure(error)}\n`,
})

/** What a command prints; with another exit code where it documents one. */
export type CommandAnswer = string | { text: string; exitCode: number }

export type CommandOutcome = { code: number; stdout: string; stderr: string }

/** Everything that the command's process would print, and its exit code. */
export async function outcomeOf(command: () => Promise<CommandAnswer>): Promise<CommandOutcome> {
  try {
    const answer = await command()
    const { text, exitCode } = typeof answer === 'string' ? { text: answer, exitCode: 0 } : answer
    return { code: exitCode, stdout: `${text}\n`, stderr: '' }
  } catch (error) {
    return failureOf(error)
  }
}

export async function runCommand(command: () => Promise<CommandAnswer>): Promise<void> {
  // `process.exit` runs exit handlers, which end child processes; a default signal does not.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  const { code, stdout, stderr } = await outcomeOf(command)
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = code
}
