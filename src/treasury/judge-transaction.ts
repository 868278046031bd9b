/** What became of a transaction that we prepared: pure, from what the chain says of it. */
import type { ChainTransaction, PreparedTransaction } from '#ports/chain.ts'

export type Verdict =
  /** Not on the chain, or not deep enough yet. */
  | { outcome: 'unseen' }
  | { outcome: 'waiting' }
  | { outcome: 'mismatch' }
  | { outcome: 'reverted'; blockNumber: number }
  /** Final and exactly what was prepared; whether it had the effect is for the caller to see. */
  | { outcome: 'final'; transaction: ChainTransaction }

export type Evidence = {
  transaction: ChainTransaction | undefined
  /** Of the block that the receipt names, as the chain has it now. */
  canonicalHash: string | undefined
  headNumber: number
  confirmations: number
  /** A multisig sends from elsewhere, with its own data: the vault's log decides instead. */
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
 * The creation that we prepared, whoever sent it. Only then is the vault's storage known to be what
 * our constructor writes: any other creation may have left a policy in it that no log tells of.
 */
export const isSameCreation = (
  transaction: ChainTransaction,
  prepared: PreparedTransaction,
): boolean => isAsPrepared(transaction, { ...prepared, from: transaction.from })

export function judge(prepared: PreparedTransaction, evidence: Evidence): Verdict {
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
