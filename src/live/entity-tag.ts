/** The entity tag of a snapshot. Pure. */
import type { ServiceHealth } from '#health/service-health.ts'
import { sha256 } from '#platform/digest.ts'

/** Weak: equal for snapshots with the same content, regardless of time and latencies. */
export function entityTagOf({
  digest,
  services,
}: {
  /** Of tasks, events and cursor. */
  digest: string
  services: readonly ServiceHealth[]
}): string {
  const health = services.map(
    ({ checkedAt: _at, heartbeatAgeSeconds: _age, latencyMs: _latency, ...service }) => service,
  )
  const tag = sha256(`${digest} ${JSON.stringify(health)}`)
  return `W/"${tag.toString('base64url').slice(0, 27)}"`
}
