/** Finds a transaction that a provider has sent, for which the engine has no signed bytes. */
import type { ChainTransaction } from '#ports/chain.ts'
import type { FundingContext } from './funding-provider.ts'

export type Mined = {
  transaction: ChainTransaction
  blockNumber: number
  isReverted: boolean
  /** At least `CONFIRMATIONS` blocks deep. */
  isFinal: boolean
}

/** Undefined: it is in no block of the canonical chain. */
export async function findMined(
  { chain }: Pick<FundingContext, 'chain'>,
  hash: string,
): Promise<Mined | undefined> {
  const transaction = await chain.findTransaction(hash)
  const receipt = transaction?.receipt
  if (!receipt) return undefined
  const { blockNumber } = receipt
  const block = await chain.findBlock(blockNumber)
  if (block?.hash !== receipt.blockHash) return undefined
  const { number: head } = await chain.latestBlock()
  const isFinal = head - blockNumber + 1 >= chain.confirmations
  return { transaction, blockNumber, isReverted: receipt.status === 'reverted', isFinal }
}
