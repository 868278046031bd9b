/**
 * The journal: every change of state calls `recordChange` in its own transaction, which writes the
 * audit event and, where applications follow the thing live, the live event. Nobody else writes
 * either, and nothing here is ever called after the commit.
 */
import { canonicalJson } from '@countersign/proof/digest.ts'
import type { Context } from '#context.ts'
import type { Tx } from '#platform/database/database.ts'
import { sha256 } from '#platform/digest.ts'
import { currentRequestId } from '#platform/request-trace.ts'
import type { Actor } from './actor.ts'
import { checksumAddresses } from './checksum-addresses.ts'
import {
  type AuditContent,
  insertAuditEvents,
  insertLiveEvents,
  type LiveChange,
  type NewLiveEvent,
  pruneExpired,
} from './journal.store.ts'

export type AuditAction =
  | 'account.created'
  | 'account.disabled'
  | 'account.enabled'
  | 'operator.granted'
  | 'operator.revoked'
  | 'wallet.linked'
  | 'wallet.requested'
  | 'wallet.created'
  | 'wallet.failed'
  | 'wallet.disabled'
  | 'wallet_export.requested'
  | 'wallet_export.refused'
  | 'wallet_export.locked'
  | 'wallet_export.claimed'
  | 'wallet_export.completed'
  | 'wallet_export.cancelled'
  | 'wallet_export.expired'
  | 'organization.created'
  | 'membership.created'
  | 'membership.confirmed'
  | 'membership.revoked'
  | 'wallet_role.assigned'
  | 'wallet_role.revoked'
  | 'invitation.created'
  | 'invitation.accepted'
  | 'invitation.revoked'
  | 'invitation.expired'
  | 'recipient.added'
  | 'recipient.deactivated'
  | 'vault_deployment.prepared'
  | 'vault_deployment.submitted'
  | 'vault_deployment.confirmed'
  | 'vault_deployment.reconciling'
  | 'vault_deployment.rejected'
  | 'vault_deployment.failed'
  | 'policy_intent.prepared'
  | 'policy_intent.submitted'
  | 'policy_intent.confirmed'
  | 'policy_intent.reconciling'
  | 'policy_intent.rejected'
  | 'policy_intent.failed'
  | 'vault.registered'
  | 'vault.verified'
  | 'vault.disabled'
  | 'vault.made_default'
  | 'vault.archived'
  | 'policy.configured'
  | 'policy.paused'
  | 'executor.requested'
  | 'executor.provisioned'
  | 'executor.failed'
  | 'executor.gas_low'
  | 'executor.fees_high'
  | 'executor.reconciled'
  | 'expense.create'
  | 'expense.comment'
  | 'expense.submit'
  | 'expense.start_analysis'
  | 'expense.fail_analysis'
  | 'expense.flag'
  | 'expense.clear'
  | 'expense.request_revision'
  | 'expense.reject'
  | 'expense.advance'
  | 'expense.revise'
  | 'expense.cancel'
  | 'expense.approve'
  | 'expense.approval_ended'
  | 'expense.release_approved'
  | 'expense.release_automatic'
  | 'expense.payment_submitting'
  | 'expense.payment_lost'
  | 'expense.payment_confirmed'
  | 'expense.payment_blocked'
  | 'agent_run.queued'
  | 'agent_run.started'
  | 'agent_run.succeeded'
  | 'agent_run.failed'
  | 'approval.prepare'
  | 'approval.cancel'
  | 'approval.sign'
  | 'approval.consume'
  | 'approval.expire'
  | 'approval.supersede'
  | 'approval.invalidate'
  | 'payment.reserve'
  | 'payment.release'
  | 'payment.renew'
  | 'payment.postpone'
  | 'payment.writeAhead'
  | 'payment.accept'
  | 'payment.lose'
  | 'payment.reconcile'
  | 'payment.confirm'
  | 'payment.fail'
  | 'payment.block'
  | 'payment.out_of_step'
  | 'unrecorded_payment.found'
  | 'unrecorded_payment.acknowledged'
  | 'unrecorded_payment.recorded'
  | 'unrecorded_payment.withdrawn'
  | 'funding_control.requested'
  | 'funding_control.attached'
  | 'funding_control.unverified'
  | 'funding_control.verified'
  | 'funding_control.revoked'
  | 'funding_control.failed'
  | 'funding_control.detached'
  | 'funding_action.requested'
  | 'funding_action.broadcast'
  | 'funding_action.confirmed'
  | 'funding_action.denied'
  | 'funding_action.failed'
  | 'funding_action.doubted'
  | 'executor.held'
  | 'executor.released'
  | 'support_case.opened'
  | 'support_case.noted'
  | 'support_case.moved'
  | 'push.subscribed'
  | 'push.unsubscribed'
  | 'push.deactivated'
  | 'ledger_proof.prepared'
  | 'ledger_proof.claimed'
  | 'ledger_proof.confirmed'
  | 'ledger_proof.failed'
  | 'service.changed'
  /** What an operator looked at: in the organization's own trail, the rest in the service's. */
  | 'operator.read'

export type AggregateType =
  | 'account'
  | 'operator'
  | 'wallet'
  | 'wallet_export'
  | 'organization'
  | 'membership'
  | 'wallet_role'
  | 'invitation'
  | 'recipient'
  | 'vault_deployment'
  | 'policy_intent'
  | 'vault'
  | 'policy'
  | 'executor'
  | 'expense'
  | 'agent_run'
  | 'approval'
  | 'payment'
  | 'unrecorded_payment'
  | 'funding_control'
  | 'funding_action'
  | 'support_case'
  | 'push_subscription'
  | 'ledger_proof'
  | 'service'

export type Change = {
  organizationId: string | null
  actor: Actor
  action: AuditAction
  aggregateType: AggregateType
  aggregateId: string
  /** What a reader of the trail needs to understand the change. Never a secret. */
  data: Record<string, unknown>
  live?: LiveChange
}

/** Vaults, policies, wallets, executors and the like: one kind of live event for all of them. */
export const integrationChange = (
  change: Pick<LiveChange, 'targetState' | 'severity' | 'code'>,
): LiveChange => ({ kind: 'integration.changed', aggregateType: 'integration', ...change })

export const auditDigest = (content: AuditContent): Buffer => sha256(canonicalJson(content))

export const recordChange = (
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  change: Change,
): Promise<void> => recordChanges(ctx, tx, [change])

/** Several at once, which get their places in this order. They travel with whatever comes next. */
export async function recordChanges(
  { clock, ids }: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return
  const occurredAt = clock.now().toISOString()
  const contents = changes.map(
    ({ organizationId, actor, action, aggregateType, aggregateId, data }): AuditContent => ({
      id: ids.next(),
      // A caller may write a UUID in upper case; the digest covers the stored form.
      organizationId: organizationId?.toLowerCase() ?? null,
      action,
      actorRealm: actor.realm,
      actorAccountId: actor.accountId,
      aggregateType,
      aggregateId,
      data: checksumAddresses(data),
      requestId: actor.requestId ?? currentRequestId(),
      occurredAt,
    }),
  )
  insertAuditEvents(
    tx,
    contents.map((content) => ({ ...content, digest: auditDigest(content) })),
  )
  const events = changes.flatMap(({ organizationId, aggregateId, live }): NewLiveEvent[] => {
    if (!live) return []
    const audience = organizationId === null ? 'admin' : 'both'
    return [{ id: ids.next(), organizationId, audience, aggregateId, occurredAt, ...live }]
  })
  if (events.length > 0) insertLiveEvents(tx, events)
}

const PRUNED_AT_ONCE = 5_000

/** Job: drops idempotency keys past their 30 days and live events past their 7. */
export async function pruneJournal({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  let pruned = 0
  for (;;) {
    const dropped = await db.transaction({}, (tx) => pruneExpired(tx, PRUNED_AT_ONCE))
    pruned += dropped
    if (dropped < PRUNED_AT_ONCE) break
  }
  log.info({ pruned }, 'expired rows dropped')
}
