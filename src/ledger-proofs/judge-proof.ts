/** Judges what a submitted hash proves, from the intent and the state of the chain. Pure. */
import type { ChainTransaction, PreparedTransaction } from '#ports/chain.ts'
import { judge, type MinedEvidence } from '#treasury/judge-transaction.ts'

export type ProofFinding = {
  decision: 'confirm' | 'fail' | 'wait'
  errorCode?: string
  /** For human readers; stored as canonical JSON. */
  evidence: Record<string, unknown>
}

/** A hardware wallet sends its own transactions, so sender and data must match the intent. */
type TransactionEvidence = Omit<MinedEvidence, 'ownerIsContract'>

const decisions = {
  unseen: { decision: 'wait' },
  waiting: { decision: 'wait' },
  mismatch: { decision: 'fail', errorCode: 'transaction_mismatch' },
  reverted: { decision: 'fail', errorCode: 'transaction_reverted' },
  final: { decision: 'confirm' },
} as const

export function judgeTransaction(
  prepared: PreparedTransaction,
  observed: TransactionEvidence,
): ProofFinding {
  const { transaction, headNumber, confirmations } = observed
  const { outcome } = judge(prepared, { ...observed, ownerIsContract: false })
  const receipt = transaction?.receipt ?? null
  const depth = receipt === null ? 0 : Math.max(0, headNumber - receipt.blockNumber + 1)
  const evidence = {
    outcome,
    differences: transaction ? differencesOf(transaction, prepared) : [],
    headNumber,
    confirmations: outcome === 'unseen' ? 0 : depth,
    confirmationsNeeded: confirmations,
    blockNumber: receipt?.blockNumber ?? null,
    blockHash: receipt?.blockHash ?? null,
    receiptStatus: receipt?.status ?? null,
    contractAddress: receipt?.contractAddress ?? null,
  }
  return { ...decisions[outcome], evidence }
}

function differencesOf(found: ChainTransaction, prepared: PreparedTransaction): string[] {
  const lower = (text: string | null) => text?.toLowerCase() ?? null
  const same = {
    chain: found.chainId === prepared.chainId,
    sender: lower(found.from) === lower(prepared.from),
    target: lower(found.to) === lower(prepared.to),
    data: lower(found.data) === lower(prepared.data),
    value: found.value === BigInt(prepared.value),
  }
  return Object.entries(same).flatMap(([name, isSame]) => (isSame ? [] : [name]))
}

/** An approval is not sent to the chain by itself, so its digest is compared. */
export function judgeDigest(digest: string, givenHash: string): ProofFinding {
  const isSame = givenHash === digest
  const evidence = { outcome: isSame ? 'match' : 'mismatch', digest, givenHash }
  if (isSame) return { decision: 'confirm', evidence }
  return { decision: 'fail', errorCode: 'digest_mismatch', evidence }
}
