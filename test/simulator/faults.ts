/** Fault injection, and how often each fault occurred. */
import type { Random } from '#test/fuzz/random.ts'
import { hear, reorganise, type SimulatedChain, setFee } from './chain.ts'
import { follow, type Mood, type SimulatedNode } from './node.ts'
import type { Scheduler } from './scheduler.ts'

export type Faults = {
  areOn(): boolean
  /** Counts one of this kind, and returns its argument. */
  count<T>(kind: string, value: T): T
  counts: ReadonlyMap<string, number>
}

export function createFaults({
  scheduler,
  healAtMs,
  note,
}: {
  scheduler: Scheduler
  healAtMs: number
  note: (line: string) => void
}): Faults {
  const counts = new Map<string, number>()
  return {
    areOn: () => scheduler.nowMs() < healAtMs,
    count(kind, value) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      note(`fault ${kind}`)
      return value
    },
    counts,
  }
}

/** What faults may do to the workers. */
export type Workers = {
  /** False when there was no live worker to crash. */
  crash(): boolean
  crashAll(): void
  stall(ms: number): void
  startDuplicate(): void
}

type FaultInput = {
  random: Random
  scheduler: Scheduler
  faults: Faults
  chain: SimulatedChain
  nodes: readonly SimulatedNode[]
  workers: Workers
}

const FAULT_EVERY_MS = 1_300

/** Injects one fault after another until healing; then everything works. */
export function injectFaults(input: FaultInput): void {
  const { random, scheduler, faults } = input
  const again = (): boolean => {
    if (!faults.areOn()) {
      heal(input)
      return false
    }
    const [kind, work] = random.weighted(kindsOf(input))
    if (work()) faults.count(kind, undefined)
    scheduler.after(random.integer(1, 2 * FAULT_EVERY_MS), again)
    return true
  }
  scheduler.after(random.integer(1, FAULT_EVERY_MS), again)
}

/** Weight, name and effect. Returns false without an effect, such as an empty pool's eviction. */
type Kind = [number, [string, () => boolean]]

function kindsOf(input: FaultInput): Kind[] {
  const ofChain = chainFaults(input)
  return [...workerFaults(input), ...nodeFaults(input), ...ofChain]
}

const forAWhile =
  ({ random, scheduler }: FaultInput, begin: () => void, end: () => void) =>
  (): boolean => {
    begin()
    scheduler.after(random.integer(1_000, 12_000), () => {
      end()
      return false
    })
    return true
  }

function workerFaults({ random, workers }: FaultInput): Kind[] {
  const stall = () => {
    workers.stall(random.integer(2_000, 15_000))
    return true
  }
  const duplicate = () => {
    workers.startDuplicate()
    return true
  }
  return [
    [16, ['crash', () => workers.crash()]],
    [10, ['stalled_worker', stall]],
    [12, ['duplicate_job', duplicate]],
  ]
}

function nodeFaults(input: FaultInput): Kind[] {
  const { random, nodes } = input
  const inMood = (mood: Mood) => {
    const node = random.pick(nodes)
    // Two lying nodes could agree: the quorum assumes that one node is honest.
    const others = nodes.filter((other) => other !== node)
    const isTaken = others.some((other) => other.mood === 'lying' || other.mood === 'withholding')
    const wanted = isTaken && (mood === 'lying' || mood === 'withholding') ? 'lagging' : mood
    const change = (to: Mood) => () => {
      node.mood = to
      follow(node)
    }
    return forAWhile(input, change(wanted), change('honest'))
  }
  return [
    [8, ['node_lagging', inMood('lagging')]],
    [5, ['node_withholding', inMood('withholding')]],
    [5, ['node_lying', inMood('lying')]],
    [5, ['node_down', inMood('down')]],
  ]
}

function chainFaults(input: FaultInput): Kind[] {
  const { random, chain, nodes } = input
  const { pool, heard, blacklisted, blockedRecipients, executions } = chain
  const fork = (isKept: boolean) => () => {
    reorganise(chain, { depth: random.integer(1, 4), isKept })
    for (const node of nodes) follow(node)
    return true
  }
  const evict = () => {
    const hash = [...pool.keys()][0]
    if (hash === undefined) return false
    for (const holder of [chain, ...nodes]) holder.pool.delete(hash)
    return true
  }
  const resurrect = () => {
    const transaction = heard.size > 0 ? random.pick([...heard.values()]) : undefined
    if (transaction) hear(chain, transaction)
    return transaction !== undefined
  }
  const unlucky = random.pick([...executions.keys()])
  const { recipientAddress = '' } = executions.get(unlucky) ?? {}
  const blacklist = () => blacklisted.add(unlucky)
  const forgive = () => blacklisted.delete(unlucky)
  const blockIt = () => blockedRecipients.add(recipientAddress)
  const unblockIt = () => blockedRecipients.delete(recipientAddress)
  const setFees = (factor: () => number) => () => setFee(chain, factor())
  const spike = setFees(() => random.integer(2, 10))
  const setPaused = (isPaused: boolean) => () => {
    chain.isPaused = isPaused
  }
  return [
    [7, ['reorganisation', fork(true)]],
    [7, ['reorganisation_without_reinclusion', fork(false)]],
    [8, ['eviction', evict]],
    [8, ['resurrection', resurrect]],
    [
      4,
      [
        'fee_spike',
        forAWhile(
          input,
          spike,
          setFees(() => 1),
        ),
      ],
    ],
    [4, ['recipient_blacklisted', forAWhile(input, blacklist, forgive)]],
    [2, ['recipient_blocked', forAWhile(input, blockIt, unblockIt)]],
    [2, ['policy_paused', forAWhile(input, setPaused(true), setPaused(false))]],
  ]
}

function heal({ chain, nodes }: FaultInput): void {
  setFee(chain, 1)
  chain.isPaused = false
  chain.blacklisted.clear()
  chain.blockedRecipients.clear()
  for (const node of nodes) {
    node.mood = 'honest'
    follow(node)
  }
}
