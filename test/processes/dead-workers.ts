/** The time after the death of workers, without waiting for it. The proofs do wait. */
import type { TestDatabase } from '#test/support/database.ts'

/**
 * Simulates that the 15 s of the dead workers' leases and locks have passed. A living worker beats
 * again within a second.
 */
export async function letTimePass({ asOwner }: TestDatabase): Promise<void> {
  for (const table of ['executor_bindings', 'agent_runs']) {
    await asOwner(`update ${table} set lease_until = now() where lease_until > now()`)
  }
  for (const [table, column] of [
    ['worker_processes', 'beat_at'],
    ['graphile_worker._private_jobs', 'locked_at'],
    ['graphile_worker._private_job_queues', 'locked_at'],
  ]) {
    await asOwner(`update ${table} set ${column} = ${column} - interval '6 seconds'`)
  }
}
