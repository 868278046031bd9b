/** Everything that a run needs, created from one seed before it starts. */
import { requiredApprovals } from '@countersign/proof/execution.ts'
import type { Sign } from '#ports/executor-provider.ts'
import { createRandom, type Random } from '#test/fuzz/random.ts'
import {
  createSimulatedChain,
  executionsOf,
  FINALITY_DEPTH,
  headOf,
  type SimulatedChain,
  TIERS,
} from './chain.ts'
import { createFaults, type Faults } from './faults.ts'
import type { PaymentRow, Rows } from './memory-rows.ts'
import { createNode, type SimulatedNode } from './node.ts'
import { createOracle, type Oracle } from './oracle.ts'
import { createProvider, type SimulatedProvider } from './provider.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import type { Variant } from './variants.ts'

export type StageInput = {
  seed: number
  variant: Variant
  isGuarded: boolean
  payments: number
  /** Zero: there are none. */
  healAtMs: number
  inFlightMax: number
  trace: ((line: string) => void) | undefined
  /** Payments are delegated to a provider. */
  isDelegated: boolean
  isProvenByReceipt: boolean
  hasPeriod: boolean
  /** Of policies, through the lanes of the payments. */
  activations: number
}

/** Two payments exhaust it. */
const PERIOD = { blocks: 20, cap: 2_100n }

export type Stage = {
  random: Random
  scheduler: Scheduler
  chain: SimulatedChain
  nodes: SimulatedNode[]
  /** The contents of the database. */
  tables: Rows
  oracle: Oracle
  faults: Faults
  /** Undefined where the engine signs payments. */
  provider: SimulatedProvider | undefined
  laneIds: string[]
  rows: PaymentRow[]
  /** How often each move of the state machine was made. */
  moves: Map<string, number>
  note(line: string): void
}

export function createStage(input: StageInput): Stage {
  const { seed, variant, isGuarded, healAtMs, inFlightMax, trace } = input
  const random = createRandom(seed)
  const scheduler = createScheduler()
  const { nowMs } = scheduler
  const note = (line: string) => trace?.(`${(nowMs() / 1000).toFixed(3).padStart(8)} ${line}`)
  const period = input.hasPeriod ? PERIOD : null
  const chain = createSimulatedChain({ random, isGuarded, period })
  const oracle = createOracle({ chain, inFlightMax })
  const faults = createFaults({ scheduler, healAtMs, note })
  const moves = new Map<string, number>()
  const sign: Sign = async ({ address, nonce, fees, call }) => {
    const hash = `${address}/${nonce}/${call.data}/${fees.maxFeePerGas}`
    const transaction = { raw: hash, hash, address, nonce, fees, chainPaymentId: call.data }
    chain.transactions.set(hash, transaction)
    note(`signed ${hash}`)
    oracle.onSigned(transaction)
    return { raw: hash, transactionHash: hash }
  }
  const tables: Rows = {
    nowMs,
    sign,
    isProvenByReceipt: input.isProvenByReceipt,
    isFenced: variant.isFenced ?? true,
    followedTo: () => headOf(chain).number - (faults.areOn() ? random.integer(0, 9) : 0),
    isLogApplied: () => !faults.areOn() || random.chance(0.8),
    isOnChain: (chainPaymentId) => executionsOf(chain, chainPaymentId).length > 0,
    onMove(moved) {
      const { row, from, event, code } = moved
      const move = `${row.isActivation ? 'activation ' : ''}${from} ${event} ${row.state}`
      moves.set(move, (moves.get(move) ?? 0) + 1)
      note(`${row.id} ${move} ${code ?? ''}`)
      oracle.onMove(moved)
    },
    lanes: new Map(),
    payments: new Map(),
    queuedCount: 0,
    staleWrites: 0,
  }
  const finalityDepth = variant.finalityDepth ?? FINALITY_DEPTH
  const nodes = [0, 1].map(() => createNode({ chain, random, scheduler, finalityDepth }))
  const laneIds = random.chance(0.2) ? ['lane-a', 'lane-b'] : ['lane-a']
  for (const id of laneIds) {
    const start = { nextNonce: 0, isHeld: false, finalizedFloor: 0, epoch: 0, leasedUntilMs: 0 }
    tables.lanes.set(id, { id, address: `executor-of-${id}`, ...start })
  }
  const laneOf = (index: number) => laneIds[index % laneIds.length] ?? 'lane-a'
  const rows = Array.from({ length: input.payments }, (_, index) =>
    createPayment({ index, laneId: laneOf(index) }),
  )
  for (let index = 0; index < input.activations; index += 1) {
    rows.push(createActivation({ index, laneId: laneOf(index) }))
  }
  for (const { expected } of rows) chain.executions.set(expected.chainPaymentId, expected)
  const deps = { random, scheduler, chain, nodes, tables, oracle, faults }
  const provider = input.isDelegated ? createProvider({ ...deps, note }) : undefined
  return { ...deps, provider, laneIds, rows, moves, note }
}

function createPayment({ index, laneId }: { index: number; laneId: string }): PaymentRow {
  const id = `payment-${index}`
  const vaultAddress = 'vault'
  const amount = BigInt(1_000 + index)
  const approvers = Array.from({ length: requiredApprovals(TIERS, amount) }, (_, n) => n)
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
      amount,
      policyVersion: 1,
      reportHash: `report-${index}`,
      expenseVersionHash: `version-${index}`,
      approvalDigests: approvers.map((n) => `digest-${index}-${n}`),
      approverAddresses: approvers.map((n) => `approver-${n}`),
    },
    attempts: [],
    blockCode: null,
    queuedOrder: 0,
    dueAtMs: 0,
    postponements: 0,
    isActivation: false,
    isCancelled: false,
  }
}

/** To the chain, a payment of nothing. The vault's own guard against a second one is off, too. */
function createActivation({ index, laneId }: { index: number; laneId: string }): PaymentRow {
  const payment = createPayment({ index, laneId })
  const id = `activation-${index}`
  const terms = { chainPaymentId: `chain-${id}`, recipientAddress: 'nobody', amount: 0n }
  return {
    ...payment,
    id,
    call: { ...payment.call, data: terms.chainPaymentId },
    expected: { ...payment.expected, ...terms },
    isActivation: true,
  }
}
