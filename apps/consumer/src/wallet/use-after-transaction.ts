import type { OperationId } from '@countersign/client/operation-types.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ReceiptState } from './use-receipt.ts'

const READS: readonly OperationId[] = [
  'getVault',
  'getTreasuryOverview',
  'getExpense',
  'getPayment',
]
/** The service reads blocks by itself, a moment after the wallet has seen them. */
const AGAIN_MS = [0, 1_500, 4_000, 10_000, 20_000, 40_000]

/** Reads the vault again after a transaction that the service did not prepare. */
export function useReadAgainAfter(receipt: ReceiptState | null): void {
  const cache = useQueryClient()
  useEffect(() => {
    if (receipt !== 'done') return
    const timers = AGAIN_MS.map((ms) =>
      setTimeout(() => {
        for (const read of READS) void cache.invalidateQueries({ queryKey: [read] })
      }, ms),
    )
    return () => timers.forEach(clearTimeout)
  }, [receipt, cache])
}
