/** The provider that creates server wallets and holds their keys. Types only. */
import type { WalletProviderType } from '#platform/config/providers.ts'

export type WalletChain = 'ethereum' | 'solana'

/** `reference` identifies the key at the provider. */
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
  /** Refused permanently; nothing was created. `code` is the provider's. */
  | { outcome: 'refused'; code: string }

/** Base64, as in the API. */
export type SealedKey = { encapsulatedKey: string; ciphertext: string }

export type ExportedKey = ({ outcome: 'sealed' } & SealedKey) | { outcome: 'refused'; code: string }

export type WalletExport = HeldWallet & { requestId: string; expiresAt: string }

/** The part of the provider that API processes use. It needs no key. */
export type WalletTerms = Pick<WalletProvider, 'type' | 'describeExport'>

export type WalletProvider = {
  type: WalletProviderType
  /** Whether it accepts our credentials. Throws `dependency_unavailable` without an answer. */
  check(): Promise<'ready' | 'rejects_credentials'>
  /**
   * Idempotent: one wallet per id. Throws `dependency_unavailable` if it is unknown whether the
   * wallet was created; set `isRepeat` if an earlier request may have ended that way.
   */
  create(input: {
    walletId: string
    chainType: WalletChain
    isRepeat: boolean
  }): Promise<ProvidedWallet>
  /** Pure and deterministic: what the holder signs together with the recipient's key. */
  describeExport(input: WalletExport): { url: string; headers: Record<string, string> }
  /** Seals the key to the recipient (base64 SPKI of P-256). Called once per export request. */
  exportKey(input: WalletExport & { recipientPublicKey: string }): Promise<ExportedKey>
}
