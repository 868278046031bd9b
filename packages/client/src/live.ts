/**
 * Follows what changes: a snapshot, then the stream of events after it, for as long as the caller
 * wants.
 *
 * ```
 *             first byte                 no byte for staleAfterSeconds
 * connecting ────────────▶ live ─────────────────────────────────────▶ polling
 *     ▲  │                  │                                           │  ▲
 *     │  └──────────────────┼── no byte for staleAfterSeconds ──────────┼──┘
 *     └── the stream ended ─┘          first byte: live ◀───────────────┘
 *
 * any ──▶ ended    stopped by the caller, or the service refuses or says: access, replaced
 * ```
 *
 * Events come in order, none twice and none missing: each connection resumes after the last event.
 * Where that is impossible the stream says so (`stream.reset`); then the snapshot is read again and
 * the stream reopened from there. While there is no stream, snapshots are polled.
 */
import type { Client } from './client.ts'
import type { Failure } from './errors.ts'
import { openStream, readSnapshot } from './live-calls.ts'
import type { LiveEvent } from './live-event.ts'
import { readStream, type StreamEnd } from './live-stream.ts'
import type { DataOf } from './operation-types.ts'
import type { Result } from './result.ts'
import { sleep } from './timers.ts'

export type LiveSnapshot = DataOf<'getLiveSnapshot'>

/** The events of one organization, or of all for operators. */
export type LiveScope = { organizationId: string } | 'operator'

export type LiveState =
  | { phase: 'connecting' | 'live' | 'polling' }
  | { phase: 'ended'; reason: 'stopped' | 'access' | 'replaced' }
  | { phase: 'ended'; reason: 'refused'; failure: Failure }

export type LiveOptions = {
  scope: LiveScope
  /** First, after every reset, and when a poll finds a change. */
  onSnapshot(snapshot: LiveSnapshot): void
  onEvent(event: LiveEvent): void
  onState?(state: LiveState): void
  signal?: AbortSignal
  /** The answer to a first snapshot that was asked for already. */
  first?: Promise<Result<LiveSnapshot>> | undefined
}

export type LiveFeed = {
  readonly state: LiveState
  stop(): void
  /** Resolves with the last state. */
  ended: Promise<LiveState>
}

/** What a feed remembers between connections. */
type Feed = {
  client: Client
  options: LiveOptions
  stopping: AbortController
  /** Of the open connection, or of the attempt to open one. */
  connection: AbortController
  state: LiveState
  /** Until it is used. */
  first: LiveOptions['first']
  /** The last event's, or the snapshot's. Null while a snapshot is needed. */
  cursor: string | null
  etag: string | null
  policy: LiveSnapshot['transportPolicy']
  retryMs: number
  /** Connections in a row that ended at once or were lost. */
  failures: number
  staleTimer: unknown
  /** Not null while snapshots are polled. */
  polling: AbortController | null
}

/** Until the first snapshot has said. */
const POLICY = {
  keepaliveSeconds: 15,
  staleAfterSeconds: 30,
  snapshotPollSeconds: 15,
  maxConnectionSeconds: 600,
}
const RETRY_MS = 3_000
const RETRY_MAX_MS = 30_000
/** A connection that lasted this long was a good one. */
const GOOD_MS = 5_000

export function followLive(client: Client, options: LiveOptions): LiveFeed {
  const feed: Feed = {
    client,
    options,
    stopping: new AbortController(),
    connection: new AbortController(),
    state: { phase: 'connecting' },
    first: options.first,
    cursor: null,
    etag: null,
    policy: POLICY,
    retryMs: RETRY_MS,
    failures: 0,
    staleTimer: undefined,
    polling: null,
  }
  const stop = () => end(feed, { phase: 'ended', reason: 'stopped' })
  if (options.signal?.aborted) stop()
  options.signal?.addEventListener('abort', stop, { once: true })
  armStaleTimer(feed)
  const ended = run(feed).then(() => {
    options.signal?.removeEventListener('abort', stop)
    return feed.state
  })
  return {
    get state() {
      return feed.state
    },
    stop,
    ended,
  }
}

const isEnded = ({ state }: Feed): boolean => state.phase === 'ended'

/** An exception in the caller's code is the caller's: it surfaces, and the feed goes on. */
function notify(callback: () => void): void {
  try {
    callback()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

function enter(feed: Feed, state: LiveState): void {
  if (isEnded(feed) || feed.state.phase === state.phase) return
  feed.state = state
  if (state.phase !== 'polling') {
    feed.polling?.abort()
    feed.polling = null
  }
  notify(() => feed.options.onState?.(state))
}

function end(feed: Feed, state: LiveState): void {
  if (isEnded(feed)) return
  enter(feed, state)
  feed.client.transport.timers.clearTimeout(feed.staleTimer)
  feed.stopping.abort()
  feed.connection.abort()
}

/** Waits anew for the silence after which a connection counts as dead. */
function armStaleTimer(feed: Feed): void {
  const { timers } = feed.client.transport
  timers.clearTimeout(feed.staleTimer)
  if (isEnded(feed)) return
  feed.staleTimer = timers.setTimeout(() => {
    enter(feed, { phase: 'polling' })
    feed.connection.abort()
    if (feed.polling === null) void poll(feed)
    // The next connection may be as silent.
    armStaleTimer(feed)
  }, feed.policy.staleAfterSeconds * 1_000)
}

async function run(feed: Feed): Promise<void> {
  while (!isEnded(feed)) {
    feed.connection = new AbortController()
    const delay = feed.cursor === null ? await start(feed) : await follow(feed)
    if (isEnded(feed)) return
    await sleep(feed.client.transport.timers, delay, feed.stopping.signal)
  }
}

/** Reads the snapshot that the stream continues. Returns the delay before the next step. */
async function start(feed: Feed): Promise<number> {
  const signal = AbortSignal.any([feed.stopping.signal, feed.connection.signal])
  const { first } = feed
  feed.first = undefined
  const about = { etag: null, signal }
  const result = await (first ?? readSnapshot(feed.client, feed.options.scope, about))
  if (isEnded(feed)) return 0
  if (!result.ok) return delayAfter(feed, result.failure)
  takeSnapshot(feed, result.data, result.headers)
  feed.cursor = result.data?.cursor ?? ''
  return 0
}

function takeSnapshot(feed: Feed, snapshot: LiveSnapshot | null, headers: Headers): void {
  if (snapshot === null) return
  feed.etag = headers.get('etag')
  feed.policy = snapshot.transportPolicy ?? POLICY
  notify(() => feed.options.onSnapshot(snapshot))
}

/** One connection. Returns the delay before the next one. */
async function follow(feed: Feed): Promise<number> {
  const { client, options, stopping, connection, cursor } = feed
  const { timers } = client.transport
  const signal = AbortSignal.any([stopping.signal, connection.signal])
  const opened = await openStream(client, options.scope, { lastEventId: cursor ?? '', signal })
  if (isEnded(feed)) return 0
  if (!opened.ok) return delayAfterNoStream(feed, opened.failure)
  if (feed.polling) armStaleTimer(feed)
  const since = timers.now()
  const reason = await readStream(opened.data, {
    onActivity() {
      enter(feed, { phase: 'live' })
      armStaleTimer(feed)
    },
    onRetry: (milliseconds) => {
      feed.retryMs = Math.min(milliseconds, RETRY_MAX_MS)
    },
    onEvent: (event) => takeEvent(feed, event),
  })
  if (isEnded(feed)) return 0
  if (timers.now() - since >= GOOD_MS) feed.failures = 0
  return delayAfterStream(feed, feed.cursor === null ? 'reset' : reason)
}

function takeEvent(feed: Feed, event: LiveEvent): void {
  // After a reset the rest of this connection is void: a new one follows the new snapshot.
  if (isEnded(feed) || feed.cursor === null) return
  if (event.kind === 'stream.reset') {
    feed.cursor = null
    feed.connection.abort()
    return
  }
  feed.cursor = event.cursor
  notify(() => feed.options.onEvent(event))
}

/** The service ended these streams on purpose and expects the client back. */
const AT_ONCE: readonly string[] = ['lifetime', 'token', 'slow', 'restored', 'stopping', 'reset']

function delayAfterStream(feed: Feed, reason: StreamEnd | 'reset'): number {
  if (reason === 'access' || reason === 'replaced') {
    end(feed, { phase: 'ended', reason })
    return 0
  }
  if (feed.state.phase === 'live') enter(feed, { phase: 'connecting' })
  feed.failures += 1
  // At once, but not over and over: a service that ends every stream at once is in trouble.
  return AT_ONCE.includes(reason) && feed.failures === 1 ? 0 : retryDelay(feed)
}

function delayAfter(feed: Feed, failure: Failure): number {
  if (endIfRefused(feed, failure)) return 0
  if (feed.state.phase === 'live') enter(feed, { phase: 'connecting' })
  feed.failures += 1
  return Math.max(failure.retryAfterMs ?? 0, retryDelay(feed))
}

/**
 * A stream answers 401 also to those who are signed in but have lost their membership or role. The
 * snapshot has an answer of its own for that, so it is read before the feed ends.
 */
function delayAfterNoStream(feed: Feed, failure: Failure): number {
  if (failure.status !== 401) return delayAfter(feed, failure)
  feed.cursor = null
  feed.failures += 1
  return feed.failures === 1 ? 0 : retryDelay(feed)
}

/** A refusal that another attempt would only meet again. */
function endIfRefused(feed: Feed, failure: Failure): boolean {
  const isFinal = failure.source === 'api' && failure.status < 500 && failure.treatment !== 'wait'
  if (isFinal) end(feed, { phase: 'ended', reason: 'refused', failure })
  return isFinal
}

/** What the stream asked for, plus jitter that grows with each failure. */
function retryDelay({ retryMs, failures, client }: Feed): number {
  const jitter = client.transport.random() * retryMs * 2 ** Math.min(failures - 1, 10)
  return Math.round(Math.min(RETRY_MAX_MS, retryMs + jitter))
}

/** Shows changes while there is no stream. The stream's own attempts go on beside it. */
async function poll(feed: Feed): Promise<void> {
  const { client, options } = feed
  const polling = new AbortController()
  const { signal } = polling
  feed.polling = polling
  do {
    // Without a cursor the attempts to start read the snapshot themselves.
    if (feed.cursor === null) continue
    const result = await readSnapshot(client, options.scope, { etag: feed.etag, signal })
    if (signal.aborted) return
    if (result.ok) takeSnapshot(feed, result.data, result.headers)
    else endIfRefused(feed, result.failure)
  } while (await sleep(client.transport.timers, feed.policy.snapshotPollSeconds * 1_000, signal))
}
