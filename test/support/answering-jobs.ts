/**
 * For requests that wait for a worker in tests that start none: the first one starts a job runner
 * that handles only the jobs which answer requests. Where a worker runs, either may take the job.
 */
import type { Context } from '#context.ts'
import { attachRequestedControl } from '#funding/attach-control.ts'
import type { Outcomes } from '#platform/jobs/await-outcome.ts'
import { type JobRunner, startJobRunner } from '#platform/jobs/job-runner.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { exportWallet } from '#wallets/export-wallet.ts'
import { createRequestedWallet } from '#wallets/provision-wallet.ts'

export type AnsweringJobs = { outcomes: Outcomes; stop(): Promise<void> }

export function answeringJobs(context: () => Context, outcomes: Outcomes): AnsweringJobs {
  let runner: Promise<JobRunner> | undefined
  const start = () => {
    const ctx = context()
    return startJobRunner({
      url: ctx.config.databaseUrl,
      concurrency: 4,
      jobs: {
        create_wallet: (payload) =>
          createRequestedWallet(context(), payload as JobPayloads['create_wallet']),
        export_wallet: (payload) =>
          exportWallet(context(), payload as JobPayloads['export_wallet']),
        attach_funding: (payload) =>
          attachRequestedControl(context(), payload as JobPayloads['attach_funding']),
      },
      schedule: [],
      log: ctx.log,
    })
  }
  return {
    outcomes: {
      ...outcomes,
      async receive(id, expected) {
        runner ??= start()
        await runner
        return outcomes.receive(id, expected)
      },
    },
    stop: async () => (await runner)?.stop(),
  }
}
