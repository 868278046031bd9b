/** Whoever holds the key that sends payments. Types only. */
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
  check(): Promise<'ready' | 'rejects_credentials'>
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
  entrusting?: undefined
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

/** Sends by itself: nonces, fees and gas are its own affair. */
export type EntrustedExecutor = KeyHolder & { entrusting: Entrusting; sign?: undefined }

export type ExecutorProvider = SigningExecutor | EntrustedExecutor

/**
 * What a provider that sends by itself says of one payment entrusted to it. It only tells where to
 * look: our own look at the chain decides.
 * `accepted`: it has it, nothing was sent yet. `sent`: it is with the chain. `stuck`: it waits for
 * somebody. `mined`: the provider takes it for done. `denied`: refused by a rule, never sent.
 * `failed`, `cancelled`: it will do no more about it.
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
  /** The provider's own id of it. */
  providerReference: string
  /** Lower case; null until the provider names one. Its sender may be a bundler. */
  transactionHash: string | null
  /** Why, in a short word of the provider's; null when all is well. */
  code: string | null
}

/** `refused`: this very request made nothing. It says nothing of an earlier one with its key. */
export type EntrustAnswer = EntrustedReport | { outcome: 'refused'; code: string }

/** Both throw `dependency_unavailable` when nobody can tell: time-out, 401, 429, 5xx, garbage. */
export type Entrusting = {
  /** One transaction for each key, however often it is asked for; the key is on record before. */
  submit(input: {
    idempotencyKey: string
    address: string
    reference: Uint8Array
    call: VaultCall
    signal: AbortSignal
  }): Promise<EntrustAnswer>
  /** Undefined: this provider cannot be asked; a repeat with the same key or the chain tells. */
  poll: ((input: { providerReference: string }) => Promise<EntrustedReport>) | undefined
  /** Not asked again with the same key before so long after the last time. */
  repeatAfterMs: number
  inFlightMax: number
  /** The address pays for its transactions; false where the provider or a paymaster does. */
  paysOwnGas: boolean
}
