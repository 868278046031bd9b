/** Reads a signed payment back: its bytes are the one record that nobody can change unnoticed. */
import { parseTransaction, recoverTransactionAddress } from 'viem'
import type { Chain } from '#ports/chain.ts'

export const readSigned: Chain['readSigned'] = async (raw) => {
  const serializedTransaction = raw as `0x02${string}`
  const { to, data, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } =
    parseTransaction(serializedTransaction)
  if (!to || !data || gas === undefined || maxFeePerGas === undefined)
    throw new Error('These bytes are no payment of ours')
  const from = await recoverTransactionAddress({ serializedTransaction })
  return {
    from: from.toLowerCase(),
    nonce: nonce ?? 0,
    fees: { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n },
    call: { vaultAddress: to.toLowerCase(), data, gasLimit: gas },
  }
}
