/** The database goes back to a backup: what was signed since is known to the chain alone. */
import type { Workers } from './faults.ts'
import type { Stage } from './stage.ts'

type RestoreInput = Stage & { workers: Workers }

export function restoreBackup({
  scheduler,
  random,
  rows,
  store,
  workers,
  note,
}: RestoreInput): void {
  scheduler.after(random.integer(10_000, 30_000), () => {
    const lanes = structuredClone([...store.lanes.values()])
    const payments = structuredClone(rows)
    note('the backup is made')
    scheduler.after(random.integer(5_000, 40_000), () => {
      note('the backup is restored')
      // Nobody works while a database is replaced.
      workers.crashAll()
      for (const lane of lanes) store.lanes.set(lane.id, { ...lane, leasedUntilMs: 0 })
      for (const [index, row] of rows.entries()) Object.assign(row, payments[index])
      return false
    })
    return false
  })
}
