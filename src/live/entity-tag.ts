/** The entity tag of a snapshot. Pure. */
import { sha256 } from '#platform/digest.ts'
import type { LiveSnapshot } from './snapshot.ts'

/** Weak: equal for snapshots with the same content, regardless of time and latencies. */
export function entityTagOf({ serverTime: _time, services, ...content }: LiveSnapshot): string {
  const health = services.map(
    ({ checkedAt: _at, heartbeatAgeSeconds: _age, latencyMs: _latency, ...service }) => service,
  )
  const digest = sha256(JSON.stringify({ ...content, health }))
  return `W/"${digest.toString('base64url').slice(0, 27)}"`
}
