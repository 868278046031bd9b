/** Derives one fee from the nodes' fees, below a ceiling. Pure. */
import type { Fees } from '#ports/payment-node.ts'

/** `ceiling` is the most that may be signed for each unit of gas, in wei. */
export type MarketFees =
  | { outcome: 'known'; fees: Fees; ceiling: bigint }
  /** Too few nodes report about the same fee. */
  | { outcome: 'disagree'; ceiling: bigint }
  /** The ceiling would not even pay the fee of the next block. */
  | { outcome: 'above_ceiling'; ceiling: bigint }

export type NodeFees = {
  fees: Fees
  /** Median of recent blocks, base fee and tip; null where the node does not report it. */
  recentFee: bigint | null
}

/** A market may rise tenfold over the last blocks before payments wait for it. */
const RECENT_FACTOR = 10n
/** Wei. Floor of the recent median: below it fees are too low to be worth waiting for. */
const RECENT_MIN = 1_000_000_000n

const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const highest = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** For an even count, the lower middle value: one dishonest node of two cannot raise it. */
function median(values: readonly bigint[]): bigint | undefined {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

const isAbout = (a: bigint, b: bigint): boolean => a <= 2n * b && b <= 2n * a

/**
 * The median of the nodes' fees, if a quorum is close to it. A first fee that is far too low cannot
 * be raised far enough by replacements, and a far too high one would be paid.
 */
function medianFees(all: readonly Fees[], quorum: number): Fees | undefined {
  const maxFeePerGas = median(all.map((fees) => fees.maxFeePerGas))
  const tip = median(all.map((fees) => fees.maxPriorityFeePerGas))
  if (maxFeePerGas === undefined || tip === undefined) return undefined
  const agreeing = all.filter((fees) => isAbout(fees.maxFeePerGas, maxFeePerGas))
  if (agreeing.length < quorum) return undefined
  return { maxFeePerGas, maxPriorityFeePerGas: lowest(tip, maxFeePerGas) }
}

function ceilingOf(nodes: readonly NodeFees[], configured: bigint): bigint {
  const recent = median(nodes.flatMap(({ recentFee }) => recentFee ?? []))
  if (recent === undefined) return configured
  return lowest(configured, RECENT_FACTOR * highest(recent, RECENT_MIN))
}

export function marketFees(
  nodes: readonly NodeFees[],
  { quorum, ceiling: configured }: { quorum: number; ceiling: bigint },
): MarketFees {
  const ceiling = ceilingOf(nodes, configured)
  const fees = medianFees(
    nodes.map((node) => node.fees),
    quorum,
  )
  if (!fees) return { outcome: 'disagree', ceiling }
  const { maxFeePerGas, maxPriorityFeePerGas: tip } = fees
  // Nodes' fees allow for a doubling base fee; only the current fee must be below the ceiling.
  if ((maxFeePerGas + tip) / 2n > ceiling) return { outcome: 'above_ceiling', ceiling }
  const most = lowest(maxFeePerGas, ceiling)
  const kept = { maxFeePerGas: most, maxPriorityFeePerGas: lowest(tip, most) }
  return { outcome: 'known', fees: kept, ceiling }
}
