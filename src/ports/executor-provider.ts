/** Executor providers: they hold the key that sends payments. Types only. */
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
  delegation?: undefined
  /** Pure: nothing is sent, so that it may run inside the transaction that stores its result. */
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

/** Signs and sends: the provider manages nonces, fees and gas. */
export type DelegatedExecutor = KeyHolder & { delegation: Delegation; sign?: undefined }

export type ExecutorProvider = SigningExecutor | DelegatedExecutor

/**
 * The status that a provider reports for a delegated payment. It proves nothing: the engine's own
 * observation of the chain decides.
 * `accepted`: received, not sent yet. `sent`: sent to the chain. `stuck`: waits for a person at the
 * provider. `mined`: complete for the provider. `denied`: refused by a policy, never sent.
 * `failed`, `cancelled`: the provider will do nothing more.
 */
export type ProviderStatus =
  | 'accepted'
  | 'sent'
  | 'stuck'
  | 'mined'
  | 'denied'
  | 'failed'
  | 'cancelled'

export type ProviderReport = {
  outcome: 'reported'
  state: ProviderStatus
  /** The provider's id of the transaction. */
  providerReference: string
  /** Lower case; null until the provider reports one. Its sender may be a bundler. */
  transactionHash: string | null
  /** The provider's reason code; null without a problem. */
  code: string | null
}

/** `refused`: this request created nothing; an earlier one with the same key may have. */
export type SubmitAnswer = ProviderReport | { outcome: 'refused'; code: string }

/** Both throw `dependency_unavailable` on an unknown outcome: time-out, 401, 429, 5xx, garbage. */
export type Delegation = {
  /** Creates one transaction per key, however often it is called; the key is persisted before. */
  submit(input: {
    idempotencyKey: string
    address: string
    reference: Uint8Array
    call: VaultCall
    signal: AbortSignal
  }): Promise<SubmitAnswer>
  /** Undefined: this provider cannot be polled, only asked again with the same key. */
  poll: ((input: { providerReference: string }) => Promise<ProviderReport>) | undefined
  /** Minimal delay between two requests with the same key. */
  repeatAfterMs: number
  inFlightMax: number
  /** The address pays its gas; false where the provider or a paymaster does. */
  paysOwnGas: boolean
}
