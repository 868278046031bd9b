/** Probes every service once. A probe ends in time and never throws, whatever the service does. */
import { setTimeout as wait } from 'node:timers/promises'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { findBindingReference, findNewestBinding } from '#executor/executor.store.ts'
import { findUnconstrainedSigner } from '#funding/controls.store.ts'
import { FORGERY_CODES } from '#payments/payment.ts'
import { addSeconds } from '#platform/clock.ts'
import {
  countForgedPayments,
  countPayments,
  countQueue,
  countUnreadHistories,
  type ExecutorWithSeverity,
  type Figures,
  findBeatAge,
  findWithheldAge,
  listExecutorFacts,
  listModelAnswers,
  pingDatabase,
} from './health.store.ts'
import {
  countExecutors,
  judgeExecutor,
  judgeExecutorProvider,
  judgeExecutors,
  worseOf,
} from './judge-executor.ts'
import {
  judgeAnalyst,
  judgeChain,
  judgeDatabase,
  judgeIdentity,
  judgeKeys,
  judgePush,
  judgeSigners,
  judgeWalletProvider,
  judgeWorker,
  lagsOf,
  type ProviderState,
} from './judge-services.ts'
import { degraded, type HealthVerdict, healthy, type ServiceId } from './service-health.ts'

export type ProbeContext = Pick<
  Context,
  'db' | 'observerDb' | 'clock' | 'chain' | 'identity' | 'executor' | 'analyst' | 'walletProvider'
> & {
  /** Undefined without VAPID keys. */
  push?: object | undefined
}

const PROBE_WITHIN_MS = 10_000
const REPORTS_SINCE_SECONDS = 3_600
const REPORTS_MAX = 20

export type Looks = {
  services: Map<ServiceId, HealthVerdict>
  /** Counts that a probe made along the way. */
  figures: Map<ServiceId, Figures>
  executors: ExecutorWithSeverity[]
}

export async function probeServices(
  ctx: ProbeContext,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Looks> {
  let executors: ExecutorWithSeverity[] = []
  const figures: Looks['figures'] = new Map()
  const probes: Record<ServiceId, () => Promise<HealthVerdict>> = {
    database: () => probeDatabase(ctx, figures),
    worker: () => probeWorker(ctx, figures),
    chain: () => probeChain(ctx, figures),
    executor: async () => {
      const providerState = stateOf(ctx.executor)
      executors = await listExecutorFacts(ctx.observerDb)
      // These counts are for metrics only: if they fail, that says nothing about executors.
      const payments = await countPayments(ctx.observerDb).catch(() => undefined)
      figures.set('executor', { ...payments, ...countExecutors(executors) })
      const own = judgeExecutors(executors.map(judgeExecutor))
      const provider = judgeExecutorProvider(await providerState)
      return provider ? worseOf(provider, own) : own
    },
    analyst: () => probeAnalyst(ctx),
    push: async () => judgePush(ctx.push !== undefined),
    identity: () => probeIdentity(ctx),
    wallets: () => probeWallets(ctx),
  }
  const entries = Object.entries(probes) as [ServiceId, () => Promise<HealthVerdict>][]
  const found = await Promise.all(
    entries.map(async ([id, probe]) => [id, await withinTimeout(probe, signal)] as const),
  )
  return { services: new Map(found), figures, executors }
}

/** A service that hangs must not delay the verdicts of the others. */
async function withinTimeout(
  probe: () => Promise<HealthVerdict>,
  signal: AbortSignal | undefined,
): Promise<HealthVerdict> {
  const done = new AbortController()
  const ends = AbortSignal.any(signal ? [done.signal, signal] : [done.signal])
  const failed = (code: string) =>
    degraded(code, 'This service could not be probed. Check the worker logs.')
  const timedOut = wait(PROBE_WITHIN_MS, undefined, { signal: ends }).then(
    () => failed('probe_timed_out'),
    () => failed('probe_stopped'),
  )
  const verdict = await Promise.race([probe().catch(() => failed('probe_failed')), timedOut])
  done.abort()
  return verdict
}

/** Times the second ping, because the first may have to open a connection. */
async function probeDatabase(
  { db, observerDb }: ProbeContext,
  figures: Looks['figures'],
): Promise<HealthVerdict> {
  await pingDatabase(db)
  const startedAt = performance.now()
  await pingDatabase(db)
  const latencyMs = Math.round(performance.now() - startedAt)
  const counted = {
    withheldSeconds: await findWithheldAge(observerDb),
    forgedPayments: await countForgedPayments(observerDb, FORGERY_CODES),
  }
  figures.set('database', counted)
  return judgeDatabase({ latencyMs, ...counted })
}

async function probeWorker(
  { db }: ProbeContext,
  figures: Looks['figures'],
): Promise<HealthVerdict> {
  const [queue, beatAgeSeconds] = await Promise.all([countQueue(db), findBeatAge(db)])
  figures.set('worker', queue)
  return judgeWorker({ ...queue, beatAgeSeconds })
}

async function probeChain(
  { db, observerDb, chain, clock }: ProbeContext,
  figures: Looks['figures'],
): Promise<HealthVerdict> {
  const [nodes, position, histories] = await Promise.all([
    chain.inspectNodes(),
    findPosition(db),
    // These counts are for metrics only: one vault's history says nothing about the chain.
    countUnreadHistories(observerDb).catch(() => undefined),
  ])
  figures.set('chain', { ...histories, nodeLagBlocks: lagsOf(nodes) })
  const now = timestampToSeconds(clock.now().toISOString())
  const followerAgeSeconds = position
    ? Math.max(0, now - timestampToSeconds(position.seenAt))
    : null
  return judgeChain({ nodes, followerAgeSeconds })
}

async function probeIdentity({ identity }: ProbeContext): Promise<HealthVerdict> {
  const startedAt = performance.now()
  const states = await identity.checkKeySets()
  return judgeIdentity({ states, latencyMs: Math.round(performance.now() - startedAt) })
}

/** Asking the model costs tokens, so the outcomes of recent reports are used instead. */
async function probeAnalyst({ observerDb, clock, analyst }: ProbeContext): Promise<HealthVerdict> {
  if (!analyst) return judgeAnalyst(false, [])
  const since = addSeconds(clock.now(), -REPORTS_SINCE_SECONDS)
  return judgeAnalyst(true, await listModelAnswers(observerDb, { since, limit: REPORTS_MAX }))
}

const stateOf = (provider: Pick<ProbeContext['executor'], 'check'>): Promise<ProviderState> =>
  provider.check().catch(() => 'silent' as const)

/** The worst verdict counts, so that a silent provider does not hide a local problem. */
async function probeWallets(ctx: ProbeContext): Promise<HealthVerdict> {
  const [state, isUnconstrained, keys] = await Promise.all([
    ctx.walletProvider ? stateOf(ctx.walletProvider) : ('ready' as const),
    findUnconstrainedSigner(ctx.observerDb),
    probeKeys(ctx),
  ])
  const found = [judgeSigners(isUnconstrained), judgeWalletProvider(state), keys]
  return found.flatMap((verdict) => verdict ?? []).reduce(worseOf)
}

/** The newest executor's key stands for all, because one secret opens all of them. */
async function probeKeys({ db, observerDb, executor }: ProbeContext): Promise<HealthVerdict> {
  if (executor.type !== 'local') return healthy("The executors' keys are with their provider.")
  const newest = await findNewestBinding(observerDb)
  if (!newest) return judgeKeys(undefined)
  const { organizationId } = newest
  const reference = await db.read({ organizationId }, (reader) =>
    findBindingReference(reader, newest),
  )
  if (!reference) return judgeKeys(undefined)
  return judgeKeys(await executor.holdsKey({ ...newest, reference }))
}
