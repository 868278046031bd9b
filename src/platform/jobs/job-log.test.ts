import type { Job } from 'graphile-worker'
import { describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import { currentRequestId } from '#platform/request-trace.ts'
import { loggedJob } from './job-log.ts'

type Line = Record<string, unknown>

/** Runs one attempt of a job and returns its only log line. */
async function runOnce(
  stored: unknown,
  { attempts, work }: { attempts: number; work: (payload: unknown) => Promise<void> },
): Promise<Line> {
  const lines: Line[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLog({ level: 'info', destination })
  const job = { id: '7', attempts, max_attempts: 3 } as Job
  await loggedJob('expire_approval', work, { log })(stored, { job }).catch(() => {})
  expect(lines).toHaveLength(1)
  return lines[0] ?? {}
}

const fails = async () => {
  throw new Error('The node is silent')
}
const stored = { organizationId: 'org', approvalId: 'secret-ish', sourceRequestId: 'r-1' }

describe('the log line of a job', () => {
  test('names only job, attempt, request, organization and outcome', async () => {
    const line = await runOnce(stored, { attempts: 1, work: async () => {} })
    expect(line).toMatchObject({
      level: 'info',
      msg: 'job',
      job: 'expire_approval',
      jobId: '7',
      attempt: 1,
      requestId: 'r-1',
      organizationId: 'org',
      outcome: 'done',
      ms: expect.any(Number),
    })
    expect(JSON.stringify(line)).not.toContain('secret-ish')
  })

  test.each([
    [2, 'will_retry'],
    [3, 'failed'],
  ])('states that failed attempt %i of 3 %s', async (attempts, outcome) => {
    const line = await runOnce(stored, { attempts, work: fails })
    expect(line).toMatchObject({ level: 'warn', outcome, err: { message: 'The node is silent' } })
  })

  test('has null for a job without a request or organization', async () => {
    const line = await runOnce({}, { attempts: 1, work: async () => {} })
    expect(line).toMatchObject({ requestId: null, organizationId: null })
  })
})

test('the payload excludes the request id, which is current while the job runs', async () => {
  const seen: unknown[] = []
  const work = async (payload: unknown) => void seen.push(payload, currentRequestId())
  await runOnce(stored, { attempts: 1, work })
  expect(seen).toEqual([{ organizationId: 'org', approvalId: 'secret-ish' }, 'r-1'])
  expect(currentRequestId()).toBeNull()
})
