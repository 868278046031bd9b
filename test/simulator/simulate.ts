/** One seed is one run: the real engine over a simulated world, judged by the oracle. */
import { createAgreedChain } from '#payments/agreed-chain.ts'
import type { LaneSettings, LaneStore, LaneWorld, Sign } from '#payments/lane.ts'
import { runLanePass } from '#payments/run-lane.ts'
import type { PaymentNode } from '#ports/payment-node.ts'
import { createRandom } from '#test/fuzz/random.ts'
import { createSimulatedChain, FINALITY_DEPTH } from './chain.ts'
import { createFaults, injectFaults } from './faults.ts'
import { createMemoryStore, isRowLive, type PaymentRow } from './memory-store.ts'
import { createNetwork } from './network.ts'
import { createNode } from './node.ts'
import { createOracle, type Violation } from './oracle.ts'
import { createScheduler } from './scheduler.ts'
import { rightEngine, type Variant } from './variants.ts'
import { createWorkers, type Worker } from './workers.ts'

/** Faults stop at 60 %; what is not finished at the end never will be. */
export const RUN_MS = 200_000
const HEAL_AT_MS = 0.6 * RUN_MS
const BLOCK_MS = 1_000

export const settings: LaneSettings = {
  leaseMs: 4_000,
  inFlightMax: 16,
  lookEveryMs: 700,
  lookAtBlockedEveryMs: 5_000,
  resendAfterMs: 3_000,
  loseAfterMs: 12_000,
  replaceAfterMs: 6_000,
}

export type Simulation = {
  seed: number
  variant?: Variant
  /** The contract's refusal of an id that it has seen. Off: only the engine stands in the way. */
  isGuarded?: boolean
  payments?: number
  hasFaults?: boolean
  trace?: (line: string) => void
}

export type Report = {
  seed: number
  payments: number
  violations: Violation[]
  faults: ReadonlyMap<string, number>
  /** How often each move of the table was made. */
  moves: ReadonlyMap<string, number>
  staleWrites: number
  attempts: number
  releases: number
  endedAtMs: number
}

export async function simulate({
  seed,
  variant = rightEngine,
  isGuarded = false,
  payments = 5,
  hasFaults = true,
  trace,
}: Simulation): Promise<Report> {
  const random = createRandom(seed)
  const scheduler = createScheduler()
  const { nowMs } = scheduler
  const note = (line: string) => trace?.(`${(nowMs() / 1000).toFixed(3).padStart(8)} ${line}`)
  const chain = createSimulatedChain({ random, isGuarded })
  const oracle = createOracle({ chain, inFlightMax: settings.inFlightMax })
  const faults = createFaults({ scheduler, healAtMs: hasFaults ? HEAL_AT_MS : 0, note })
  const moves = new Map<string, number>()
  const store = createMemoryStore({
    nowMs,
    isFenced: variant.isFenced ?? true,
    isLogApplied: () => !faults.areOn() || random.chance(0.8),
    onMove(moved) {
      const { row, from, event, code } = moved
      const move = `${from} ${event} ${row.state}`
      moves.set(move, (moves.get(move) ?? 0) + 1)
      note(`${row.id} ${move} ${code ?? ''}`)
      oracle.onMove(moved)
    },
  })
  const finalityDepth = variant.finalityDepth ?? FINALITY_DEPTH
  const nodes = [0, 1].map(() => createNode({ chain, random, scheduler, finalityDepth }))
  const network = createNetwork({ random, scheduler, faults })

  const sign: Sign = async ({ address, nonce, fees, call }) => {
    const hash = `${address}/${nonce}/${call.data}/${fees.maxFeePerGas}`
    const transaction = { raw: hash, hash, address, nonce, fees, chainPaymentId: call.data }
    chain.transactions.set(hash, transaction)
    note(`signed ${hash}`)
    oracle.onSigned(transaction)
    return { raw: hash, transactionHash: hash }
  }

  /** What one worker can reach, each call by way of the network. */
  function worldOf(worker: Worker): LaneWorld {
    const changed: LaneStore = { ...store, ...variant.change?.(store) }
    const remoteStore = remote(changed, (effect) => network.call(worker, 'store', effect))
    const remoteNodes = nodes.map((node) =>
      remote(node.ask as unknown as PaymentNode, (effect) => network.call(worker, 'node', effect)),
    )
    const monotonicMs = () => worker.clockOffsetMs + nowMs() * worker.clockRate
    return {
      store: remoteStore,
      chain: createAgreedChain(remoteNodes),
      sign,
      monotonicMs,
      settings,
    }
  }

  const laneIds = random.chance(0.2) ? ['lane-a', 'lane-b'] : ['lane-a']
  for (const id of laneIds) {
    const start = { nextNonce: 0, isHeld: false, finalizedFloor: 0, epoch: 0, leasedUntilMs: 0 }
    store.lanes.set(id, { id, address: `executor-of-${id}`, ...start })
  }
  const rows = Array.from({ length: payments }, (_, index) =>
    createPayment({ index, laneId: laneIds[index % laneIds.length] ?? 'lane-a' }),
  )
  for (const row of rows) {
    chain.executions.set(row.expected.chainPaymentId, row.expected)
    scheduler.after(hasFaults ? random.integer(0, HEAL_AT_MS / 2) : 0, () => {
      note(`${row.id} is queued`)
      store.add(row)
      return false
    })
  }

  const every = (ms: number, act: () => void) => {
    const again = (): boolean => {
      act()
      scheduler.after(ms, again)
      return false
    }
    scheduler.after(ms, again)
  }
  every(BLOCK_MS, () => {
    chain.mine()
    const { number, mined } = chain.head()
    for (const { transaction, status } of mined) note(`#${number} ${status} ${transaction.hash}`)
    for (const node of nodes) node.follow()
  })

  /** Releases again what is proven unpaid, and now and then asks to reconcile what is not. */
  let releases = 0
  every(1_500, () => {
    for (const row of rows) {
      if (row.state !== 'blocked' && row.state !== 'failed') continue
      if (faults.areOn() && random.chance(0.7)) continue
      const mustReconcile = isRowLive(row) || row.blockCode === 'payment_already_executed'
      if (!mustReconcile) {
        releases += 1
        store.release(row)
      } else if (faults.areOn() && random.chance(0.1)) store.move(row, 'reconcile')
    }
  })

  const workers = createWorkers({
    random,
    scheduler,
    laneIds,
    hasSkew: hasFaults,
    employ(worker) {
      const world = worldOf(worker)
      return (laneId) => runLanePass(world, { laneId })
    },
  })
  const chainPaymentIds = rows.map(({ expected }) => expected.chainPaymentId)
  if (hasFaults) injectFaults({ random, scheduler, faults, chain, nodes, workers, chainPaymentIds })

  const isDone = () => rows.every(({ state }) => state === 'confirmed')
  await scheduler.run(() => nowMs() >= RUN_MS || (!faults.areOn() && isDone()))
  const endedAtMs = nowMs()

  // Whatever was ever signed comes back once more: nothing of it may pay again.
  for (const transaction of chain.transactions.values()) chain.hear(transaction)
  for (let mined = 0; mined < payments + FINALITY_DEPTH; mined += 1) chain.mine()
  oracle.judgeEnd(store)
  for (const { kind, detail } of oracle.violations) note(`VIOLATION ${kind}: ${detail}`)

  return {
    seed,
    payments,
    violations: oracle.violations,
    faults: faults.counts,
    moves,
    staleWrites: store.staleWrites,
    attempts: rows.reduce((sum, row) => sum + row.attempts.length, 0),
    releases,
    endedAtMs,
  }
}

type Methods = Record<string, (...input: never[]) => unknown>

/** The same methods, each by way of somebody who decides when and whether it happens. */
function remote<T extends object>(near: T, by: <R>(effect: () => R | Promise<R>) => Promise<R>): T {
  const methods = Object.entries(near as Methods).filter(([, work]) => typeof work === 'function')
  return Object.fromEntries(
    methods.map(([name, work]) => [name, (...input: never[]) => by(() => work(...input))]),
  ) as T
}

function createPayment({ index, laneId }: { index: number; laneId: string }): PaymentRow {
  const id = `payment-${index}`
  const vaultAddress = 'vault'
  return {
    id,
    laneId,
    epoch: 1,
    state: 'queued',
    stateSinceMs: 0,
    call: { vaultAddress, data: `chain-${id}`, gasLimit: 100_000n },
    expected: {
      vaultAddress,
      chainPaymentId: `chain-${id}`,
      recipientAddress: `recipient-${index}`,
      mode: 'approved',
      amount: BigInt(1_000 + index),
      policyVersion: 1,
      reportHash: `report-${index}`,
      expenseVersionHash: `version-${index}`,
      approvalDigest: `digest-${index}`,
      approverAddress: 'approver',
    },
    attempts: [],
    blockCode: null,
    queuedOrder: 0,
    dueAtMs: 0,
    postponements: 0,
  }
}
