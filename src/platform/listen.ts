/**
 * Hears PostgreSQL say that there are new live events. Hearing is no promise: what was said while
 * the connection was away is lost, so whoever listens also looks from time to time.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

const CONNECT_AGAIN_AFTER_MS = 1_000
const CONNECT_TIMEOUT_MS = 5_000

export type Listener = { close(): Promise<void> }

export function listenForLiveEvents({
  url,
  onEvents,
}: {
  url: string
  onEvents: () => void
}): Listener {
  const closing = new AbortController()
  const { signal } = closing

  const listen = async () => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'countersign',
      keepAlive: true,
    })
    const over = Promise.withResolvers<void>()
    client.on('error', () => over.resolve())
    client.on('end', () => over.resolve())
    client.on('notification', onEvents)
    signal.addEventListener('abort', () => over.resolve(), { once: true })
    try {
      await client.connect()
      await client.query('listen countersign_live')
      // Something may have been said before.
      onEvents()
      await over.promise
    } finally {
      await client.end().catch(() => {})
    }
  }
  const keepListening = async () => {
    while (!signal.aborted) {
      await listen().catch(() => {})
      await wait(CONNECT_AGAIN_AFTER_MS, undefined, { signal }).catch(() => {})
    }
  }
  const listening = keepListening()
  return {
    async close() {
      closing.abort()
      await listening
    },
  }
}
