/** Checks that a transaction is the claimed token approval. */
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import type { Chain, ChainTransaction } from '#ports/chain.ts'

type Claim = { from: string; vaultAddress: string; amount: bigint }

export async function requireApproval(
  { chain }: Pick<Context, 'chain'>,
  { hash, ...claim }: Claim & { hash: string },
): Promise<void> {
  const transaction = await chain.findTransaction(hash)
  if (transaction && !isApproval(chain, transaction, claim)) {
    throw new AppError('transaction_mismatch', {
      message: 'The transaction does not approve this amount to the vault from this wallet.',
    })
  }
  const receipt = transaction?.receipt
  const block = receipt && (await chain.findBlock(receipt.blockNumber))
  const { number: head } = await chain.latestBlock()
  const isFinal =
    receipt &&
    block?.hash === receipt.blockHash &&
    head - receipt.blockNumber + 1 >= chain.confirmations
  if (!isFinal) {
    throw new AppError('transaction_mismatch', {
      message: 'The approval is not final on the chain yet. Wait and repeat the request.',
    })
  }
  if (receipt.status === 'reverted') throw new AppError('transaction_failed')
}

function isApproval(chain: Chain, transaction: ChainTransaction, claim: Claim): boolean {
  const approval = chain.readApproval(transaction.data)
  return (
    transaction.chainId === chain.chainId &&
    transaction.from === claim.from &&
    transaction.to === chain.tokenAddress &&
    approval?.spender === claim.vaultAddress &&
    approval.amount >= claim.amount
  )
}
