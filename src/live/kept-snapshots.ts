/**
 * The last snapshot of each member, serialised. It is sent again while no transaction changed
 * anything that it was derived from (`task_changes`), no event became readable, and the clock has
 * not reached a moment that changes a task. Nothing is sent without asking the database first.
 */
import type { Member } from '#access/permissions.ts'
import { judgeServices, readHealthFacts } from '#health/read-service-health.ts'
import type { ServiceHealth } from '#health/service-health.ts'
import type { Reader } from '#platform/database/database.ts'
import type { Severity } from '#platform/severity.ts'
import { findLiveEnd } from './live.store.ts'
import type { SnapshotContent, SnapshotContext } from './snapshot.ts'
import { hasTaskChanges } from './task-changes.store.ts'

export type SerializedContent = {
  body: Buffer
  digest: string
  /** Of its tasks and events. */
  severity: Severity
}

type Kept = SerializedContent & Pick<SnapshotContent, 'asOf' | 'mark' | 'until'>

const BYTES_MAX = 32 * 1024 * 1024

export type KeptSnapshots = ReturnType<typeof createKeptSnapshots>

/** The oldest are dropped at the size limit. */
export function createKeptSnapshots({ bytesMax = BYTES_MAX } = {}) {
  const all = new Map<string, Kept>()
  let bytes = 0
  const keyOf = ({ organizationId, membershipId, role }: Member) =>
    `${organizationId} ${membershipId} ${role}`
  const drop = (key: string) => {
    bytes -= all.get(key)?.body.length ?? 0
    all.delete(key)
  }
  return {
    find: (member: Member) => all.get(keyOf(member)),
    keep(member: Member, kept: Kept) {
      const key = keyOf(member)
      drop(key)
      all.set(key, kept)
      bytes += kept.body.length
      for (const oldest of all.keys()) {
        if (bytes <= bytesMax) break
        drop(oldest)
      }
    },
  }
}

export type Current = { services: ServiceHealth[]; content: SerializedContent | undefined }

/** The health of services, and what was kept for the member if it still holds. */
export async function readCurrent(
  ctx: Pick<SnapshotContext, 'clock' | 'config'>,
  reader: Reader,
  { member, kept }: { member: Member; kept: KeptSnapshots },
): Promise<Current> {
  const { organizationId } = member
  const last = kept.find(member)
  const [facts, isCurrent] = await Promise.all([
    readHealthFacts(reader, { organizationId }),
    last !== undefined && ctx.clock.now() < last.until && isUnchanged(reader, organizationId, last),
  ])
  const services = judgeServices(ctx, { organizationId, facts })
  return { services, content: isCurrent ? last : undefined }
}

async function isUnchanged(
  reader: Reader,
  organizationId: string,
  { asOf, mark }: Kept,
): Promise<boolean> {
  const [end, hasChanges] = await Promise.all([
    findLiveEnd(reader, { realm: 'consumer', organizationId }),
    hasTaskChanges(reader, { organizationId, asOf }),
  ])
  return end.mark === mark && !hasChanges
}
