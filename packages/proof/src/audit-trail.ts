/**
 * The audit trail as an organization exports it: one line of canonical JSON for each event, and the
 * head as the last line. Pure.
 */
import { concat, type Hex, sha256, stringToBytes } from 'viem'
import { canonicalJson } from './digest.ts'

/** The content of an audit event that its digest covers. */
export type AuditContent = {
  id: string
  /** Null in the trail of events that belong to no organization. */
  organizationId: string | null
  action: string
  actorRealm: string
  actorAccountId: string | null
  aggregateType: string
  aggregateId: string
  data: unknown
  requestId: string | null
  occurredAt: string
}

export type TrailEventLine = {
  /** 1, 2, 3 … in the order of the trail. */
  sequence: number
  event: AuditContent
  /** SHA-256 of the event's canonical JSON. */
  digest: string
  /** SHA-256 of the previous event's hash and this digest. */
  hash: string
}

export type TrailHeadLine = {
  head: {
    organizationId: string
    sequence: number
    hash: string
    /** `occurredAt` of the last event. */
    at: string
  }
}

/** What the first event's hash has in place of a previous one. */
export const TRAIL_START: Hex = `0x${'00'.repeat(32)}`

export const trailDigestOf = (event: AuditContent): Hex =>
  sha256(stringToBytes(canonicalJson(event)))

export const trailHashOf = (previous: string, digest: string): Hex =>
  sha256(concat([previous as Hex, digest as Hex]))

/**
 * Canonical, so that a file has one form only: no duplicate key and no white space can show one
 * reader something else than another.
 */
export const toTrailLine = (line: TrailEventLine | TrailHeadLine): string =>
  `${canonicalJson(line)}\n`
