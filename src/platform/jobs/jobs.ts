/**
 * The catalogue of durable jobs: names and payloads. They are named here and done elsewhere;
 * `worker.ts` holds the one table from name to function.
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
  /** What the wallet is for; null: its account's own. */
  organizationId: string | null
  replyTo: ReplyTo
}

export type JobPayloads = {
  /** Closes an invitation that nobody accepted in time. */
  expire_invitation: { organizationId: string; invitationId: string }
  /** Looks again for the transaction of an intent, until it is settled. */
  settle_intent: { organizationId: string; intentId: string; kind: 'vault_deployment' | 'policy' }
  /** Verifies a registered vault whose deployment was not final yet. */
  verify_vault: { organizationId: string; vaultId: string }
  /** Makes the organization's executor with its provider. */
  provision_executor: { organizationId: string; provisioningId: string }
  /** Reads the executor's gas balance, and again later. */
  watch_executor: { organizationId: string }
  /** Analyses the revision of an expense that was submitted. */
  analyze_expense: { organizationId: string; runId: string }
  /** One pass over an executor's lane: settles what is in flight, sends what is queued. */
  work_lane: { organizationId: string; laneId: string }
  /** Checks who authorised a reserved payment, and queues it. */
  release_payment: { organizationId: string; paymentId: string }
  /** Carries out a member's payment request. */
  run_payment_request: { organizationId: string; paymentRequestId: string }
  /** Ends an approval that was not used in time. */
  expire_approval: { organizationId: string; approvalId: string }
  /** Blocks an automatic payment that was not sent in time. */
  expire_payment: { organizationId: string; paymentId: string }
  /** Ends approvals of an older policy, and looks at the vault's unsent payments again. */
  apply_policy_change: { organizationId: string; vaultId: string }
  /** Ends an approval that its approver or the owner has taken back on the chain. */
  apply_invalidation: {
    organizationId: string
    vaultId: string
    digest: string
    invalidator: string
    transactionHash: string
  }
  /** Tells one device of one event, or of it again. */
  deliver_push: {
    /** Null for what is an account's alone. */
    organizationId: string | null
    accountId: string
    subscriptionId: string
    eventId: string
    /** The first is 1. */
    attempt: number
  }
  /** Asks the provider for a server wallet, and answers the request that waits for it. */
  create_wallet: WalletJob & { walletId: string; attempt: number }
  /** Exports a wallet's key: verifies the request again, and answers the request that waits. */
  export_wallet: WalletJob & {
    walletId: string
    requestId: string
    /** The recipient's key, the signature and the assertion. */
    sealedProof: string
  }
  /** Attaches a funding signer to its wallet, and answers the request that waits for it. */
  attach_funding: {
    organizationId: string
    controlId: string
    actor: JobActor
    replyTo: ReplyTo
  }
  /** Finishes a server wallet that nobody came back for. */
  finish_wallet: { accountId: string; organizationId: string | null; walletId: string }
  /** Closes an export request that was not completed in time. */
  expire_wallet_export: { accountId: string; organizationId: string | null; requestId: string }
  /** Does what a funding action asks for, and comes back until it has ended. */
  run_funding_action: { organizationId: string; actionId: string }
  /** Reads what a funding signer's wallet has, and whether its policy is still as it was asked. */
  watch_funding: { organizationId: string; controlId: string }
  /** Asks a funding signer for something that it must refuse, and again later. */
  probe_funding: { organizationId: string; controlId: string }
  /** Takes a funding signer that is out of use from its wallet. */
  detach_funding: { organizationId: string; controlId: string }
  /** Matches what a vault has logged as paid with the payment rows. */
  match_executions: { organizationId: string; vaultId: string }
  /** Finds vaults with unmatched payments in all organizations. */
  sweep_executions: Record<string, never>
  /** Drops idempotency keys and live events that are past their time. */
  prune_expired: Record<string, never>
}

export type JobName = keyof JobPayloads
export type JobTable = { [Name in JobName]: (payload: JobPayloads[Name]) => Promise<void> }

export type JobOptions = {
  /** Jobs of one queue run one after the other. */
  queue?: string
  runAt?: Date | string
  /** From now by the database's clock, when there is no `runAt`. */
  delaySeconds?: number
  /** Replaces one with the same key that nobody has taken; one that is taken is followed by it. */
  key?: string
  attemptsMax?: number
  /** With a key: one that is pending and due sooner keeps its time. */
  unlessDue?: boolean
  /** Reschedules itself for as long as its subject exists, so it carries no request id. */
  isPeriodic?: boolean
}

/** Commits or vanishes with the caller's transaction. Carries the id of the current request. */
export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: JobPayloads[Name],
  { queue, runAt, delaySeconds, key, attemptsMax, unlessDue, isPeriodic }: JobOptions = {},
): Promise<void> {
  const due =
    runAt === undefined && delaySeconds !== undefined
      ? sql`now() + make_interval(secs => ${delaySeconds}::double precision)`
      : sql`${runAt ?? null}`
  const stored = isPeriodic ? payload : withRequest(payload)
  const job = sql`${name}, ${JSON.stringify(stored)}::json, ${queue ?? null}, ${due},
    ${key ?? null}, ${attemptsMax ?? null}`
  await tx.query(
    unlessDue ? sql`select enqueue_job_unless_due(${job})` : sql`select enqueue_job(${job})`,
  )
}

type BulkJob<Name extends JobName> = {
  payload: JobPayloads[Name]
  options: Pick<JobOptions, 'queue' | 'key'>
}

/** A statement has 8 s, and to queue a job can take several ms. */
const JOBS_PER_STATEMENT = 500

/** In this order, all due at once. Many take one statement, very many a few. */
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
