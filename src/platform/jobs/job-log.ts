/** Logs one line per job run: job, organization, source request and outcome. */
import type { Job } from 'graphile-worker'
import type { Log } from '#platform/log.ts'
import { inRequest, splitRequest } from '#platform/request-trace.ts'
import { currentTracer } from '#platform/tracing.ts'

export type JobResult = { job: string; ok: boolean; seconds: number }

type Work = (payload: unknown) => Promise<void>
type Observers = { log: Log; onJobDone?: ((result: JobResult) => void) | undefined }

const organizationOf = (payload: unknown): unknown =>
  typeof payload === 'object' && payload !== null && 'organizationId' in payload
    ? payload.organizationId
    : null

type About = {
  job: string
  jobId: string
  attempt: number
  requestId: string | null
  organizationId: unknown
}

function traced(about: About, work: () => Promise<void>): Promise<void> {
  const tracer = currentTracer()
  if (!tracer) return work()
  const { job, jobId, attempt, requestId, organizationId } = about
  const attributes = {
    'messaging.system': 'postgresql',
    'messaging.message.id': jobId,
    'countersign.job': job,
    'countersign.attempt': attempt,
    ...(typeof organizationId === 'string' && { 'countersign.organization_id': organizationId }),
  }
  return tracer.runJob(requestId, { name: `job ${job}`, kind: 'consumer', attributes }, work)
}

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
      await traced(about, () => inRequest(requestId, () => work(payload)))
      log.info({ ...about, outcome: 'done', ...ended(true) }, 'job')
    } catch (err) {
      const outcome = job.attempts < job.max_attempts ? 'will_retry' : 'failed'
      log.warn({ ...about, outcome, ...ended(false), err }, 'job')
      throw err
    }
  }
}
