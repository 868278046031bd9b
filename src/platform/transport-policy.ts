/**
 * How live streams and polling are paced. Snapshots announce these values to clients, so no
 * variable changes them; the streams' timers, the interface and docs/LIVE.md follow from here.
 */
const KEEPALIVE_SECONDS = 15

export const TRANSPORT_POLICY = {
  keepaliveSeconds: KEEPALIVE_SECONDS,
  /** Two keepalives missed: the other side is gone. */
  staleAfterSeconds: 2 * KEEPALIVE_SECONDS,
  snapshotPollSeconds: 15,
  maxConnectionSeconds: 600,
} as const
