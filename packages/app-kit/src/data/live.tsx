/** A live stream, and what each of its events outdates. */
import type { LiveScope, LiveSnapshot, LiveState } from '@countersign/client/live.ts'
import type { LiveEvent } from '@countersign/client/live-event.ts'
import type { OperationId } from '@countersign/client/operation-types.ts'
import { followLiveTogether } from '@countersign/client/shared-live.ts'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { useAccountChanged } from './account.ts'
import { client } from './api.ts'
import { firstSnapshotOf, forgetFirstSnapshot } from './first-snapshot.ts'
import { outdate } from './outdate.ts'
import { createSnapshotReads, GATHER_MS } from './snapshot-reads.ts'

export type Live = {
  state: LiveState
  snapshot: LiveSnapshot | null
  readAt: Date | null
  reconnect(): void
}

/** Operations whose answers an event of the kind makes old. */
export type Outdated = Readonly<Record<string, readonly OperationId[]>>

const LiveContext = createContext<Live | null>(null)

export function useLive(): Live {
  const live = use(LiveContext)
  if (!live) throw new Error('useLive is used outside of a live stream.')
  return live
}

/** Several events of one change outdate the same reads: they are gathered for a moment. */
function gatherer(cache: QueryClient, outdated: Outdated) {
  const types = new Set<string>()
  return (type: string) => {
    if (types.size === 0) {
      setTimeout(() => {
        outdate(cache, new Set([...types].flatMap((type) => outdated[type] ?? [])))
        types.clear()
      }, GATHER_MS)
    }
    types.add(type)
  }
}

const readSnapshot = (organizationId: string | null) =>
  organizationId === null
    ? client.call('getAdminLiveSnapshot')
    : client.call('getLiveSnapshot', { path: { organizationId } })

/** Those that were asked for already. */
const readsIn = (cache: QueryClient, outdated: Outdated): Set<OperationId> => {
  const ids = Object.values(outdated).flat()
  return new Set(ids.filter((id) => cache.getQueryCache().find({ queryKey: [id], exact: false })))
}

type Props = {
  /** Null for operators, who follow all organizations. */
  organizationId: string | null
  accountId: string
  /** The same object every time: another one opens the stream again. */
  outdated: Outdated
  onEvent?: ((event: LiveEvent) => void) | undefined
  children: ReactNode
}

export function LiveStream({ organizationId, accountId, outdated, onEvent, children }: Props) {
  const cache = useQueryClient()
  const hasChanged = useAccountChanged()
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<LiveState>({ phase: 'connecting' })
  const [seen, setSeen] = useState(() => firstSnapshotOf(organizationId)?.seen ?? null)
  // With the first snapshot at hand, only what was read until now was asked for before it.
  const [earlier] = useState(() => (seen ? readsIn(cache, outdated) : null))

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the stream again
  useEffect(() => {
    // What happens to the person before is no business of the one who is signed in now.
    if (hasChanged) return
    // A feed reports only what comes after this.
    setState((old) => (old.phase === 'connecting' ? old : { phase: 'connecting' }))
    const gather = gatherer(cache, outdated)
    const scope: LiveScope = organizationId === null ? 'operator' : { organizationId }
    const reads = createSnapshotReads({
      read: () => readSnapshot(organizationId),
      onSnapshot: (snapshot) => setSeen({ snapshot, readAt: new Date() }),
    })
    const first = firstSnapshotOf(organizationId)
    forgetFirstSnapshot()
    const all = new Set(Object.values(outdated).flat())
    // What was asked for before a snapshot may be older than it, and no event will say so. Reads of
    // operators are recorded, so the first snapshot repeats none.
    let older = organizationId === null ? new Set<OperationId>() : first && earlier ? earlier : all
    const feed = followLiveTogether(client, {
      accountId,
      scope,
      first: first?.answer,
      onState: (state) => {
        setState(state)
        if (state.phase === 'ended') reads.stop()
      },
      onSnapshot: (snapshot) => {
        reads.overtake()
        setSeen((shown) =>
          shown?.snapshot === snapshot ? shown : { snapshot, readAt: new Date() },
        )
        outdate(cache, older)
        // A later one also stands for events that did not come, whatever they were about.
        older = all
      },
      onEvent: (event) => {
        gather(event.aggregateType)
        onEvent?.(event)
        reads.request()
      },
    })
    return () => {
      reads.stop()
      feed.stop()
      setSeen(null)
    }
  }, [organizationId, accountId, cache, outdated, onEvent, attempt, hasChanged])

  const value = useMemo<Live>(
    () => ({
      state,
      snapshot: seen?.snapshot ?? null,
      readAt: seen?.readAt ?? null,
      reconnect: () => setAttempt((count) => count + 1),
    }),
    [state, seen],
  )
  return <LiveContext value={value}>{children}</LiveContext>
}
