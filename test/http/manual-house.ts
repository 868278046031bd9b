/** An organization whose payments wait for their release, for all modules of a test file. */
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury } from '#test/support/treasury.ts'

let opened: Promise<PayingHouse> | undefined

async function open(): Promise<PayingHouse> {
  const treasury = await startTreasury({ env: { PAYMENT_RELEASE: 'manual' } })
  await liftOwnersRowSecurity(treasury.service.database)
  return openPayingHouse(treasury)
}

/** The first module opens it. Each test pays expenses of its own. */
export function manualHouse(): Promise<PayingHouse> {
  opened ??= open()
  return opened
}

/** Afterwards the next file opens another. */
export async function closeManualHouse(): Promise<void> {
  const house = await opened
  opened = undefined
  await house?.treasury.stop()
}
