/** What a replacement at the same nonce must cost. Pure. */
import type { Fees } from '#ports/payment-node.ts'
import type { SignedAttempt } from './attempt.ts'

/** Nodes ask for a tenth more; an eighth is safe, rounded up so that small fees rise too. */
const raised = (fee: bigint): bigint => fee + (fee + 7n) / 8n
const CEILING_FACTOR = 5n

const highest = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * An eighth over the last, or the market if that is more; null above five times the first or above
 * the ceiling of all fees.
 */
export function replacementFees(input: {
  first: SignedAttempt
  last: SignedAttempt
  market: Fees
  /** No fee may be above it, whatever the first was. */
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
