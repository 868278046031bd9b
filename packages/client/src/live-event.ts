/** A live event: what streams send, and what webhooks deliver. */
import type { DataOf } from './operation-types.ts'

export type LiveEvent = DataOf<'getLiveSnapshot'>['events'][number]

const TEXTS = ['id', 'cursor', 'kind', 'aggregateType', 'aggregateId', 'severity', 'occurredAt']

/**
 * Whether a value is a live event, for the body of a webhook after its signature was verified.
 * A newer service may send kinds that this version does not know: ignore those.
 */
export function isLiveEvent(value: unknown): value is LiveEvent {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map(Object.entries(value))
  const isTextOrNull = (name: string) =>
    fields.get(name) === null || typeof fields.get(name) === 'string'
  return (
    TEXTS.every((name) => typeof fields.get(name) === 'string') &&
    ['organizationId', 'targetState', 'code'].every(isTextOrNull)
  )
}
