/**
 * One RPC node, as the payment engine sees it. Every method rejects when the node does not answer,
 * or does not yet treat the requested block as final. `payments/engine/agreed-chain.ts` combines
 * the answers of several nodes. Addresses and hashes are lower case. Types only.
 */
import type { Execution } from '@countersign/proof/execution.ts'
import type { BlockCode } from '#platform/block-codes.ts'

/** Wei for each unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The exact call that pays. */
export type VaultCall = { vaultAddress: string; data: string; gasLimit: bigint }

export type ExecutionLog = Execution & {
  transactionHash: string
  blockNumber: number
  blockHash: string
  logIndex: number
  /** What its transaction cost, whoever sent it. */
  gasUsed: bigint
  effectiveGasPrice: bigint
}

export type AttemptReceipt = {
  transactionHash: string
  status: 'success' | 'reverted'
  blockNumber: number
  blockHash: string
}

/** Where a node stands now. Good for pace and patience, never for a decision that is final. */
export type NodeHead = {
  headNumber: number
  /** By depth or by tag, as the chain is configured. */
  finalizedNumber: number
  /** The account's next nonce after the head. */
  headNonce: number
  gasBalance: bigint
  fees: Fees
  /** Median of recent blocks, base fee and tip; null where the node does not say. */
  recentFee: bigint | null
}

/** What a node has at one height: nodes that agree on it stand on the same chain. */
type NodeAnchor = { blockHash: string; nonce: number }

/** All that a node knows of one payment up to a height, that block included. */
export type NodeEvidence = {
  /** `paymentExecuted(chainPaymentId)` after that block. */
  isExecuted: boolean
  /** The vault's `PaymentExecuted` logs of the id, in the order of the chain. */
  logs: ExecutionLog[]
  /** Of those hashes that were mined in a block which is still canonical, in the order asked. */
  receipts: AttemptReceipt[]
}

/**
 * `accepted`: it is in the pool, now or before. `nonce_too_low`: its place is taken, maybe by
 * itself. `underpriced`: the node wants a higher fee. Whatever else was answered is a rejection.
 */
export type NodeSendAnswer = 'accepted' | 'nonce_too_low' | 'underpriced'

/** `code` is the vault's or the token's refusal in the words of the interface. */
export type Preflight = { outcome: 'passes' } | { outcome: 'reverts'; code: BlockCode }

export type PaymentNode = {
  head(input: { address: string }): Promise<NodeHead>
  anchor(input: { address: string; blockNumber: number }): Promise<NodeAnchor>
  evidence(input: {
    vaultAddress: string
    chainPaymentId: string
    transactionHashes: readonly string[]
    blockNumber: number
  }): Promise<NodeEvidence>
  /** The receipts alone, for what has no execution in a vault. */
  receipts(input: {
    transactionHashes: readonly string[]
    blockNumber: number
  }): Promise<AttemptReceipt[]>
  /** `eth_call` of exactly this at the head. */
  preflight(input: { from: string; call: VaultCall }): Promise<Preflight>
  send(input: { raw: string }): Promise<NodeSendAnswer>
}
