/** Whether a reader has seen this snapshot already. Pure. */
import { sha256 } from '#platform/digest.ts'
import type { LiveSnapshot } from './snapshot.ts'

/** Weak: equal for snapshots that say the same, whatever the time and however fast the answers. */
export function entityTagOf({ serverTime: _time, services, ...lasting }: LiveSnapshot): string {
  const health = services.map(
    ({ checkedAt: _at, heartbeatAgeSeconds: _age, latencyMs: _latency, ...service }) => service,
  )
  const digest = sha256(JSON.stringify({ ...lasting, health }))
  return `W/"${digest.toString('base64url').slice(0, 27)}"`
}
