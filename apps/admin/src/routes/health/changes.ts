/** Changes of services, as the service's audit trail recorded them. */
import type { ItemOf } from '@countersign/client/operation-types.ts'
import type { Severity } from '../../words/severities.ts'
import type { Change } from './segments.ts'

export type ChangeOfService = Change & { id: string; serviceId: string }

const isSeverity = (value: unknown): value is Severity =>
  value === 'healthy' || value === 'degraded' || value === 'action_required'

/** Events that a newer service wrote in another way are left out. */
export const changesOf = (events: readonly ItemOf<'listAdminAuditEvents'>[]): ChangeOfService[] =>
  events.flatMap(({ id, aggregateId, occurredAt, data }) => {
    const { from, to, code } = data as Record<string, unknown>
    if (!isSeverity(from) || !isSeverity(to)) return []
    const text = typeof code === 'string' ? code : null
    return [{ id, serviceId: aggregateId, at: occurredAt, from, to, code: text }]
  })
