/** Whoever makes server wallets and keeps their keys. Types only. */
import type { WalletProviderType } from '#platform/config/providers.ts'

export type WalletChain = 'ethereum' | 'solana'

/** Which key it is: `reference` is what the provider gave with the wallet. */
export type HeldWallet = {
  walletId: string
  chainType: WalletChain
  /** Lower case for Ethereum, base58 for Solana. */
  address: string
  reference: Uint8Array
}

export type ProvidedWallet =
  /** `address` as in `HeldWallet`. */
  | { outcome: 'created'; address: string; reference: Uint8Array }
  /** This request was refused for good: it made nothing. `code` is the provider's. */
  | { outcome: 'refused'; code: string }

/** Base64, as the interface has them. */
export type SealedKey = { encapsulatedKey: string; ciphertext: string }

export type ExportedKey = ({ outcome: 'sealed' } & SealedKey) | { outcome: 'refused'; code: string }

export type WalletExport = HeldWallet & { requestId: string; expiresAt: string }

/** What an API process needs to know of the provider; no key is needed for it. */
export type WalletTerms = Pick<WalletProvider, 'type' | 'describeExport'>

export type WalletProvider = {
  type: WalletProviderType
  /** For health: whether it knows us. Throws `dependency_unavailable` when it does not answer. */
  check(): Promise<'ready' | 'rejects_credentials'>
  /**
   * One wallet for each id, however often it is asked for. Throws `dependency_unavailable` when
   * nobody can tell whether it was made; `isRepeat` says that this may have happened before.
   */
  create(input: {
    walletId: string
    chainType: WalletChain
    isRepeat: boolean
  }): Promise<ProvidedWallet>
  /** Pure, and the same for the same export: what its holder signs beside the recipient's key. */
  describeExport(input: WalletExport): { url: string; headers: Record<string, string> }
  /** Seals the key to the recipient (base64 SPKI of P-256). Never asked twice for one request. */
  exportKey(input: WalletExport & { recipientPublicKey: string }): Promise<ExportedKey>
}
