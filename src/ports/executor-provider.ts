/** The provider that holds the executor's key. Types only. */
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import type { Fees, VaultCall } from './payment-node.ts'

export type ProvisionedExecutor = {
  address: string
  /** Identifies the key at the provider; for a local executor, the encrypted key itself. */
  reference: Uint8Array
}

export type SignedTransaction = { raw: string; transactionHash: string }

/** Uses no network, so it may run inside the database transaction that stores its result. */
export type Sign = (input: {
  address: string
  nonce: number
  fees: Fees
  call: VaultCall
}) => Promise<SignedTransaction>

type KeyHolder = {
  type: ExecutorProviderType
  /** Whether the provider accepts our credentials. Rejects if it does not answer. */
  check(): Promise<'ready' | 'rejects_credentials'>
  /** Creates one key per provisioning. */
  provision(input: { organizationId: string; provisioningId: string }): Promise<ProvisionedExecutor>
  /** Sends a new executor its first gas in development. Elsewhere it does nothing. */
  fundGas(input: { address: string }): Promise<void>
  /** Whether the stored reference still leads to the key of that address. */
  holdsKey(input: {
    organizationId: string
    address: string
    reference: Uint8Array
  }): Promise<boolean>
}

/** Signs only. The engine chooses nonce and fees and sends the transaction. */
export type SigningExecutor = KeyHolder & {
  entrusting?: undefined
  /** Uses no network, so it may run inside the database transaction that stores its result. */
  sign(input: {
    organizationId: string
    address: string
    reference: Uint8Array
    chainId: number
    nonce: number
    fees: Fees
    call: VaultCall
  }): Promise<SignedTransaction>
}

/** Signs and sends. The provider chooses nonce, fees and gas. */
export type EntrustedExecutor = KeyHolder & { entrusting: Entrusting; sign?: undefined }

export type ExecutorProvider = SigningExecutor | EntrustedExecutor

/**
 * The provider's reported status of one delegated payment. It says where to look and proves
 * nothing: the chain decides.
 * `accepted`: queued, not sent yet. `sent`: broadcast. `stuck`: needs an action at the provider.
 * `mined`: the provider considers it done. `denied`: a rule of the provider refused it, never sent.
 * `failed`, `cancelled`: the provider has given up.
 */
export type EntrustedState =
  | 'accepted'
  | 'sent'
  | 'stuck'
  | 'mined'
  | 'denied'
  | 'failed'
  | 'cancelled'

export type EntrustedReport = {
  outcome: 'reported'
  state: EntrustedState
  /** The provider's transaction id. */
  providerReference: string
  /** Lower case; null until the provider reports one. Its sender may be a bundler. */
  transactionHash: string | null
  /** The provider's reason code; null without an error. */
  code: string | null
}

/** `refused`: this request created nothing; an earlier one with the same key may have. */
export type EntrustAnswer = EntrustedReport | { outcome: 'refused'; code: string }

/**
 * Both methods throw `dependency_unavailable` if the outcome is unknown: time-out, 401, 429, 5xx or
 * an unreadable answer.
 */
export type Entrusting = {
  /** Idempotent: one transaction per key. The key is persisted before the first request. */
  submit(input: {
    idempotencyKey: string
    address: string
    reference: Uint8Array
    call: VaultCall
    signal: AbortSignal
  }): Promise<EntrustAnswer>
  /** Undefined if the provider has no status API; repeat `submit` or read the chain instead. */
  poll: ((input: { providerReference: string }) => Promise<EntrustedReport>) | undefined
  /** Minimum pause before `submit` is repeated with the same key. */
  repeatAfterMs: number
  inFlightMax: number
  /** False if the provider or a paymaster pays for gas. */
  paysOwnGas: boolean
}
