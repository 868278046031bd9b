/**
 * The journal. Every change of state calls `recordChange` in its own transaction, which writes the
 * audit event and, for changes that applications follow, the live event. Nothing else writes
 * either.
 */
import type { AuditContent } from '@countersign/proof/audit-trail.ts'
import { canonicalJson } from '@countersign/proof/digest.ts'
import type { Context } from '#context.ts'
import type { Tx } from '#platform/database/database.ts'
import { sha256 } from '#platform/digest.ts'
import { currentRequestId } from '#platform/request-trace.ts'
import type { Actor } from './actor.ts'
import { checksumAddresses } from './checksum-addresses.ts'
import {
  insertAuditEvents,
  insertLiveEvents,
  type LiveChange,
  type NewLiveEvent,
  pruneExpired,
} from './journal.store.ts'

/**
 * Each module registers its actions and aggregates in its `*.actions.ts`, in the past tense.
 * @public extended by these files
 */
export interface AuditRecords {
  /** What an operator read: in the organization's own trail, the rest in the service's. */
  journal: { action: 'operator.read'; aggregate: never }
}

export type AuditAction = AuditRecords[keyof AuditRecords]['action']
type AggregateType = AuditRecords[keyof AuditRecords]['aggregate']

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

/**
 * Records several changes, numbered in this order. The writes are pipelined with the next query or
 * the commit.
 */
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

const PRUNE_BATCH = 5_000

/** Job: deletes idempotency keys after 30 days, live events and webhook deliveries after 7. */
export async function pruneJournal({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  let pruned = 0
  for (;;) {
    const count = await db.transaction({}, (tx) => pruneExpired(tx, PRUNE_BATCH))
    pruned += count
    if (count < PRUNE_BATCH) break
  }
  log.info({ pruned }, 'pruned expired rows')
}
