/**
 * One connection that listens on a notification channel and reconnects by itself. Notifications
 * sent while it was disconnected are lost, so its user is notified of every new connection.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { APP_ROLE, searchPathOf, settings } from './settings.ts'

export type Listener = { stop(): Promise<void> }

export type ListenerOptions = {
  url: string
  channel: Channel
  onNotice(payload: string): void
  /** Connected, for the first time or again. */
  onConnected(): void
}

type Channel = keyof typeof listenTo

const listenTo = {
  countersign_live: 'listen countersign_live',
  countersign_outcomes: 'listen countersign_outcomes',
}

const CONNECT_TIMEOUT_MS = 5_000
const COME_BACK_AFTER_MS = 250
const KEEPALIVE_AFTER_MS = 5_000

/** Resolves when the connection has ended, for whatever reason. */
async function listenOnce(
  { url, channel, onNotice, onConnected }: ListenerOptions,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'countersign',
    options: settings({ role: APP_ROLE, search_path: searchPathOf(url) }),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
  })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  client.on('error', () => {})
  client.on('notification', ({ payload }) => onNotice(payload ?? ''))
  const leave = () => void client.end().catch(() => {})
  try {
    await client.connect()
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    await client.query(listenTo[channel])
    onConnected()
    await ended
  } catch {
    await client.end().catch(() => {})
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

export function startListener(options: ListenerOptions): Listener {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async () => {
    while (!signal.aborted) {
      await listenOnce(options, signal)
      await wait(COME_BACK_AFTER_MS, undefined, { signal }).catch(() => {})
    }
  }
  const running = loop()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
