/** Restores the database from a backup: only the chain knows what was signed since. */
import type { Workers } from './faults.ts'
import type { Stage } from './stage.ts'

/** Returns whether it is finished. */
export function restoreBackup(input: Stage & { workers: Workers }): () => boolean {
  const { scheduler, random, rows, tables, workers, note } = input
  let isOver = false
  scheduler.after(random.integer(2_000, 14_000), () => {
    const lanes = structuredClone([...tables.lanes.values()])
    const payments = structuredClone(rows)
    note('the backup is made')
    scheduler.after(random.integer(1_000, 25_000), () => {
      note('the backup is restored')
      // No worker runs while a database is replaced.
      workers.crashAll()
      for (const lane of lanes) tables.lanes.set(lane.id, { ...lane, leasedUntilMs: 0 })
      for (const [index, row] of rows.entries()) Object.assign(row, payments[index])
      isOver = true
      return false
    })
    return false
  })
  return () => isOver
}
