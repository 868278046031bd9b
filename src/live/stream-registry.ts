/** The registry of open streams of the process, by account and by the organization they follow. */
import type { Context } from '#context.ts'
import { commentFrame } from './frames.ts'
import type { LiveStream, StreamEnding } from './live-stream.ts'

export type StreamRegistry = {
  /** Exceeding the limit ends the account's oldest stream of this process. */
  add(stream: LiveStream): void
  /** From now on the stream is among the followers. */
  join(stream: LiveStream): void
  leave(stream: LiveStream, ending: StreamEnding): void
  all(): Iterable<LiveStream>
  /** Followers of an organization; null for operators, who follow all organizations. */
  followers(organizationId: string | null): Iterable<LiveStream>
  readonly size: number
}

type Groups = Map<string | null, Set<LiveStream>>

function put(groups: Groups, key: string | null, stream: LiveStream): Set<LiveStream> {
  const group = groups.get(key) ?? new Set()
  groups.set(key, group.add(stream))
  return group
}

function drop(groups: Groups, key: string | null, stream: LiveStream): void {
  const group = groups.get(key)
  group?.delete(stream)
  if (group?.size === 0) groups.delete(key)
}

const accountOf = ({ viewer }: LiveStream) => `${viewer.scope.realm} ${viewer.accountId}`

export function createStreamRegistry(
  { config, metrics }: Pick<Context, 'config' | 'metrics'>,
  onLeave: (stream: LiveStream) => void,
): StreamRegistry {
  const streams = new Set<LiveStream>()
  const byAccount: Groups = new Map()
  const byOrganization: Groups = new Map()

  const leave = (stream: LiveStream, ending: StreamEnding) => {
    if (!streams.delete(stream)) return
    drop(byAccount, accountOf(stream), stream)
    drop(byOrganization, stream.viewer.scope.organizationId, stream)
    metrics.streamEnded(ending)
    stream.outlet.end(commentFrame(`end: ${ending}`))
    onLeave(stream)
  }

  return {
    add(stream) {
      streams.add(stream)
      metrics.streamOpened()
      const own = [...put(byAccount, accountOf(stream), stream)]
      const surplus = Math.max(0, own.length - config.streams.perAccount)
      for (const oldest of own.slice(0, surplus)) leave(oldest, 'replaced')
    },
    join(stream) {
      if (streams.has(stream)) put(byOrganization, stream.viewer.scope.organizationId, stream)
    },
    leave,
    all: () => [...streams],
    followers: (organizationId) => byOrganization.get(organizationId) ?? [],
    get size() {
      return streams.size
    },
  }
}
