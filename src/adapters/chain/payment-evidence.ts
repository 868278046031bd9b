/**
 * Reads what one node knows about one payment up to a final block. The vault writes the log and the
 * `paymentExecuted` flag of a payment id once, in one transaction. So the log is first searched in
 * the receipts of our own transactions, and in the node's logs only if the flag is set without one.
 */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { Address, Hash, PublicClient, TransactionReceipt } from 'viem'
import { TransactionReceiptNotFoundError } from 'viem'
import type {
  AttemptReceipt,
  ExecutionLog,
  NodeEvidence,
  PaymentNode,
} from '#ports/payment-node.ts'
import type { FinalizedBlocks } from './finalized-blocks.ts'
import type { LogSearch } from './log-search.ts'
import { decodeVaultEvent } from './vault-events.ts'

type EvidenceQuery = Parameters<PaymentNode['evidence']>[0]

const lower = (hex: string): string => hex.toLowerCase()

type Sources = { client: PublicClient; search: LogSearch; finalizedBlocks: FinalizedBlocks }
type BlockReads = Omit<Sources, 'finalizedBlocks'> & {
  hashAt(blockNumber: number): Promise<string>
}

export const readEvidence = (
  { client, search, finalizedBlocks }: Sources,
  query: EvidenceQuery,
): Promise<NodeEvidence> =>
  finalizedBlocks.readAt(query.blockNumber, (hashAt) =>
    evidenceAt({ client, search, hashAt }, query),
  )

export const readReceipts = (
  { client, finalizedBlocks }: Pick<Sources, 'client' | 'finalizedBlocks'>,
  { transactionHashes, blockNumber }: Parameters<PaymentNode['receipts']>[0],
): Promise<AttemptReceipt[]> =>
  finalizedBlocks.readAt(blockNumber, async (hashAt) => {
    const query = { hashes: transactionHashes, upTo: blockNumber }
    return (await canonicalReceipts({ client, hashAt }, query)).map(toAttemptReceipt)
  })

async function evidenceAt(reads: BlockReads, query: EvidenceQuery): Promise<NodeEvidence> {
  const { vaultAddress, chainPaymentId, transactionHashes, blockNumber } = query
  const [isExecuted, ownReceipts] = await Promise.all([
    reads.client.readContract({
      address: vaultAddress as Address,
      abi: vaultAbi,
      functionName: 'paymentExecuted',
      args: [chainPaymentId as Hash],
      blockNumber: BigInt(blockNumber),
    }),
    canonicalReceipts(reads, { hashes: transactionHashes, upTo: blockNumber }),
  ])
  const ownLogs = ownReceipts.flatMap((receipt) => executionLogs(receipt, query))
  const logs = isExecuted && ownLogs.length === 0 ? await searchLogs(reads, query) : ownLogs
  return { isExecuted, logs, receipts: ownReceipts.map(toAttemptReceipt) }
}

/** For a payment that was executed by a transaction of somebody else, or by a lost one of ours. */
async function searchLogs(reads: BlockReads, query: EvidenceQuery): Promise<ExecutionLog[]> {
  const hashes = await reads.search(query)
  if (hashes.some((hash) => query.transactionHashes.includes(hash))) {
    throw new Error('The node has the log of a transaction but not its receipt')
  }
  const receipts = await canonicalReceipts(reads, { hashes, upTo: query.blockNumber })
  if (receipts.length < hashes.length) {
    throw new Error('The node has a log but not the receipt of its transaction')
  }
  return receipts.flatMap((receipt) => executionLogs(receipt, query))
}

/** A receipt counts only if its block is canonical. */
async function canonicalReceipts(
  { client, hashAt }: Omit<BlockReads, 'search'>,
  { hashes, upTo }: { hashes: readonly string[]; upTo: number },
): Promise<TransactionReceipt[]> {
  const found = await Promise.all(
    hashes.map(async (hash) => {
      const receipt = await findReceipt(client, hash as Hash)
      if (!receipt || receipt.blockNumber > BigInt(upTo)) return []
      const canonical = await hashAt(Number(receipt.blockNumber))
      return lower(receipt.blockHash) === canonical ? [receipt] : []
    }),
  )
  return found.flat()
}

async function findReceipt(
  client: PublicClient,
  hash: Hash,
): Promise<TransactionReceipt | undefined> {
  try {
    const receipt = await client.getTransactionReceipt({ hash })
    requireComplete(receipt, hash)
    return receipt
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}

/** A missing field must not count as a disagreement with a node that has it. */
function requireComplete(receipt: TransactionReceipt, hash: Hash): void {
  const { transactionHash, status, gasUsed, effectiveGasPrice } = receipt
  const isComplete =
    lower(transactionHash) === hash &&
    ['success', 'reverted'].includes(status) &&
    [gasUsed, effectiveGasPrice].every((number) => typeof number === 'bigint')
  if (!isComplete) throw new Error(`The node returned an incomplete receipt of ${hash}`)
}

const toAttemptReceipt = (receipt: TransactionReceipt): AttemptReceipt => ({
  transactionHash: lower(receipt.transactionHash),
  status: receipt.status,
  blockNumber: Number(receipt.blockNumber),
  blockHash: lower(receipt.blockHash),
})

const executionLogs = (
  receipt: TransactionReceipt,
  { vaultAddress, chainPaymentId }: EvidenceQuery,
): ExecutionLog[] =>
  receipt.logs.flatMap((log) => {
    const event = lower(log.address) === vaultAddress ? decodeVaultEvent(log) : undefined
    if (event?.name !== 'PaymentExecuted' || event.chainPaymentId !== chainPaymentId) return []
    const { name: _name, spentTotal: _spentTotal, ...execution } = event
    const { status: _status, ...place } = toAttemptReceipt(receipt)
    const { gasUsed, effectiveGasPrice } = receipt
    const cost = { gasUsed, effectiveGasPrice }
    return [{ vaultAddress, ...execution, ...place, logIndex: Number(log.logIndex), ...cost }]
  })
