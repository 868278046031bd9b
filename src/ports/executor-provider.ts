/** Whoever holds the key that sends payments. Types only. */
import type { Fees, VaultCall } from './payment-node.ts'

export type ProviderType = 'agent_stack_cli' | 'developer_controlled_wallet' | 'local'

export type ProvisionedExecutor = {
  address: string
  /** What the provider needs to find the key again; a key that is kept here is encrypted. */
  reference: Uint8Array
}

export type SignedTransaction = { raw: string; transactionHash: string }

export type ExecutorProvider = {
  type: ProviderType
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
