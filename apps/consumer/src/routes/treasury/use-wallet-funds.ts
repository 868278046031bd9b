import { useCallback, useEffect, useState } from 'react'
import type { ReadyWallet } from '../../wallet/account-gate.tsx'
import { tokenAllowanceOf, tokenBalanceOf } from '../../wallet/vault-calls.ts'

type WalletFunds = { balance: bigint; allowance: bigint }
export type FundsState = { state: 'reading' | 'unread' } | ({ state: 'read' } & WalletFunds)

/** What an account has of the token, and what it lets the vault take, read by the wallet. */
export function useWalletFunds(
  { wallet, account }: ReadyWallet,
  { token, vault }: { token: string; vault: string },
  /** Changes when something happened that outdates it. */
  moment: string,
): { funds: FundsState; again(): void } {
  const [funds, setFunds] = useState<FundsState>({ state: 'reading' })
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again at each moment
  useEffect(() => {
    let isStopped = false
    const look = async (): Promise<FundsState> => {
      const [balance, allowance] = await Promise.all([
        tokenBalanceOf(wallet, token, account),
        tokenAllowanceOf(wallet, token, { account, spender: vault }),
      ])
      if (!balance.ok || !allowance.ok) return { state: 'unread' }
      return { state: 'read', balance: balance.value, allowance: allowance.value }
    }
    void look().then((found) => !isStopped && setFunds(found))
    return () => {
      isStopped = true
    }
  }, [wallet, account, token, vault, moment, attempt])
  const again = useCallback(() => setAttempt((count) => count + 1), [])
  return { funds, again }
}
