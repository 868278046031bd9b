/**
 * The live snapshot of the organization whose page was opened. It is asked for before there is a
 * screen, so that the first one can show it at once; the live stream continues it.
 */
import type { LiveSnapshot } from '@countersign/client/live.ts'
import type { Result } from '@countersign/client/result.ts'
import { firstClient } from './api.ts'

export type FirstSnapshot = {
  organizationId: string
  answer: Promise<Result<LiveSnapshot>>
  /** Once it is there. */
  seen: { snapshot: LiveSnapshot; readAt: Date } | null
}

let first: FirstSnapshot | null = null

export function askForFirstSnapshot(organizationId: string): void {
  const answer = firstClient.call('getLiveSnapshot', { path: { organizationId } })
  const asked: FirstSnapshot = { organizationId, answer, seen: null }
  first = asked
  void answer.then((result) => {
    if (result.ok) asked.seen = { snapshot: result.data, readAt: new Date() }
  })
}

/** Null for another organization, and once its stream has begun. */
export const firstSnapshotOf = (organizationId: string | null): FirstSnapshot | null =>
  first?.organizationId === organizationId ? first : null

export function forgetFirstSnapshot(): void {
  first = null
}
