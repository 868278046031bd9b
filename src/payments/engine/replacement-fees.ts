/** Computes the fees of a replacement at the same nonce. Pure. */
import type { Fees } from '#ports/payment-node.ts'
import type { SignedAttempt } from './attempt.ts'

/** Nodes require 10% more. One eighth is safe, rounded up so that small fees rise too. */
const raised = (fee: bigint): bigint => fee + (fee + 7n) / 8n
const CEILING_FACTOR = 5n

const highest = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * One eighth above the last fees, or the market's fees if higher. Null if that exceeds five times
 * the first fees or the ceiling.
 */
export function replacementFees(input: {
  first: SignedAttempt
  last: SignedAttempt
  market: Fees
  /** The upper limit of every fee, whatever the first fee was. */
  ceiling: bigint
}): Fees | null {
  const next = (fee: keyof Fees): bigint | null => {
    const needed = raised(input.last.fees[fee])
    const ceiling = lowest(CEILING_FACTOR * input.first.fees[fee], input.ceiling)
    return needed > ceiling ? null : lowest(ceiling, highest(needed, input.market[fee]))
  }
  const maxFeePerGas = next('maxFeePerGas')
  const maxPriorityFeePerGas = next('maxPriorityFeePerGas')
  if (maxFeePerGas === null || maxPriorityFeePerGas === null) return null
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: lowest(maxPriorityFeePerGas, maxFeePerGas),
  }
}
