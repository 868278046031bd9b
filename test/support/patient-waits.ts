/**
 * `vi.waitFor` looks every 100 ms unless told otherwise, as `expect.poll` does. Its default of 50
 * costs more than it gains: most conditions read the database, and other tests wait for the CPU.
 */
import { vi } from 'vitest'

type WaitFor = typeof vi.waitFor

const INTERVAL_MS = 100
const known = vi as { waitFor: WaitFor & { isPatient?: boolean } }

// A worker evaluates this once for each file.
if (!known.waitFor.isPatient) {
  const { waitFor } = vi
  const patient: WaitFor = (condition, options = {}) => {
    const own = typeof options === 'number' ? { timeout: options } : options
    return waitFor(condition, { interval: INTERVAL_MS, ...own })
  }
  known.waitFor = Object.assign(patient, { isPatient: true })
}
