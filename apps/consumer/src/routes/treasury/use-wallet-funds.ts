import { useCallback, useEffect, useState } from 'react'
import { getAddress } from 'viem'
import type { ReadyWallet } from '../../wallet/account-gate.tsx'
import { type DescribedVault, isVaultOf } from '../../wallet/is-vault-of.ts'
import { tokenAllowanceOf, tokenBalanceOf } from '../../wallet/vault-calls.ts'
import { codeThroughWallet } from '../../wallet/wallets.ts'

type WalletFunds = { balance: bigint; allowance: bigint }
/** `no_vault`: the code at the address is not the published vault for this token and owner. */
export type FundsState =
  | { state: 'reading' | 'unread' | 'no_vault' }
  | ({ state: 'read' } & WalletFunds)

/** What an account has of the token, and what it lets the vault take, read by the wallet. */
export function useWalletFunds(
  { wallet, account }: ReadyWallet,
  asked: DescribedVault,
  /** Changes when something happened that outdates it. */
  moment: string,
): { funds: FundsState; again(): void } {
  const { token, vault, owner, chainId } = asked
  const [funds, setFunds] = useState<FundsState>({ state: 'reading' })
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again at each moment
  useEffect(() => {
    let isStopped = false
    const look = async (): Promise<FundsState> => {
      const [code, balance, allowance] = await Promise.all([
        codeThroughWallet(wallet, getAddress(vault)),
        tokenBalanceOf(wallet, token, account),
        tokenAllowanceOf(wallet, token, { account, spender: vault }),
      ])
      if (!code.ok || !balance.ok || !allowance.ok) return { state: 'unread' }
      if (!isVaultOf(code.value, asked)) return { state: 'no_vault' }
      return { state: 'read', balance: balance.value, allowance: allowance.value }
    }
    void look().then((found) => !isStopped && setFunds(found))
    return () => {
      isStopped = true
    }
  }, [wallet, account, token, vault, owner, chainId, moment, attempt])
  const again = useCallback(() => setAttempt((count) => count + 1), [])
  return { funds, again }
}
