/** The two operations behind a live feed, for either realm. */
import type { Client } from './client.ts'
import type { LiveScope, LiveSnapshot } from './live.ts'
import type { Result } from './result.ts'

/** Null data: not modified since the tag. */
export function readSnapshot(
  client: Client,
  scope: LiveScope,
  { etag, signal }: { etag: string | null; signal: AbortSignal },
): Promise<Result<LiveSnapshot | null>> {
  const headers = etag === null ? {} : { 'if-none-match': etag }
  return scope === 'operator'
    ? client.call('getAdminLiveSnapshot', { headers, signal })
    : client.call('getLiveSnapshot', { path: scope, headers, signal })
}

export function openStream(
  client: Client,
  scope: LiveScope,
  { lastEventId, signal }: { lastEventId: string; signal: AbortSignal },
): Promise<Result<ReadableStream<Uint8Array>>> {
  const headers = { 'last-event-id': lastEventId }
  return scope === 'operator'
    ? client.call('streamAdminLive', { headers, signal, as: 'stream' })
    : client.call('streamLive', { path: scope, headers, signal, as: 'stream' })
}
