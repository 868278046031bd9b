/**
 * One live stream for all tabs of a browser, because the service allows an account only a few.
 *
 * The tab that holds a Web Lock follows the stream and broadcasts what it hears. The others listen;
 * each has read a snapshot of its own after it began to listen, so that it misses nothing. When the
 * tab closes, the lock passes to another one, which starts with a new snapshot.
 */
import type { Client } from './client.ts'
import {
  followLive,
  type LiveFeed,
  type LiveOptions,
  type LiveSnapshot,
  type LiveState,
} from './live.ts'
import { readSnapshot } from './live-calls.ts'
import type { LiveEvent } from './live-event.ts'

export type SharedLiveOptions = LiveOptions & {
  /** Who is signed in. Tabs of different accounts share nothing. */
  accountId: string
}

type Message =
  | { type: 'snapshot'; snapshot: LiveSnapshot }
  | { type: 'event'; event: LiveEvent }
  | { type: 'state'; state: LiveState }
  /** A tab that began to listen asks for the state. */
  | { type: 'hello' }

/** What this module needs of the browser; Node's types lack it. */
type Locks = {
  request(
    name: string,
    options: { signal: AbortSignal },
    holder: () => Promise<unknown>,
  ): Promise<unknown>
}

const locksHere = (): Locks | undefined =>
  (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks

const nameOf = ({ scope, accountId }: SharedLiveOptions): string =>
  `countersign-live ${accountId} ${scope === 'operator' ? scope : scope.organizationId}`

/** Follows alone where there are no locks or channels. */
export function followLiveTogether(client: Client, options: SharedLiveOptions): LiveFeed {
  const locks = locksHere()
  if (locks === undefined || typeof BroadcastChannel === 'undefined') {
    return followLive(client, options)
  }
  return share(client, options, locks)
}

/** What one tab knows. */
type Tab = {
  client: Client
  options: SharedLiveOptions
  channel: InstanceType<typeof BroadcastChannel>
  stopping: AbortController
  state: LiveState
  isLeader: boolean
  /** Has read a snapshot of its own, or is reading it. */
  hasStarted: boolean
  /** Resolves `ended`. */
  finish(state: LiveState): void
}

function share(client: Client, options: SharedLiveOptions, locks: Locks): LiveFeed {
  const name = nameOf(options)
  const tab: Tab = {
    client,
    options,
    channel: new BroadcastChannel(name),
    stopping: new AbortController(),
    state: { phase: 'connecting' },
    isLeader: false,
    hasStarted: false,
    finish: () => {},
  }
  const ended = new Promise<LiveState>((resolve) => {
    tab.finish = resolve
  })
  const stop = () => enter(tab, { phase: 'ended', reason: 'stopped' })
  tab.channel.onmessage = ({ data }: { data: Message }) => hear(tab, data)
  options.signal?.addEventListener('abort', stop, { signal: tab.stopping.signal })
  if (options.signal?.aborted) stop()
  say(tab, { type: 'hello' })
  locks.request(name, { signal: tab.stopping.signal }, () => lead(tab)).catch(() => undefined)
  return {
    get state() {
      return tab.state
    },
    stop,
    ended,
  }
}

function enter(tab: Tab, state: LiveState): void {
  if (tab.state.phase === 'ended' || tab.state.phase === state.phase) return
  tab.state = state
  tab.options.onState?.(state)
  if (state.phase !== 'ended') return
  tab.stopping.abort()
  tab.channel.close()
  tab.finish(state)
}

function say({ channel, state }: Tab, message: Message): void {
  if (state.phase !== 'ended') channel.postMessage(message)
}

function hear(tab: Tab, message: Message): void {
  const { options } = tab
  if (message.type === 'hello') {
    if (tab.isLeader) say(tab, { type: 'state', state: tab.state })
  } else if (message.type === 'event') options.onEvent(message.event)
  else if (message.type === 'snapshot') options.onSnapshot(message.snapshot)
  else {
    enter(tab, message.state)
    void start(tab)
  }
}

/** A tab that only listens reads its own snapshot, once it knows that another one leads. */
async function start(tab: Tab): Promise<void> {
  const { client, options, stopping } = tab
  if (tab.isLeader || tab.hasStarted || tab.state.phase === 'ended') return
  tab.hasStarted = true
  const about = { etag: null, signal: stopping.signal }
  const result = await readSnapshot(client, options.scope, about)
  if (result.ok && result.data && !tab.isLeader) options.onSnapshot(result.data)
}

/** Resolves, and passes the lock on, when this tab's feed has ended. */
function lead(tab: Tab): Promise<LiveState> {
  const { client, options } = tab
  tab.isLeader = true
  const feed = followLive(client, {
    scope: options.scope,
    // A tab that has listened before has read a later one.
    first: tab.hasStarted ? undefined : options.first,
    signal: tab.stopping.signal,
    onSnapshot(snapshot) {
      say(tab, { type: 'snapshot', snapshot })
      options.onSnapshot(snapshot)
    },
    onEvent(event) {
      say(tab, { type: 'event', event })
      options.onEvent(event)
    },
    onState(state) {
      // When this tab merely stops, the next one goes on.
      const isOnlyHere = state.phase === 'ended' && state.reason === 'stopped'
      if (!isOnlyHere) say(tab, { type: 'state', state })
      enter(tab, state)
    },
  })
  enter(tab, feed.state)
  say(tab, { type: 'state', state: tab.state })
  return feed.ended
}
