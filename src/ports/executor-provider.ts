/** Executor providers: they hold the key that sends payments. Types only. */
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import type { Fees, VaultCall } from './payment-node.ts'

export type ProvisionedExecutor = {
  address: string
  /** What the provider needs to find the key again; a key that is kept here is encrypted. */
  reference: Uint8Array
}

export type SignedTransaction = { raw: string; transactionHash: string }

/** Pure: no network, so that it may run inside the transaction that stores its result. */
export type Sign = (input: {
  address: string
  nonce: number
  fees: Fees
  call: VaultCall
}) => Promise<SignedTransaction>

type KeyHolder = {
  type: ExecutorProviderType
  /** Whether it answers us and knows us; rejects when it does not answer at all. */
  check(): Promise<'ready' | 'refuses_us'>
  /** Makes a key, once for each provisioning. */
  provision(input: { organizationId: string; provisioningId: string }): Promise<ProvisionedExecutor>
  /** Gives a new executor its first gas where somebody pays for it; else the owner sends it. */
  fundGas(input: { address: string }): Promise<void>
  /** Whether what was kept still leads to the key of that address. */
  holdsKey(input: {
    organizationId: string
    address: string
    reference: Uint8Array
  }): Promise<boolean>
}

/** Signs, and sends nothing: the engine does, with nonces and fees of its own. */
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
  /** Lower case; null until the provider names one. Its sender may be a bundler. */
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
