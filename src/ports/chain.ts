/** What the service reads from and prepares for the chain: one chain, one token. Types only. */
import type { ChainPolicy, Execution } from '@countersign/proof/execution.ts'
import type { Fees, VaultCall } from './payment-node.ts'

export type ChainBlock = { number: number; hash: string; parentHash: string; timeSeconds: number }

export type VaultEvent =
  | { name: 'PolicyConfigured'; version: number; policy: ChainPolicy }
  | {
      name: 'PolicyProposed'
      proposalId: string
      expectedVersion: number
      activatesAtSeconds: number
      policy: ChainPolicy
    }
  | { name: 'PolicyVetoed'; proposalId: string; by: string }
  | {
      name: 'RecipientsChanged'
      recipientsVersion: number
      allowedFromSeconds: number
      added: string[]
      removed: string[]
    }
  | { name: 'RecipientBlocked'; recipientAddress: string; by: string }
  | { name: 'RecipientUnblocked'; recipientAddress: string }
  | { name: 'ApproverRevoked'; version: number; approverAddress: string }
  | { name: 'EmergencyPaused'; version: number; by: string; pauseNumber: number }
  | { name: 'Unpaused'; version: number; pauseNumber: number }
  | ({ name: 'PaymentExecuted'; spentTotal: bigint } & Omit<Execution, 'vaultAddress'>)
  | { name: 'ApprovalInvalidated'; digest: string; invalidator: string }
  | ({ name: 'VaultCreated' } & VaultTerms)
  /** Transfer logs of the token contract; a vault's balance is derived from them. */
  | { name: 'TokenReceived'; from: string; amount: bigint }
  | { name: 'TokenSent'; to: string; amount: bigint }

export type VaultLog = {
  vaultAddress: string
  blockNumber: number
  blockHash: string
  logIndex: number
  transactionHash: string
  event: VaultEvent
}

export type ChainReceipt = {
  status: 'success' | 'reverted'
  blockNumber: number
  blockHash: string
  contractAddress: string | null
  /** Decoded vault events. Logs of other contracts are left out. */
  events: { address: string; event: VaultEvent }[]
}

export type ChainTransaction = {
  hash: string
  chainId: number
  from: string
  /** Null for a deployment. */
  to: string | null
  data: string
  value: bigint
  receipt: ChainReceipt | null
}

/** The arguments of a vault's constructor. */
export type VaultTerms = {
  ownerAddress: string
  tokenAddress: string
  organizationHash: string
  /** How long policies and new recipients wait; 0 if they take effect at once. */
  changeDelaySeconds: number
}

/** What the code at a vault's address was constructed with. */
export type VaultIdentity = VaultTerms & {
  /** Storage is as the constructor left it: no policy, nothing spent, lock free. */
  isUntouched: boolean
}

/** Ready for `eth_sendTransaction`. */
export type PreparedTransaction = {
  chainId: number
  from: string
  to: string | null
  data: string
  value: '0x0'
  gas: string
}

/** Every argument of the vault's payment call. Addresses are lower case. */
export type PaymentOrder = Execution & {
  deadlineSeconds: number
  /** Ascending by approver; empty exactly for automatic payments. */
  approvals: { approvalId: string; approverAddress: string; signature: string }[]
}

/** A change of the list of recipients, as the owner signs it. Addresses are lower case. */
export type RecipientsChange = {
  expectedRecipientsVersion: number
  add: readonly string[]
  remove: readonly string[]
}

/** The state of one node. Its URL is left out because it can contain an API key. */
export type NodeState = {
  outcome: 'answers' | 'silent' | 'other_chain'
  latencyMs: number | null
  headNumber: number | null
  /** Hash of the newest block that every answering node should have. */
  commonHash: string | null
}

/** A decoded signed transaction. */
type SignedCall = { from: string; nonce: number; fees: Fees; call: VaultCall }

export type Chain = {
  chainId: number
  tokenAddress: string
  /** Depth at which a block is final; the block itself counts as the first. */
  confirmations: number
  artifactHash: string

  /** State of each node, in the order of the configuration. A failing node does not throw. */
  inspectNodes(): Promise<NodeState[]>
  latestBlock(): Promise<ChainBlock>
  /** Undefined above the head. */
  findBlock(number: number): Promise<ChainBlock | undefined>
  /** In chain order. */
  listLogs(range: {
    fromBlock: number
    toBlock: number
    vaultAddresses: readonly string[]
    /** Blocks of the range whose hashes need not be read again. */
    known?: readonly ChainBlock[]
    /** So deep that every node has all blocks of the range, and none can be replaced. */
    isFinal?: boolean
  }): Promise<VaultLog[]>
  findTransaction(hash: string): Promise<ChainTransaction | undefined>
  /** At that block. Null if the code is not our vault's. */
  identifyVault(input: { address: string; blockNumber: number }): Promise<VaultIdentity | null>
  hasCode(input: { address: string; blockNumber: number }): Promise<boolean>
  /** At the newest block that every answering node has. */
  nativeBalance(address: string): Promise<bigint>
  tokenBalance(input: { address: string; blockNumber: number }): Promise<bigint>
  /** ERC-20 allowance of the spender. */
  tokenAllowance(input: { owner: string; spender: string; blockNumber: number }): Promise<bigint>

  /** Pure: the deployment transaction. */
  deployment(input: {
    ownerAddress: string
    organizationHash: string
    changeDelaySeconds: number
  }): {
    transaction: PreparedTransaction
    constructorDataHash: string
  }
  /** Pure: `configurePolicy`, or `configurePolicyAndRecipients` where both change. */
  policyConfiguration(input: {
    vaultAddress: string
    ownerAddress: string
    expectedVersion: number
    policy: ChainPolicy
    recipients: RecipientsChange | null
  }): PreparedTransaction
  /** Pure: the `changeRecipients` transaction. */
  recipientsChange(
    input: { vaultAddress: string; ownerAddress: string } & RecipientsChange,
  ): PreparedTransaction
  /** Pure: the call that puts a policy into force that has waited long enough. */
  policyActivation(input: {
    vaultAddress: string
    expectedVersion: number
    policy: ChainPolicy
  }): VaultCall
  /** Pure: the `deposit` transaction. The sender needs a sufficient allowance for the vault. */
  deposit(input: { vaultAddress: string; from: string; amount: bigint }): PreparedTransaction
  /** Pure: a withdrawal with too little gas to be mined, for the negative test of a signer. */
  withdrawalProbe(input: { vaultAddress: string; amount: bigint }): VaultCall
  /** Pure: decodes the token's `approve` call; undefined for any other call. */
  readApproval(data: string): { spender: string; amount: bigint } | undefined
  /** Pure: decodes a signed transaction; throws unless it is an EIP-1559 contract call. */
  readSigned(raw: string): Promise<SignedCall>
  /** Pure: the vault call that executes the payment. */
  paymentCall(order: PaymentOrder): VaultCall

  /** Whether the contract accepts the signature (ERC-1271), with the vault's gas limit. */
  isValidSignature(input: { address: string; digest: string; signature: string }): Promise<boolean>
  /**
   * Whether a contract wallet accepts the signature of a message: ERC-1271, or ERC-6492 for one
   * that is not deployed yet.
   */
  isWalletSignature(input: { address: string; digest: string; signature: string }): Promise<boolean>
}
