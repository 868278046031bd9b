/** The chain, as far as the service knows it: one chain, one token, one vault. Types only. */
import type { ChainPolicy, Execution } from '@countersign/proof/execution.ts'
import type { Fees, VaultCall } from './payment-node.ts'

export type ChainBlock = { number: number; hash: string; parentHash: string; timeSeconds: number }

export type VaultEvent =
  | { name: 'PolicyConfigured'; version: number; policy: ChainPolicy }
  | { name: 'EmergencyPaused'; version: number; by: string }
  | {
      name: 'PaymentExecuted'
      chainPaymentId: string
      recipientAddress: string
      mode: 'approved' | 'automatic'
      amount: bigint
      policyVersion: number
      reportHash: string
      expenseVersionHash: string
      approvalDigest: string
      approverAddress: string
      spentTotal: bigint
    }
  | { name: 'ApprovalInvalidated'; digest: string; invalidator: string }
  | { name: 'VaultCreated'; ownerAddress: string; tokenAddress: string; organizationHash: string }
  /** The token's own logs: what the balance follows. */
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
  /** Of vaults only, decoded; other logs are left out. */
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

/** What the code at an address says. Null: it is not our vault. */
export type VaultIdentity = {
  ownerAddress: string
  tokenAddress: string
  organizationHash: string
  /** As our constructor leaves it: no policy, nothing spent, nothing locked. */
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

/** All that the vault is told of a payment. Addresses are lower case. */
export type PaymentOrder = Execution & {
  deadlineSeconds: number
  /** Null for an automatic payment, and for nothing else. */
  approval: { approvalId: string; approverAddress: string; signature: string } | null
}

/** One node, without its address: that can carry a key. */
export type NodeState = {
  outcome: 'answers' | 'silent' | 'other_chain'
  latencyMs: number | null
  headNumber: number | null
  /** Of the newest block that every answering node should have. */
  commonHash: string | null
}

/** What signed bytes say. */
type SignedCall = { from: string; nonce: number; fees: Fees; call: VaultCall }

export type Chain = {
  chainId: number
  tokenAddress: string
  /** Blocks on top of a transaction's own, itself included, before it counts. */
  confirmations: number
  artifactHash: string

  /** Each node by itself, in the order of the configuration; never throws for a node's sake. */
  inspectNodes(): Promise<NodeState[]>
  latestBlock(): Promise<ChainBlock>
  /** Undefined above the head. */
  findBlock(number: number): Promise<ChainBlock | undefined>
  /** In the order of the chain. */
  listLogs(range: {
    fromBlock: number
    toBlock: number
    vaultAddresses: readonly string[]
  }): Promise<VaultLog[]>
  findTransaction(hash: string): Promise<ChainTransaction | undefined>
  /** As things stood at that block; a node that does not have it yet has no answer. */
  identifyVault(input: { address: string; blockNumber: number }): Promise<VaultIdentity | null>
  hasCode(input: { address: string; blockNumber: number }): Promise<boolean>
  /** At the newest block that every answering node has. */
  nativeBalance(address: string): Promise<bigint>
  tokenBalance(input: { address: string; blockNumber: number }): Promise<bigint>
  /** How much of the owner's tokens the spender may still take. */
  tokenAllowance(input: { owner: string; spender: string; blockNumber: number }): Promise<bigint>

  /** Pure: the creation code with its arguments. */
  deployment(input: { ownerAddress: string; organizationHash: string }): {
    transaction: PreparedTransaction
    constructorDataHash: string
  }
  /** Pure: the call that configures a policy. */
  policyConfiguration(input: {
    vaultAddress: string
    ownerAddress: string
    expectedVersion: number
    policy: ChainPolicy
  }): PreparedTransaction
  /** Pure: the deposit into a vault; the sender must have allowed it the amount before. */
  deposit(input: { vaultAddress: string; from: string; amount: bigint }): PreparedTransaction
  /** Pure: a withdrawal with too little gas ever to be mined, for whoever must refuse it. */
  withdrawalProbe(input: { vaultAddress: string; amount: bigint }): VaultCall
  /** Pure: what a call of the token approves; undefined when it is another call. */
  readApproval(data: string): { spender: string; amount: bigint } | undefined
  /** Pure: what was signed, and by whom; throws for anything but our own kind of transaction. */
  readSigned(raw: string): Promise<SignedCall>
  /** Pure: the call that pays, with every field of the order. */
  paymentCall(order: PaymentOrder): VaultCall

  /** Whether the contract at the address takes the signature (ERC-1271), as the vault asks it. */
  isValidSignature(input: { address: string; digest: string; signature: string }): Promise<boolean>
}
