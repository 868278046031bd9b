/**
 * What one node knows of one payment up to a final block. The vault writes the log and the flag of
 * an id in one transaction, once for ever: so the log is first looked for in the receipts of what
 * we have sent, and only when the flag is set and none of those carries it, in the node's logs.
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
import { decodeVaultEvent } from './vault-codec.ts'

type Asked = Parameters<PaymentNode['evidence']>[0]

const lower = (hex: string): string => hex.toLowerCase()

type Sources = { client: PublicClient; search: LogSearch; finalizedBlocks: FinalizedBlocks }
type Reading = Omit<Sources, 'finalizedBlocks'> & { hashAt(blockNumber: number): Promise<string> }

export const readEvidence = (
  { client, search, finalizedBlocks }: Sources,
  asked: Asked,
): Promise<NodeEvidence> =>
  finalizedBlocks(asked.blockNumber, (hashAt) => evidenceAt({ client, search, hashAt }, asked))

export const readReceipts = (
  { client, finalizedBlocks }: Pick<Sources, 'client' | 'finalizedBlocks'>,
  { transactionHashes, blockNumber }: Parameters<PaymentNode['receipts']>[0],
): Promise<AttemptReceipt[]> =>
  finalizedBlocks(blockNumber, async (hashAt) => {
    const asked = { hashes: transactionHashes, upTo: blockNumber }
    return (await canonicalReceipts({ client, hashAt }, asked)).map(toAttemptReceipt)
  })

async function evidenceAt(reading: Reading, asked: Asked): Promise<NodeEvidence> {
  const { vaultAddress, chainPaymentId, transactionHashes, blockNumber } = asked
  const [isExecuted, own] = await Promise.all([
    reading.client.readContract({
      address: vaultAddress as Address,
      abi: vaultAbi,
      functionName: 'paymentExecuted',
      args: [chainPaymentId as Hash],
      blockNumber: BigInt(blockNumber),
    }),
    canonicalReceipts(reading, { hashes: transactionHashes, upTo: blockNumber }),
  ])
  const carried = own.flatMap((receipt) => executionLogs(receipt, asked))
  const logs = isExecuted && carried.length === 0 ? await foundLogs(reading, asked) : carried
  return { isExecuted, logs, receipts: own.map(toAttemptReceipt) }
}

/** Somebody else's transaction has paid, or one that is not on record here. */
async function foundLogs(reading: Reading, asked: Asked): Promise<ExecutionLog[]> {
  const hashes = await reading.search(asked)
  if (hashes.some((hash) => asked.transactionHashes.includes(hash))) {
    throw new Error('The node has the log of a transaction, and not its receipt')
  }
  const receipts = await canonicalReceipts(reading, { hashes, upTo: asked.blockNumber })
  if (receipts.length < hashes.length) {
    throw new Error('The node has a log of a transaction that it does not have')
  }
  return receipts.flatMap((receipt) => executionLogs(receipt, asked))
}

/** A receipt counts only while its block is the one that the node has at that height. */
async function canonicalReceipts(
  { client, hashAt }: Omit<Reading, 'search'>,
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
    requireWhole(receipt, hash)
    return receipt
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}

/** What a node leaves out would look like a disagreement with another that has it. */
function requireWhole(receipt: TransactionReceipt, hash: Hash): void {
  const { transactionHash, status, gasUsed, effectiveGasPrice } = receipt
  const isWhole =
    lower(transactionHash) === hash &&
    ['success', 'reverted'].includes(status) &&
    [gasUsed, effectiveGasPrice].every((number) => typeof number === 'bigint')
  if (!isWhole) throw new Error(`The node has no whole receipt of ${hash}`)
}

const toAttemptReceipt = (receipt: TransactionReceipt): AttemptReceipt => ({
  transactionHash: lower(receipt.transactionHash),
  status: receipt.status,
  blockNumber: Number(receipt.blockNumber),
  blockHash: lower(receipt.blockHash),
})

const executionLogs = (
  receipt: TransactionReceipt,
  { vaultAddress, chainPaymentId }: Asked,
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
