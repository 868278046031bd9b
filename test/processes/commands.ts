/** Commands in the test's own process: what they print, and their exit code. */
import { type CommandAnswer, type CommandOutcome, outcomeOf } from '#platform/terminal.ts'
import type { Environment } from './processes.ts'

type Main = (args: string[], env: Environment) => Promise<CommandAnswer>

/** Starting a process for each would take longer than what it does. */
export const commandHere = (
  main: Main,
  args: string[],
  env: Environment = {},
): Promise<CommandOutcome> => outcomeOf(() => main(args, env))
