/** The job process: `npm run worker`. Contains the table from job names to functions. */
import { runAnalysis } from '#analysis/run-analysis.ts'
import { requireSealedRows } from '#analysis/seal-existing.ts'
import { applyInvalidation, applyPolicyChange, expireApproval } from '#approvals/end-approval.ts'
import { expireAttachment } from '#attachments/remove-attachment.ts'
import { startFollower } from '#chain/follow.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { deliverEmail } from '#email/deliver-email.ts'
import { followJournalForEmail } from '#email/follow-journal.ts'
import { sendInvitation } from '#email/send-invitation.ts'
import { pruneDeliveries } from '#email/send-once.ts'
import { runProvisioning } from '#executor/run-provisioning.ts'
import { watchExecutor } from '#executor/watch-executor.ts'
import { indexWords } from '#expenses/index-words.ts'
import { attachRequestedControl } from '#funding/attach-control.ts'
import { detachControl } from '#funding/detach-control.ts'
import { probeSigner } from '#funding/probe-signer.ts'
import { runAction } from '#funding/run-action.ts'
import { watchControl } from '#funding/watch-control.ts'
import { startHealthWatch } from '#health/watch-health.ts'
import { grantFirstOperator } from '#identity/operators.ts'
import { type JournalStep, startJournalFollower } from '#journal/follower.ts'
import { pruneJournal } from '#journal/journal.ts'
import { settleEpoch } from '#live/settle-epoch.ts'
import { deleteEndedStreams } from '#live/streams.store.ts'
import { pruneTaskChanges } from '#live/task-changes.store.ts'
import { expireInvitation } from '#organizations/invitations.ts'
import { recordWorkerKey } from '#payments/accepted-keys.ts'
import { followProposal } from '#payments/activations/follow-proposal.ts'
import { expirePayment } from '#payments/block-payment.ts'
import { enqueueSweep, matchExecutions, sweepExecutions } from '#payments/match-executions.ts'
import { releaseReserved } from '#payments/review-release.ts'
import { runPaymentRequest } from '#payments/run-payment-request.ts'
import { workLane } from '#payments/work-lane.ts'
import { readConfig, readEnvironment } from '#platform/config/config.ts'
import { checkDatabase } from '#platform/database/check.ts'
import { migrate } from '#platform/database/migrate.ts'
import { asJobFunctions, type JobRunner, startJobRunner } from '#platform/jobs/job-runner.ts'
import type { JobTable } from '#platform/jobs/jobs.ts'
import { serveMetrics } from '#platform/metrics.ts'
import { deleteEndedLeases } from '#platform/rate-leases.ts'
import { runService, type Service } from '#platform/service.ts'
import { deliverPush } from '#push/deliver-push.ts'
import { followJournal } from '#push/follow-journal.ts'
import { startTracing } from '#tracing.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'
import { verifyVault } from '#treasury/register-vault.ts'
import { settleIntentJob } from '#treasury/settle-intent.ts'
import { expireExport } from '#wallets/end-export.ts'
import { exportWallet } from '#wallets/export-wallet.ts'
import { createRequestedWallet, finishWallet } from '#wallets/provision-wallet.ts'
import { deliverWebhook } from '#webhooks/deliver-webhook.ts'
import { followWebhooks } from '#webhooks/follow-webhooks.ts'
import { publishSealingKey } from '#webhooks/webhook-secrets.ts'

/** `stopping`: aborts calls to external services. */
const jobTable = (ctx: Context, stopping: AbortSignal): JobTable => ({
  expire_invitation: (payload) => expireInvitation(ctx, payload),
  settle_intent: (payload) => settleIntentJob(ctx, payload),
  follow_proposal: (payload) => followProposal(ctx, payload),
  verify_vault: (payload) => verifyVault(ctx, payload),
  provision_executor: (payload) => runProvisioning(ctx, payload),
  watch_executor: (payload) => watchExecutor(ctx, payload),
  analyze_expense: (payload) => runAnalysis(ctx, payload),
  expire_payment: (payload) => expirePayment(ctx, payload),
  work_lane: (payload) => workLane(ctx, payload, stopping),
  release_payment: (payload) => releaseReserved(ctx, payload),
  run_payment_request: (payload) => runPaymentRequest(ctx, payload),
  expire_approval: (payload) => expireApproval(ctx, payload),
  apply_policy_change: (payload) => applyPolicyChange(ctx, payload),
  apply_invalidation: (payload) => applyInvalidation(ctx, payload),
  deliver_push: (payload) => deliverPush(ctx, payload),
  deliver_email: (payload) => deliverEmail(ctx, payload),
  send_invitation_email: (payload) => sendInvitation(ctx, payload),
  deliver_webhook: (payload) => deliverWebhook(ctx, payload),
  create_wallet: (payload) => createRequestedWallet(ctx, payload),
  export_wallet: (payload) => exportWallet(ctx, payload),
  attach_funding: (payload) => attachRequestedControl(ctx, payload),
  finish_wallet: (payload) => finishWallet(ctx, payload),
  expire_wallet_export: (payload) => expireExport(ctx, payload),
  run_funding_action: (payload) => runAction(ctx, payload),
  watch_funding: (payload) => watchControl(ctx, payload),
  probe_funding: (payload) => probeSigner(ctx, payload),
  detach_funding: (payload) => detachControl(ctx, payload),
  match_executions: (payload) => matchExecutions(ctx, payload),
  sweep_executions: () => sweepExecutions(ctx),
  expire_attachment: (payload) => expireAttachment(ctx, payload),
  prune_expired: async () => {
    await pruneJournal(ctx)
    await pruneDeliveries(ctx)
    await deleteEndedLeases(ctx.db)
    await deleteEndedStreams(ctx.db)
    await pruneTaskChanges(ctx.db)
  },
})

const schedule = [
  { job: 'prune_expired', cron: '17 * * * *' },
  { job: 'sweep_executions', cron: '43 3 * * *' },
] as const

const journalSteps = (ctx: Context): JournalStep[] => [
  ...(ctx.push ? [{ name: 'push', run: () => followJournal(ctx) }] : []),
  ...(ctx.mailer ? [{ name: 'e-mail', run: () => followJournalForEmail(ctx) }] : []),
  { name: 'webhooks', run: () => followWebhooks(ctx) },
  { name: 'the search', run: () => indexWords(ctx) },
]

/** Works on a migrated database; the caller closes the context. `follow` reads the chain. */
export async function startWorker(ctx: Context, follow = startFollower): Promise<JobRunner> {
  await grantFirstOperator(ctx)
  await settleEpoch(ctx)
  await requireSealedRows(ctx)
  await recordWorkerKey(ctx, ctx.db)
  await publishSealingKey(ctx)
  await enqueueSweep(ctx)
  const stopping = new AbortController()
  const runner = await startJobRunner({
    url: ctx.config.databaseUrl,
    concurrency: ctx.config.workerConcurrency,
    jobs: asJobFunctions(jobTable(ctx, stopping.signal)),
    schedule,
    log: ctx.log,
    onJobDone: ctx.metrics.job,
  })
  const follower = follow(ctx, treasuryLogHandlers(ctx))
  const health = startHealthWatch(ctx)
  const journalFollower = startJournalFollower(ctx, journalSteps(ctx))
  ctx.log.info('worker running')
  return {
    failed: runner.failed,
    async stop() {
      stopping.abort()
      // All at once: while one part finishes its work, the others must stop taking new work.
      const parts = [follower.stop(), health.stop(), journalFollower.stop(), runner.stop()]
      await Promise.all(parts)
    },
  }
}

export async function start(env = readEnvironment()): Promise<Service> {
  const config = readConfig(env, { process: 'worker' })
  await migrate({ url: config.databaseUrl })
  const tracing = await startTracing(config)
  const ctx = compose(config, {}, 'worker')
  await checkDatabase(ctx)
  const metrics = await serveMetrics({
    registry: ctx.metrics.registry,
    host: config.metricsHost,
    port: config.metricsPort,
  })
  ctx.log.info({ url: metrics.url }, 'metrics listening')
  const worker = await startWorker(ctx)
  return {
    failed: worker.failed,
    async stop() {
      await worker.stop()
      await metrics.close()
      await closeContext(ctx)
      await tracing.stop()
    },
  }
}

if (import.meta.main) await runService(start)
