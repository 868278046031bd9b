/** One seed is one run: the real engine in a simulated environment, checked by the oracle. */
import { createAgreedChain } from '#payments/engine/agreed-chain.ts'
import type { LaneDeps, LaneSettings, Provider } from '#payments/engine/lane.ts'
import { runLanePass } from '#payments/engine/run-lane.ts'
import { isInFlight } from '#payments/payment.machine.ts'
import type { PaymentNode } from '#ports/payment-node.ts'
import { FEE_CEILING, FINALITY_DEPTH, headOf, hear, mine } from './chain.ts'
import { injectFaults } from './faults.ts'
import { enqueue, isRowLive, movePayment, releaseAgain } from './memory-rows.ts'
import { createMemoryStore, type MemoryStore } from './memory-store.ts'
import { createNetwork, type Network } from './network.ts'
import { askNode, follow } from './node.ts'
import type { Violation } from './oracle.ts'
import type { SimulatedProvider } from './provider.ts'
import { restoreBackup } from './restore-backup.ts'
import { createStage, type Stage } from './stage.ts'
import { rightEngine, type Variant } from './variants.ts'
import { createWorkers, type Worker } from './workers.ts'

/** Faults stop at 60 %; what is not finished at the end never will be. */
const RUN_MS = 200_000
const HEAL_AT_MS = 0.6 * RUN_MS
const BLOCK_MS = 1_000
const PERSON_MS = 1_500

export const settings: LaneSettings = {
  leaseMs: 4_000,
  inFlightMax: 16,
  pollEveryMs: 700,
  pollBlockedEveryMs: 5_000,
  resendAfterMs: 3_000,
  loseAfterMs: 12_000,
  replaceAfterMs: 6_000,
}

export type Simulation = {
  seed: number
  variant?: Variant
  /** The contract's replay guard. Off: only the engine prevents a second payment. */
  isGuarded?: boolean
  payments?: number
  hasFaults?: boolean
  /** The database returns to an older state while the chain continues. */
  hasRestore?: boolean
  /** Payments are delegated: see `provider.ts`. */
  isDelegated?: boolean
  /** As deposits are: by a receipt of their own, and by no log of the vault. */
  isProvenByReceipt?: boolean
  /** The vault's period is too short for all payments, so that some have to wait for the next. */
  hasPeriod?: boolean
  /** Activations of policies, some of which are vetoed. A provider is asked for payments only. */
  activations?: number
  trace?: (line: string) => void
}

export type Report = Pick<Stage, 'rows' | 'moves'> & {
  seed: number
  payments: number
  violations: Violation[]
  faults: ReadonlyMap<string, number>
  staleWrites: number
  attempts: number
  releases: number
}

export async function simulate({
  seed,
  variant = rightEngine,
  isGuarded = false,
  payments = 5,
  hasFaults = true,
  hasRestore = false,
  isDelegated = false,
  isProvenByReceipt = false,
  hasPeriod = hasFaults && !isProvenByReceipt,
  activations = hasFaults && hasPeriod && !isDelegated && !hasRestore ? 1 : 0,
  trace,
}: Simulation): Promise<Report> {
  const healAtMs = hasFaults ? HEAL_AT_MS : 0
  const { inFlightMax } = settings
  const shared = { seed, variant, isGuarded, payments, healAtMs, inFlightMax, trace }
  const stage = createStage({ ...shared, isDelegated, isProvenByReceipt, hasPeriod, activations })
  const { random, scheduler, tables, oracle, faults, laneIds, rows, moves } = stage
  const network = createNetwork(stage)

  for (const row of rows) {
    scheduler.after(random.integer(0, hasRestore ? 10_000 : healAtMs / 2), () => {
      stage.note(`${row.id} is queued`)
      enqueue(tables, row)
      return false
    })
  }
  every(stage, BLOCK_MS, () => mineBlock(stage))
  let releases = 0
  every(stage, PERSON_MS, () => {
    vetoSome(stage)
    releases += attend(stage)
  })
  const workers = createWorkers({
    random,
    scheduler,
    laneIds,
    hasSkew: hasFaults,
    employ(worker) {
      const deps = depsOf(stage, { worker, network, variant })
      return (laneId) => runLanePass(deps, { laneId })
    },
  })
  if (hasFaults) injectFaults({ ...stage, workers })
  const isRestored = hasRestore ? restoreBackup({ ...stage, workers }) : () => true

  const isCalm = () => !faults.areOn() && isRestored()
  const isFinished = ({ state, isCancelled }: Stage['rows'][number]) =>
    state === 'confirmed' || isCancelled
  const isDone = () => isCalm() && rows.every(isFinished)
  await scheduler.run(() => isDone() || scheduler.nowMs() >= RUN_MS)
  judgeEnd(stage)
  const { violations } = oracle
  const { staleWrites } = tables
  const attempts = rows.reduce((sum, row) => sum + row.attempts.length, 0)
  const counts = { payments, staleWrites, attempts, releases, faults: faults.counts }
  return { seed, violations, rows, moves, ...counts }
}

function every({ scheduler }: Stage, ms: number, act: () => void): void {
  const again = (): boolean => {
    act()
    scheduler.after(ms, again)
    return false
  }
  scheduler.after(ms, again)
}

function mineBlock({ chain, nodes, note, provider }: Stage): void {
  mine(chain)
  const { number, mined } = headOf(chain)
  for (const { transaction, status } of mined) note(`#${number} ${status} ${transaction.hash}`)
  for (const node of nodes) follow(node)
  provider?.tick()
}

/** Somebody changes their mind about a policy, mostly while its activation is in flight. */
function vetoSome({ rows, random, chain, tables, faults, note }: Stage): void {
  for (const { id, isActivation, call, state } of rows) {
    if (!isActivation || !faults.areOn() || !tables.payments.has(id)) continue
    if (!random.chance(isInFlight(state) ? 0.1 : 0.02)) continue
    note(`${id} is vetoed`)
    chain.vetoed.add(call.data)
  }
}

/** A vetoed policy needs no activation; one in flight is settled first. */
const cancels = ({ chain }: Stage, { isActivation, call, state }: Stage['rows'][number]) =>
  isActivation && chain.vetoed.has(call.data) && (state === 'queued' || state === 'failed')

/**
 * A member releases what is proven unpaid, and sometimes reconciles the rest. A job queues an
 * activation again that has failed.
 */
function attend(stage: Stage): number {
  const { rows, faults, random, tables } = stage
  let releases = 0
  for (const row of rows) {
    if (cancels(stage, row)) row.isCancelled = true
    if (row.isCancelled) continue
    if (row.state !== 'blocked' && row.state !== 'failed') continue
    if (faults.areOn() && random.chance(0.7)) continue
    if (!isRowLive(row) && row.blockCode !== 'payment_already_executed') {
      releases += 1
      releaseAgain(tables, row)
    } else if (faults.areOn() && random.chance(0.1)) {
      movePayment(tables, row, { event: 'reconcile' })
    }
  }
  return releases
}

/** Everything ever signed or accepted is sent once more: nothing may be paid again. */
function judgeEnd({ chain, oracle, rows, tables, note, provider }: Stage): void {
  provider?.flush()
  // What a period delays or a veto prevents, it must not hide.
  chain.period = null
  chain.vetoed.clear()
  for (const transaction of chain.transactions.values()) hear(chain, transaction)
  for (let mined = 0; mined < rows.length + FINALITY_DEPTH; mined += 1) mine(chain)
  oracle.judgeEnd(tables)
  for (const { kind, detail } of oracle.violations) note(`VIOLATION ${kind}: ${detail}`)
}

type Employment = { worker: Worker; network: Network; variant: Variant }

/** What one worker can reach, each call over the network. */
function depsOf(stage: Stage, { worker, network, variant }: Employment): LaneDeps {
  const { tables, nodes, scheduler, provider } = stage
  const right = createMemoryStore(tables)
  const changed: MemoryStore = { ...right, ...variant.change?.(tables, right) }
  const store = remote(changed, (effect) => network.call(worker, 'store', effect))
  const remoteNodes = nodes.map((node) =>
    remote(askNode(node) as unknown as PaymentNode, (effect) =>
      network.call(worker, 'node', effect),
    ),
  )
  return {
    store,
    chain: createAgreedChain(remoteNodes, { feeCeiling: FEE_CEILING }),
    executor: provider
      ? {
          kind: 'sends',
          provider: remoteProvider(stage, provider, { worker, network, variant }),
          delegations: store,
        }
      : { kind: 'signs', holds: store },
    monotonicMs: () => worker.clockOffsetMs + scheduler.nowMs() * worker.clockRate,
    settings,
  }
}

/** Workers never stop here: they die. */
const stopping = new AbortController().signal

function remoteProvider(
  { scheduler }: Stage,
  provider: SimulatedProvider,
  { worker, network, variant }: Employment,
): Provider {
  const { submit, poll } = variant.changeProvider?.(provider.asked) ?? provider.asked
  const by = <R>(effect: () => R) => network.call(worker, 'provider', effect)
  return {
    ...provider,
    submit: (input) => by(() => submit(input)),
    poll: poll && ((input) => by(() => poll(input))),
    stopping,
    pause: (ms, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
        scheduler.after(ms, () => {
          if (worker.isAlive) resolve()
          return worker.isAlive
        })
      }),
  }
}

type Methods = Record<string, (...input: never[]) => unknown>

/** The same methods, each through a function that decides when and whether it happens. */
function remote<T extends object>(near: T, by: <R>(effect: () => R | Promise<R>) => Promise<R>): T {
  const methods = Object.entries(near as Methods).filter(([, work]) => typeof work === 'function')
  return Object.fromEntries(
    methods.map(([name, work]) => [name, (...input: never[]) => by(() => work(...input))]),
  ) as T
}
