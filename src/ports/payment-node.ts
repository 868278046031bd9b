/**
 * One RPC node, as the payment engine sees it. Every method rejects when the node does not answer,
 * or does not yet treat the requested block as final. `payments/engine/agreed-chain.ts` combines
 * the answers of several nodes. Addresses and hashes are lower case. Types only.
 */
import type { Execution } from '@countersign/proof/execution.ts'
import type { BlockCode } from '#platform/block-codes.ts'

/** Wei per unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** A contract call with its gas limit. The target is usually a vault. */
export type VaultCall = { vaultAddress: string; data: string; gasLimit: bigint }

export type ExecutionLog = Execution & {
  transactionHash: string
  blockNumber: number
  blockHash: string
  logIndex: number
  /** Cost of the transaction, regardless of its sender. */
  gasUsed: bigint
  effectiveGasPrice: bigint
}

export type AttemptReceipt = {
  transactionHash: string
  status: 'success' | 'reverted'
  blockNumber: number
  blockHash: string
}

/** A node's current head. It guides pacing and fees, never a final decision. */
export type NodeHead = {
  headNumber: number
  /** The newest final block. */
  finalizedNumber: number
  /** The account's next nonce after the head. */
  headNonce: number
  gasBalance: bigint
  fees: Fees
  /** Median base fee plus tip of recent blocks; null if the node does not report it. */
  recentFee: bigint | null
}

/** State at one height. Nodes with equal anchors follow the same chain. */
type NodeAnchor = { blockHash: string; nonce: number }

/** What a node knows about one payment up to and including a block. */
export type NodeEvidence = {
  /** `paymentExecuted(chainPaymentId)` at that block. */
  isExecuted: boolean
  /** The vault's `PaymentExecuted` logs of the id, in chain order. */
  logs: ExecutionLog[]
  /** Receipts in canonical blocks, in the order of the requested hashes. */
  receipts: AttemptReceipt[]
}

/**
 * `accepted`: it is in the mempool, or was there already. `nonce_too_low`: the nonce is used,
 * possibly by this very transaction. `underpriced`: the node requires a higher fee. For any other
 * error, `send` rejects.
 */
export type NodeSendAnswer = 'accepted' | 'nonce_too_low' | 'underpriced'

/** A cap of a spending period that the call would exceed. Another period begins at its end. */
export type ExhaustedPeriod = { cap: bigint; endsAtSeconds: number }

/** `code` is the reason of the revert as an API block code. */
export type Preflight =
  | { outcome: 'passes' }
  | { outcome: 'reverts'; code: BlockCode; exhausted?: ExhaustedPeriod }

/** Null: another reason, or the node no longer has the state of the block. */
export type NodeExhausted = { exhausted: ExhaustedPeriod | null }

export type PaymentNode = {
  head(input: { address: string }): Promise<NodeHead>
  anchor(input: { address: string; blockNumber: number }): Promise<NodeAnchor>
  evidence(input: {
    vaultAddress: string
    chainPaymentId: string
    transactionHashes: readonly string[]
    blockNumber: number
  }): Promise<NodeEvidence>
  /** Receipts only, for transactions without a payment in a vault. */
  receipts(input: {
    transactionHashes: readonly string[]
    blockNumber: number
  }): Promise<AttemptReceipt[]>
  /** `eth_call` of this exact call at the head. */
  preflight(input: { from: string; call: VaultCall }): Promise<Preflight>
  /**
   * `eth_call` of this exact call in a final block. What a period has paid only grows until its
   * end, so a call that exceeded its cap within the block exceeds it after the block as well.
   */
  exhaustedIn(input: { from: string; call: VaultCall; blockNumber: number }): Promise<NodeExhausted>
  send(input: { raw: string }): Promise<NodeSendAnswer>
}
