/** Judges the state on chain of a transaction that the service prepared. Pure. */
import type { ChainTransaction, PreparedTransaction } from '#ports/chain.ts'

export type TransactionVerdict =
  /** Unknown to the chain, or in a block that was reorganised away. */
  | { outcome: 'unseen' }
  | { outcome: 'waiting' }
  | { outcome: 'mismatch' }
  | { outcome: 'reverted'; blockNumber: number }
  /** Final and exactly as prepared. The caller checks whether it had the intended effect. */
  | { outcome: 'final'; transaction: ChainTransaction }

export type MinedEvidence = {
  transaction: ChainTransaction | undefined
  /** Hash of the canonical block at the receipt's height. */
  canonicalHash: string | undefined
  headNumber: number
  confirmations: number
  /**
   * A multisig sends from another address with its own data, so the vault's log decides instead.
   */
  ownerIsContract: boolean
}

const sameAddress = (a: string | null, b: string | null): boolean =>
  (a?.toLowerCase() ?? null) === (b?.toLowerCase() ?? null)

export const isAsPrepared = (
  transaction: ChainTransaction,
  prepared: PreparedTransaction,
): boolean =>
  transaction.chainId === prepared.chainId &&
  sameAddress(transaction.from, prepared.from) &&
  sameAddress(transaction.to, prepared.to) &&
  transaction.data.toLowerCase() === prepared.data.toLowerCase() &&
  transaction.value === 0n

/**
 * Whether it is the prepared creation, whoever sent it. Only then does the vault's storage hold
 * what the constructor writes; any other creation could have left a policy that no log shows.
 */
export const isSameCreation = (
  transaction: ChainTransaction,
  prepared: PreparedTransaction,
): boolean => isAsPrepared(transaction, { ...prepared, from: transaction.from })

export function judge(prepared: PreparedTransaction, evidence: MinedEvidence): TransactionVerdict {
  const { transaction, canonicalHash, headNumber, confirmations, ownerIsContract } = evidence
  if (!transaction) return { outcome: 'unseen' }
  if (!ownerIsContract && !isAsPrepared(transaction, prepared)) return { outcome: 'mismatch' }
  const { receipt } = transaction
  if (!receipt) return { outcome: 'waiting' }
  if (receipt.blockHash !== canonicalHash) return { outcome: 'unseen' }
  if (headNumber - receipt.blockNumber + 1 < confirmations) return { outcome: 'waiting' }
  const { blockNumber } = receipt
  if (receipt.status === 'reverted') return { outcome: 'reverted', blockNumber }
  return { outcome: 'final', transaction }
}
