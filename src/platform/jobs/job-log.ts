/** Logs one line per job run: job, organization, source request and outcome. */
import type { Job } from 'graphile-worker'
import type { Log } from '#platform/log.ts'
import { inRequest, splitRequest } from '#platform/request-trace.ts'

export type JobResult = { job: string; ok: boolean; seconds: number }

type Work = (payload: unknown) => Promise<void>
type Observers = { log: Log; onJobDone?: ((result: JobResult) => void) | undefined }

const organizationOf = (payload: unknown): unknown =>
  typeof payload === 'object' && payload !== null && 'organizationId' in payload
    ? payload.organizationId
    : null

/** Of the payload only the organization's id is logged. */
export function loggedJob(name: string, work: Work, { log, onJobDone }: Observers) {
  return async (stored: unknown, { job }: { job: Job }): Promise<void> => {
    const { payload, requestId } = splitRequest(stored)
    const about = {
      job: name,
      jobId: String(job.id),
      attempt: job.attempts,
      requestId,
      organizationId: organizationOf(payload),
    }
    const started = performance.now()
    const ended = (ok: boolean) => {
      const seconds = (performance.now() - started) / 1000
      onJobDone?.({ job: name, ok, seconds })
      return { ms: Math.round(seconds * 1000) }
    }
    try {
      await inRequest(requestId, () => work(payload))
      log.info({ ...about, outcome: 'done', ...ended(true) }, 'job')
    } catch (err) {
      const outcome = job.attempts < job.max_attempts ? 'will_retry' : 'failed'
      log.warn({ ...about, outcome, ...ended(false), err }, 'job')
      throw err
    }
  }
}
