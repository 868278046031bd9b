/** The live stream of the open organization, and what each event outdates. */
import type { LiveSnapshot, LiveState } from '@countersign/client/live.ts'
import type { OperationId } from '@countersign/client/operation-types.ts'
import { followLiveTogether } from '@countersign/client/shared-live.ts'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { useAccountChanged } from './account.ts'
import { client } from './api.ts'

export type Live = {
  state: LiveState
  snapshot: LiveSnapshot | null
  readAt: Date | null
  reconnect(): void
}

const LiveContext = createContext<Live | null>(null)

export function useLive(): Live {
  const live = use(LiveContext)
  if (!live) throw new Error('useLive is used outside of an organization.')
  return live
}

const EXPENSE_READS: readonly OperationId[] = [
  'getExpense',
  'listExpenses',
  'countExpenses',
  'getReport',
  'getRevisionReport',
]
const PAYMENT_READS: readonly OperationId[] = [
  'getPayment',
  'listActivity',
  'getSpending',
  'getTreasuryOverview',
  'getVault',
  'getMemberFunds',
]

/** Operations whose answers an event of the kind makes old. */
const OUTDATED: Record<string, readonly OperationId[]> = {
  expense: EXPENSE_READS,
  agent_run: EXPENSE_READS,
  approval: [...EXPENSE_READS, ...PAYMENT_READS],
  payment: [...EXPENSE_READS, ...PAYMENT_READS],
  support_case: ['listSupportCases', 'getSupportCase'],
  integration: [
    'listMembers',
    'listPendingMembers',
    'listInvitations',
    'listRecipients',
    'listVaults',
    'getVault',
    'getTreasuryOverview',
    'listVaultDeployments',
    'listPolicyIntents',
    'getExecutor',
    'getFundingControl',
    'getProviderSigner',
    'listFundingActions',
    'listWebhooks',
    'listCategories',
    'listUnrecordedPayments',
    'getAccount',
  ],
  service: [],
}

function invalidate(cache: QueryClient, types: ReadonlySet<string>): void {
  const reads = new Set([...types].flatMap((type) => OUTDATED[type] ?? []))
  for (const id of reads) void cache.invalidateQueries({ queryKey: [id] })
}

const GATHER_MS = 50

/** Several events of one change outdate the same reads: they are gathered for a moment. */
function gatherer(cache: QueryClient) {
  const types = new Set<string>()
  return (type: string) => {
    if (types.size === 0) {
      setTimeout(() => {
        invalidate(cache, types)
        types.clear()
      }, GATHER_MS)
    }
    types.add(type)
  }
}

type Props = { organizationId: string; accountId: string; children: ReactNode }

export function LiveProvider({ organizationId, accountId, children }: Props) {
  const cache = useQueryClient()
  const hasChanged = useAccountChanged()
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<LiveState>({ phase: 'connecting' })
  const [seen, setSeen] = useState<{ snapshot: LiveSnapshot; readAt: Date } | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the stream again
  useEffect(() => {
    // What happens to the person before is no business of the one who is signed in now.
    if (hasChanged) return
    const outdate = gatherer(cache)
    let timer: ReturnType<typeof setTimeout> | undefined
    let isStopped = false
    const refresh = async () => {
      timer = undefined
      const result = await client.call('getLiveSnapshot', { path: { organizationId } })
      if (result.ok && !isStopped) setSeen({ snapshot: result.data, readAt: new Date() })
    }
    const feed = followLiveTogether(client, {
      accountId,
      scope: { organizationId },
      onState: setState,
      onSnapshot: (snapshot) => setSeen({ snapshot, readAt: new Date() }),
      onEvent: (event) => {
        outdate(event.aggregateType)
        // Tasks are computed by the service: after an event the snapshot is read again.
        timer ??= setTimeout(refresh, GATHER_MS)
      },
    })
    return () => {
      isStopped = true
      clearTimeout(timer)
      feed.stop()
      setSeen(null)
    }
  }, [organizationId, accountId, cache, attempt, hasChanged])

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
