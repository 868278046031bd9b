/** Reads one payment's log from one node: for whoever checks evidence without the service. */
import { createPublicClient, type Hash, http } from 'viem'
import { checksummed } from '#platform/values.ts'
import { decodeVaultEvent } from './vault-codec.ts'

/** The fields as evidence names them; undefined when the node has no such log. */
export async function findPaymentLog(
  rpcUrl: string,
  { transactionHash, vaultAddress }: { transactionHash: string; vaultAddress: string },
): Promise<Record<string, string | number> | undefined> {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 10_000 }) })
  const receipt = await client
    .getTransactionReceipt({ hash: transactionHash as Hash })
    .catch(() => undefined)
  if (receipt?.status !== 'success') return undefined
  for (const log of receipt.logs) {
    if (log.address.toLowerCase() !== vaultAddress.toLowerCase()) continue
    const event = decodeVaultEvent(log)
    if (event?.name !== 'PaymentExecuted') continue
    return {
      vaultAddress: checksummed(log.address),
      chainPaymentId: event.chainPaymentId,
      recipientAddress: checksummed(event.recipientAddress),
      mode: event.mode,
      amountBaseUnits: event.amount.toString(),
      policyVersion: event.policyVersion,
      reportHash: event.reportHash,
      expenseVersionHash: event.expenseVersionHash,
      approvalDigest: event.approvalDigest,
      approverAddress: checksummed(event.approverAddress),
      transactionHash: receipt.transactionHash,
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
    }
  }
  return undefined
}
