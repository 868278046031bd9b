/** Which wallet and account the person works with, kept for the next visit. */
import { useCallback, useEffect, useState } from 'react'
import type { Address } from 'viem'
import {
  type AnnouncedWallet,
  connect,
  shownAccounts,
  useAnnouncedWallets,
  type WalletResult,
} from './wallets.ts'

const KEPT_AS = 'countersign.wallet'

export type ConnectedWallet = { wallet: AnnouncedWallet; accounts: readonly Address[] }

export type UsedWallet = {
  announced: readonly AnnouncedWallet[]
  connected: ConnectedWallet | null
  connect(wallet: AnnouncedWallet): Promise<WalletResult<Address[]>>
  forget(): void
}

/** Events of EIP-1193 that this page listens to. */
type Listening = {
  on?(event: 'accountsChanged', listener: () => void): void
  removeListener?(event: 'accountsChanged', listener: () => void): void
}

export function useWallet(): UsedWallet {
  const announced = useAnnouncedWallets()
  const [connected, setConnected] = useState<ConnectedWallet | null>(null)

  const refresh = useCallback(async (wallet: AnnouncedWallet) => {
    const accounts = await shownAccounts(wallet)
    setConnected(accounts.length > 0 ? { wallet, accounts } : null)
  }, [])

  const usedId = connected?.wallet.info.uuid
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wallet that was just connected is listened to as well
  useEffect(() => {
    const kept = announced.find(({ info }) => info.rdns === localStorage.getItem(KEPT_AS))
    if (!kept) return
    const again = () => void refresh(kept)
    again()
    const provider = kept.provider as unknown as Listening
    provider.on?.('accountsChanged', again)
    return () => provider.removeListener?.('accountsChanged', again)
  }, [announced, refresh, usedId])

  return {
    announced,
    connected,
    async connect(wallet) {
      const accounts = await connect(wallet)
      if (accounts.ok) {
        localStorage.setItem(KEPT_AS, wallet.info.rdns)
        setConnected({ wallet, accounts: accounts.value })
      }
      return accounts
    },
    forget() {
      localStorage.removeItem(KEPT_AS)
      setConnected(null)
    },
  }
}
