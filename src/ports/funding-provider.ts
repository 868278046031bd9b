/**
 * Whoever holds the funding signer: a second key to a server wallet that may deposit into one vault
 * and do nothing else. It never acts as the wallet's owner. Addresses and hashes are lower case.
 * Every method throws `dependency_unavailable` when nobody can tell: time-out, 429, 5xx, garbage.
 * Types only.
 */
import type { WalletProviderType } from '#platform/config/providers.ts'
import type { SignedTransaction } from './executor-provider.ts'
import type { Fees, VaultCall } from './payment-node.ts'
import type { HeldWallet } from './wallet-provider.ts'

/** All that the signer may do: `deposit(uint256)` on this vault, with no native value. */
export type FundingRule = {
  chainId: number
  vaultAddress: string
  /** Of one call, in base units. */
  maxAmount: bigint
  /** From this moment on nothing; whole seconds. */
  expiresAt: string
}

/**
 * `policyId` is null where every vault has a policy of its own: the owner names it. `expiresAt` is
 * set where policies are made beforehand, with an end that a rule must repeat; else it is chosen.
 */
export type FundingSigner = { signerId: string; policyId: string | null; expiresAt: string | null }

/** What is asked of the provider. `controlId` and `wallet` say for whom. */
export type AskedControl = {
  controlId: string
  wallet: HeldWallet
  signerId: string
  policyId: string
  rule: FundingRule
}

/** `reference` is what the provider gave when it was attached; a policy kept here is sealed. */
export type AttachedControl = AskedControl & { reference: Uint8Array }

export type Attachment =
  | { outcome: 'attached'; reference: Uint8Array }
  /** Refused for good: nothing is attached. */
  | { outcome: 'refused'; code: string }

/** How what the provider has differs from what was asked. An empty list of policies is no limit. */
export type ControlDifference =
  | 'wallet_owner_differs'
  | 'signer_missing'
  | 'signer_is_owner'
  | 'signer_key_differs'
  /** Whoever else may sign for the wallet is not held by our policy. */
  | 'signer_unexpected'
  | 'override_policy_missing'
  | 'override_policy_differs'
  | 'policy_missing'
  /** Without an owner a policy is anybody's who has the provider's credentials. */
  | 'policy_owner_missing'
  | 'policy_owner_is_signer'
  | 'policy_chain_differs'
  | 'policy_vault_differs'
  | 'policy_function_differs'
  | 'policy_amount_differs'
  | 'policy_value_differs'
  | 'policy_expiry_differs'
  /** In its form, or it allows something besides. */
  | 'policy_rule_differs'
  | 'policy_expired'

export type Readback = { outcome: 'equal' } | { outcome: 'different'; code: ControlDifference }

/** The policy said no: nothing was signed. `code` says which part of it, where that is told. */
type Denied = { outcome: 'denied'; code: string }

export type SignAnswer = ({ outcome: 'signed' } & SignedTransaction) | Denied

/** It is with the provider, and maybe with the chain. Null where it names none yet. */
export type FundingSent = {
  outcome: 'sent'
  providerReference: string | null
  transactionHash: string | null
}

export type FundingSendAnswer =
  | FundingSent
  | Denied
  /** For another reason: this very request made nothing. It says nothing of an earlier one. */
  | { outcome: 'refused'; code: string }

/** What a provider that sends says later. It only tells where to look: the chain decides. */
export type FundingReport = {
  /** `ended`: it will do no more about it, whatever became of it. */
  state: 'under_way' | 'ended'
  transactionHash: string | null
}

export type ProbeAnswer =
  /** As it must be. */
  | Denied
  /** The policy let it through, whatever became of it then: the signer is not constrained. */
  | { outcome: 'passed' }
  /** It never came to the policy (credentials, form): this proves nothing. */
  | { outcome: 'refused'; code: string }

/** `actionId`: its key at the provider, one for each action and always the same. */
type Action = AttachedControl & { actionId: string; call: VaultCall }

/** Signs and sends nothing: the bytes are on record before anybody sees them. */
export type SigningProvider = {
  kind: 'signs'
  /** Pure, so that it may run inside the transaction that stores its result. */
  sign(input: Action & { nonce: number; fees: Fees }): Promise<SignAnswer>
  /** The call that `signApproval` signs. Pure, too. */
  approvalCall(
    input: AttachedControl & { tokenAddress: string },
  ): Promise<{ outcome: 'allowed'; call: VaultCall } | Denied>
  /** The token's `approve(vault, maxAmount)`, by the wallet's key as its owner. Pure, too. */
  signApproval(
    input: AttachedControl & { tokenAddress: string; nonce: number; fees: Fees },
  ): Promise<SignAnswer>
  /** Gives the wallet its first gas where somebody pays for it; else its owner sends it. */
  fundGas(input: { address: string }): Promise<void>
}

/** Signs and sends in one. `actionId` is its idempotency key. */
export type SendingProvider = {
  kind: 'sends'
  /** What was made of the action's key, however long ago. Undefined: nothing so far. */
  find(input: Pick<Action, 'actionId' | 'wallet'>): Promise<FundingSent | undefined>
  /** One transaction for each action, however often it is asked for within `repeatForMs`. */
  send(input: Action): Promise<FundingSendAnswer>
  poll(input: { providerReference: string }): Promise<FundingReport>
  /** How long it remembers a key: after that nobody may ask again with it. */
  repeatForMs: number
  /** A request that was held up on its way does nothing any more after this. */
  requestLifetimeMs: number
}

/** What an API process needs to know of the provider; no key is needed for it. */
export type FundingTerms = Pick<FundingProvider, 'type' | 'isOnePolicyPerWallet' | 'signerOf'>

export type FundingProvider = {
  type: WalletProviderType
  /** Whether a signer has one policy for all that it does with a wallet. */
  isOnePolicyPerWallet: boolean
  /** Pure: what `GET provider-signer` names for this vault. */
  signerOf(input: { vaultAddress: string }): FundingSigner
  /** Safe to repeat for one control. */
  attach(input: AskedControl): Promise<Attachment>
  /** Asked of the provider anew each time. */
  readBack(input: AttachedControl): Promise<Readback>
  /** Takes the signer from the wallet. Safe to repeat, also when it is gone. */
  detach(input: AttachedControl): Promise<void>
  /**
   * Asks for something that the policy must deny, and keeps nothing of it. The call has too little
   * gas ever to be mined, so that it is harmless if it is not denied.
   */
  probe(input: Action): Promise<ProbeAnswer>
} & (SigningProvider | SendingProvider)
