import { useEffect, useState } from 'react'
import type { Hex } from 'viem'
import { type AnnouncedWallet, receiptThroughWallet } from './wallets.ts'

export type ReceiptState = 'waiting' | 'done' | 'reverted'

const POLL_MS = 1_500

/** Follows a transaction through the wallet until it is in a block. */
export function useReceipt(wallet: AnnouncedWallet | null, hash: Hex | null): ReceiptState | null {
  const [seen, setSeen] = useState<{ hash: Hex; state: ReceiptState } | null>(null)
  useEffect(() => {
    if (!wallet || !hash) return
    let isStopped = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      const receipt = await receiptThroughWallet(wallet, hash)
      if (isStopped) return
      if (receipt.ok && receipt.value) {
        setSeen({ hash, state: BigInt(receipt.value.status) === 1n ? 'done' : 'reverted' })
        return
      }
      timer = setTimeout(look, POLL_MS)
    }
    void look()
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [wallet, hash])
  if (!hash) return null
  return seen?.hash === hash ? seen.state : 'waiting'
}
