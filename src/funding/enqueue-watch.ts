/** Schedules the next run of `watch-control.ts`. */
import type { Context } from '#context.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'

export const enqueueWatch = (
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  payload: JobPayloads['watch_funding'],
  inSeconds: number,
): void =>
  enqueue(tx, 'watch_funding', payload, {
    key: `watch_funding:${payload.controlId}`,
    runAt: addSeconds(ctx.clock.now(), inSeconds),
    isPeriodic: true,
  })
