/** A live event as the API returns it, with exactly the fields of the contract. */
import { encodeCursor, type LiveScope } from './cursor.ts'
import type { LiveEventRow } from './live.store.ts'

export type LiveEvent = Omit<LiveEventRow, 'transactionId' | 'seq' | 'accountId'> & {
  cursor: string
}

export const toLiveEvent = (
  { cursorKey }: { cursorKey: Uint8Array },
  row: LiveEventRow,
  { epoch, scope }: { epoch: string; scope: LiveScope },
): LiveEvent => ({
  id: row.id,
  cursor: encodeCursor(cursorKey, { epoch, scope, position: row }),
  organizationId: row.organizationId,
  audience: row.audience,
  kind: row.kind,
  aggregateType: row.aggregateType,
  aggregateId: row.aggregateId,
  targetState: row.targetState,
  severity: row.severity,
  code: row.code,
  occurredAt: row.occurredAt,
})
