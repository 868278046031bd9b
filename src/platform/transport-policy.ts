/**
 * Intervals of live streams and polling. Snapshots announce them to clients, so they are constants;
 * the timers of streams, the API and docs/LIVE.md use these values.
 */
const KEEPALIVE_SECONDS = 15

export const TRANSPORT_POLICY = {
  keepaliveSeconds: KEEPALIVE_SECONDS,
  /** After two missed keepalives the connection counts as lost. */
  staleAfterSeconds: 2 * KEEPALIVE_SECONDS,
  snapshotPollSeconds: 15,
  maxConnectionSeconds: 600,
} as const
