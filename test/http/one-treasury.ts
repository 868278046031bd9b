/** One application, worker and chain for all modules of a test file. */
import type { Environment } from '#platform/config/config.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

let started: Promise<Treasury> | undefined

async function start(env: Environment): Promise<Treasury> {
  const treasury = await startTreasury({ env })
  await liftOwnersRowSecurity(treasury.service.database)
  return treasury
}

/** The first module starts it; all of one file ask for the same environment. */
export function oneTreasury(env: Environment = {}): Promise<Treasury> {
  started ??= start(env)
  return started
}

/** Afterwards the next file starts another. */
export async function stopOneTreasury(): Promise<void> {
  const treasury = await started
  started = undefined
  await treasury?.stop()
}
