/**
 * The provider that holds the funding signer: a second key of a server wallet that may only deposit
 * into one vault. It never acts as the wallet's owner. Addresses and hashes are lower case.
 * Every method throws `dependency_unavailable` if the outcome is unknown: time-out, 429, 5xx or an
 * unreadable answer. Types only.
 */
import type { WalletProviderType } from '#platform/config/providers.ts'
import type { SignedTransaction } from './executor-provider.ts'
import type { Fees, VaultCall } from './payment-node.ts'
import type { HeldWallet } from './wallet-provider.ts'

/** What the signer may do: call `deposit(uint256)` on this vault without native value. */
export type FundingRule = {
  chainId: number
  vaultAddress: string
  /** Largest deposit per call, in base units. */
  maxAmount: bigint
  /** The signer may do nothing from then on. Whole seconds. */
  expiresAt: string
}

/**
 * `policyId` is null if each vault has its own policy, which the vault's owner must name.
 * `expiresAt` is set if policies are created in advance, and a rule must have the same expiry.
 */
export type FundingSigner = { signerId: string; policyId: string | null; expiresAt: string | null }

/** A funding control that the provider is asked to attach. */
export type AskedControl = {
  controlId: string
  wallet: HeldWallet
  signerId: string
  policyId: string
  rule: FundingRule
}

/** `reference` is the result of `attach`; for the local provider, the sealed policy. */
export type AttachedControl = AskedControl & { reference: Uint8Array }

export type Attachment =
  | { outcome: 'attached'; reference: Uint8Array }
  /** Refused permanently; nothing is attached. */
  | { outcome: 'refused'; code: string }

/**
 * How the provider's state differs from the requested control. A signer with an empty list of
 * policies is unrestricted.
 */
export type ControlDifference =
  | 'wallet_owner_differs'
  | 'signer_missing'
  | 'signer_is_owner'
  | 'signer_key_differs'
  /** Another signer of the wallet is not restricted by our policy. */
  | 'signer_unexpected'
  | 'override_policy_missing'
  | 'override_policy_differs'
  | 'policy_missing'
  /** Anybody with the app's credentials can change a policy that has no owner. */
  | 'policy_owner_missing'
  | 'policy_owner_is_signer'
  | 'policy_chain_differs'
  | 'policy_vault_differs'
  | 'policy_function_differs'
  | 'policy_amount_differs'
  | 'policy_value_differs'
  | 'policy_expiry_differs'
  /** The policy has another form, or allows more than the rule. */
  | 'policy_rule_differs'
  | 'policy_expired'

export type Readback = { outcome: 'equal' } | { outcome: 'different'; code: ControlDifference }

/** The policy denied the request and nothing was signed. `code` is the reason, if known. */
type Denied = { outcome: 'denied'; code: string }

export type SignAnswer = ({ outcome: 'signed' } & SignedTransaction) | Denied

/** The provider has it and may have broadcast it. Fields are null until it reports them. */
export type FundingSent = {
  outcome: 'sent'
  providerReference: string | null
  transactionHash: string | null
}

export type FundingSendAnswer =
  | FundingSent
  | Denied
  /** Any other reason. This request created nothing; an earlier one may have. */
  | { outcome: 'refused'; code: string }

/** The provider's later report. It says where to look and proves nothing: the chain decides. */
export type FundingReport = {
  /** `ended`: the provider is done with it, whatever the outcome. */
  state: 'under_way' | 'ended'
  transactionHash: string | null
}

export type ProbeAnswer =
  /** The good outcome. */
  | Denied
  /** The policy allowed the withdrawal, mined or not: the signer is not constrained. */
  | { outcome: 'passed' }
  /** Refused before the policy was evaluated (credentials, form). It proves nothing. */
  | { outcome: 'refused'; code: string }

/** `actionId` is the idempotency key of the action at the provider. */
type Action = AttachedControl & { actionId: string; call: VaultCall }

/** Signs only. The signed bytes are persisted before they are sent. */
export type SigningProvider = {
  kind: 'signs'
  /** Uses no network, so it may run inside the database transaction that stores its result. */
  sign(input: Action & { nonce: number; fees: Fees }): Promise<SignAnswer>
  /** The call that `signApproval` signs. Uses no network. */
  approvalCall(
    input: AttachedControl & { tokenAddress: string },
  ): Promise<{ outcome: 'allowed'; call: VaultCall } | Denied>
  /** Signs the token's `approve(vault, maxAmount)` as the wallet's owner. Uses no network. */
  signApproval(
    input: AttachedControl & { tokenAddress: string; nonce: number; fees: Fees },
  ): Promise<SignAnswer>
  /** Sends the wallet its first gas in development. Elsewhere it does nothing. */
  fundGas(input: { address: string }): Promise<void>
}

/** Signs and sends in one request. */
export type SendingProvider = {
  kind: 'sends'
  /** Finds the transaction of an action at any age; undefined if there is none. */
  find(input: Pick<Action, 'actionId' | 'wallet'>): Promise<FundingSent | undefined>
  /** Idempotent within `repeatForMs`: one transaction per action. */
  send(input: Action): Promise<FundingSendAnswer>
  poll(input: { providerReference: string }): Promise<FundingReport>
  /** How long the provider remembers an idempotency key. Later repeats are not allowed. */
  repeatForMs: number
  /** The provider rejects a delayed request after this time. */
  requestLifetimeMs: number
}

/** The part of the provider that API processes use. It needs no key. */
export type FundingTerms = Pick<FundingProvider, 'type' | 'isOnePolicyPerWallet' | 'signerOf'>

export type FundingProvider = {
  type: WalletProviderType
  /** Whether a signer has a single policy per wallet. */
  isOnePolicyPerWallet: boolean
  /** Pure: what `GET provider-signer` returns for this vault. */
  signerOf(input: { vaultAddress: string }): FundingSigner
  /** Idempotent per control. */
  attach(input: AskedControl): Promise<Attachment>
  /** Reads the provider's current state, never a cache. */
  readBack(input: AttachedControl): Promise<Readback>
  /** Removes the signer from the wallet. Idempotent. */
  detach(input: AttachedControl): Promise<void>
  /**
   * Negative test: requests a call that the policy must deny. The call has too little gas to be
   * mined, so it is harmless even if it is signed.
   */
  probe(input: Action): Promise<ProbeAnswer>
} & (SigningProvider | SendingProvider)
