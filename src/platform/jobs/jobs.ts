/**
 * The catalogue of durable jobs: names and payloads. `worker.ts` has the table from name to
 * function.
 */
import sql from 'sql-template-tag'
import type { Realm } from '#platform/config/config.ts'
import type { Tx } from '#platform/database/database.ts'
import { withRequest } from '#platform/request-trace.ts'
import type { ReplyTo } from './ask-worker.ts'

/** The requesting account, for the audit trail. */
type JobActor = { realm: Realm; accountId: string; requestId: string }

type WalletJob = {
  actor: JobActor
  /** The organization of the wallet; null for an account's own wallet. */
  organizationId: string | null
  replyTo: ReplyTo
}

export type JobPayloads = {
  /** Closes an invitation that nobody accepted in time. */
  expire_invitation: { organizationId: string; invitationId: string }
  /** Polls for the transaction of a chain intent until it is settled. */
  settle_intent: { organizationId: string; intentId: string; kind: 'vault_deployment' | 'policy' }
  /** Activates a policy that has waited long enough, or ends it when it is void. */
  follow_proposal: { organizationId: string; id: string }
  /** Verifies a registered vault whose deployment was not final yet. */
  verify_vault: { organizationId: string; vaultId: string }
  /** Creates the organization's executor at its provider. */
  provision_executor: { organizationId: string; provisioningId: string }
  /** Reads the executor's gas balance periodically. */
  watch_executor: { organizationId: string }
  /** Analyses a submitted revision of an expense. */
  analyze_expense: { organizationId: string; runId: string }
  /** One pass over an executor's lane: settles what is in flight, sends what is queued. */
  work_lane: { organizationId: string; laneId: string }
  /** Verifies the authorization of a reserved payment and queues it. */
  release_payment: { organizationId: string; paymentId: string }
  /** Carries out a member's payment request. */
  run_payment_request: { organizationId: string; paymentRequestId: string }
  /** Ends an approval that was not used in time. */
  expire_approval: { organizationId: string; approvalId: string }
  /** Blocks an automatic payment that was not sent in time. */
  expire_payment: { organizationId: string; paymentId: string }
  /** Ends approvals of an older policy and checks the vault's unsent payments again. */
  apply_policy_change: { organizationId: string; vaultId: string }
  /** Ends an approval that its approver or the vault's owner invalidated on the chain. */
  apply_invalidation: {
    organizationId: string
    vaultId: string
    digest: string
    invalidator: string
    transactionHash: string
  }
  /** Sends one event to one device; a retry has a higher `attempt`. */
  deliver_push: {
    /** Null for events of an account. */
    organizationId: string | null
    accountId: string
    subscriptionId: string
    eventId: string
    /** The first is 1. */
    attempt: number
  }
  /** Sends one event to one account by e-mail; a retry has a higher `attempt`. */
  deliver_email: {
    /** Null for events of an account. */
    organizationId: string | null
    accountId: string
    eventId: string
    /** The first is 1. */
    attempt: number
  }
  /** Sends one event to one webhook; a retry has a higher `attempt`. */
  deliver_webhook: {
    organizationId: string
    webhookId: string
    eventId: string
    /** The first is 1. */
    attempt: number
  }
  /** Sends an invitation to the address it names. */
  send_invitation_email: {
    organizationId: string
    invitationId: string
    /** Missing for the first attempt. */
    attempt?: number
  }
  /** Creates a server wallet at the provider and answers the waiting request. */
  create_wallet: WalletJob & { walletId: string; attempt: number }
  /** Verifies an export request again, exports the key and answers the waiting request. */
  export_wallet: WalletJob & {
    walletId: string
    requestId: string
    /** Sealed: the recipient's key, the signature and the assertion. */
    sealedProof: string
  }
  /** Attaches a funding signer to its wallet and answers the waiting request. */
  attach_funding: {
    organizationId: string
    controlId: string
    actor: JobActor
    replyTo: ReplyTo
  }
  /** Completes a server wallet whose request was abandoned. */
  finish_wallet: { accountId: string; organizationId: string | null; walletId: string }
  /** Closes an export request that was not completed in time. */
  expire_wallet_export: { accountId: string; organizationId: string | null; requestId: string }
  /** Runs a funding action and reschedules itself until the action has ended. */
  run_funding_action: { organizationId: string; actionId: string }
  /** Reads a funding wallet's balances, and compares its policy with the requested one. */
  watch_funding: { organizationId: string; controlId: string }
  /** Runs the negative test of a funding signer periodically. */
  probe_funding: { organizationId: string; controlId: string }
  /** Detaches an unused funding signer from its wallet. */
  detach_funding: { organizationId: string; controlId: string }
  /** Matches the payments in a vault's log with payment rows. */
  match_executions: { organizationId: string; vaultId: string }
  /** Finds vaults with unmatched payments in all organizations. */
  sweep_executions: Record<string, never>
  /** Removes an attachment that no expense has, or an upload that was not completed. */
  expire_attachment: { organizationId: string; attachmentId: string }
  /** Deletes expired idempotency keys, live events and records of e-mails. */
  prune_expired: Record<string, never>
}

export type JobName = keyof JobPayloads
export type JobTable = { [Name in JobName]: (payload: JobPayloads[Name]) => Promise<void> }

/**
 * Jobs that move money are retried within `RETRY_WITHIN_SECONDS`. The queue's own delay grows
 * exponentially with the attempts, and every killed worker counts as one: after five crashes a
 * single failed attempt would delay a payment by minutes. So they may be attempted more often.
 */
export const PROMPT_JOBS: readonly JobName[] = [
  'release_payment',
  'run_payment_request',
  'run_funding_action',
  'work_lane',
]
export const RETRY_WITHIN_SECONDS = 15
const PROMPT_ATTEMPTS_MAX = 1_000

export type JobOptions = {
  /** Jobs of one queue run sequentially. */
  queue?: string
  runAt?: Date | string
  /** Delay by the database's clock; ignored if `runAt` is set. */
  delaySeconds?: number
  /** Replaces a pending job with the same key. If that job is running, this one runs after it. */
  key?: string
  attemptsMax?: number
  /** With a key: keeps the time of a pending job that is due sooner. */
  unlessDue?: boolean
  /** Reschedules itself for as long as its subject exists, so it carries no request id. */
  isPeriodic?: boolean
}

/** Part of the caller's transaction. The job carries the id of the current request. */
export function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: JobPayloads[Name],
  { queue, runAt, delaySeconds, key, attemptsMax, unlessDue, isPeriodic }: JobOptions = {},
): void {
  const due =
    runAt === undefined && delaySeconds !== undefined
      ? sql`now() + make_interval(secs => ${delaySeconds}::double precision)`
      : sql`${runAt ?? null}`
  const stored = isPeriodic ? payload : withRequest(payload)
  const most = attemptsMax ?? (PROMPT_JOBS.includes(name) ? PROMPT_ATTEMPTS_MAX : null)
  const job = sql`${name}, ${JSON.stringify(stored)}::json, ${queue ?? null}, ${due},
    ${key ?? null}, ${most}`
  tx.write(unlessDue ? sql`select enqueue_job_unless_due(${job})` : sql`select enqueue_job(${job})`)
}

type BulkJob<Name extends JobName> = {
  payload: JobPayloads[Name]
  options: Pick<JobOptions, 'queue' | 'key'>
}

/** Statements time out after 8 s, and enqueueing a job can take several ms. */
const JOBS_PER_STATEMENT = 500

/** In this order, all due now, with one message per `JOBS_PER_STATEMENT` jobs. */
export async function enqueueAll<Name extends JobName>(
  tx: Tx,
  name: Name,
  jobs: readonly BulkJob<Name>[],
): Promise<void> {
  for (let first = 0; first < jobs.length; first += JOBS_PER_STATEMENT) {
    const part = jobs.slice(first, first + JOBS_PER_STATEMENT)
    await tx.query(sql`
      select enqueue_job(${name}, n.payload::json, n.queue, null, n.key, null)
      from unnest(${part.map(({ payload }) => JSON.stringify(withRequest(payload)))}::text[],
        ${part.map(({ options }) => options.queue ?? null)}::text[],
        ${part.map(({ options }) => options.key ?? null)}::text[]) with ordinality
        as n (payload, queue, key, place)
      order by n.place`)
  }
}
