/** Reads receipts and their blocks from one node, and the order of logs. */
import type { BlockFacts } from '@countersign/proof/payment-facts.ts'
import {
  type Hash,
  type Log,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'

export async function findReceipt(
  client: PublicClient,
  transactionHash: string,
): Promise<TransactionReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash: transactionHash as Hash })
    if (receipt.transactionHash.toLowerCase() === transactionHash) return receipt
    throw new Error('The node answered with the receipt of another transaction')
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

export async function blockFacts(
  client: PublicClient,
  { blockNumber, blockHash }: TransactionReceipt,
): Promise<BlockFacts> {
  const block = await client.getBlock({ blockNumber })
  return {
    blockNumber: Number(blockNumber),
    blockHash: blockHash.toLowerCase(),
    canonicalHash: (block.hash ?? '0x').toLowerCase(),
    timeSeconds: Number(block.timestamp),
  }
}

export type LogPlace = Pick<Log, 'blockNumber' | 'logIndex'>

export function comesBefore(one: LogPlace, other: LogPlace): boolean {
  const [block, otherBlock] = [Number(one.blockNumber), Number(other.blockNumber)]
  return (
    block < otherBlock || (block === otherBlock && Number(one.logIndex) < Number(other.logIndex))
  )
}
