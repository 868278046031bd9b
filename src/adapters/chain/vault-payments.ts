/** Reads every payment that vaults have logged from one node, to verify our records. */
import { type Address, createPublicClient, type Hash, type PublicClient } from 'viem'
import { type BlockRange, readRange } from './log-search.ts'
import { nodeTransport } from './node-transport.ts'
import { decodeVaultEvent } from './vault-events.ts'

const TIMEOUT_MS = 20_000
const RETRIES = 2

type LoggingVault = { chainId: number; address: string; deploymentTransactionHash: string }
export type VaultPayment = { reportHash: string; transactionHash: string; blockNumber: number }

/** Final payments by vault, in chain order. Vaults of other chains are in `elsewhere`. */
export async function readVaultPayments<Vault extends LoggingVault>(
  rpcUrl: string,
  { vaults, confirmations }: { vaults: readonly Vault[]; confirmations: number },
): Promise<{ payments: [Vault, VaultPayment][]; elsewhere: Vault[] }> {
  const transport = nodeTransport(rpcUrl, { timeoutMs: TIMEOUT_MS, retryCount: RETRIES })
  const client = createPublicClient({ transport })
  const chainId = await client.getChainId()
  const here = vaults.filter((vault) => vault.chainId === chainId)
  const head = Number(await client.getBlockNumber({ cacheTime: 0 }))
  const toBlock = Math.max(0, head - confirmations + 1)
  const payments: [Vault, VaultPayment][] = []
  for (const vault of here) {
    const fromBlock = await findFirstBlock(client, vault)
    const read = (range: BlockRange) => paymentsIn(client, vault, range)
    for (const payment of await readRange({ fromBlock, toBlock }, read)) {
      payments.push([vault, payment])
    }
  }
  return { payments, elsewhere: vaults.filter((vault) => !here.includes(vault)) }
}

/** The deployment's block if the node confirms that it created this vault; otherwise 0. */
async function findFirstBlock(
  client: PublicClient,
  { address, deploymentTransactionHash }: LoggingVault,
): Promise<number> {
  const receipt = await client
    .getTransactionReceipt({ hash: deploymentTransactionHash as Hash })
    .catch(() => undefined)
  const isDeployment = receipt?.contractAddress?.toLowerCase() === address
  return isDeployment ? Number(receipt.blockNumber) : 0
}

async function paymentsIn(
  client: PublicClient,
  { address }: LoggingVault,
  range: BlockRange,
): Promise<VaultPayment[]> {
  const logs = await client.getLogs({ address: address as Address, ...range })
  return logs.flatMap((log) => {
    const event = decodeVaultEvent(log)
    if (event?.name !== 'PaymentExecuted') return []
    const { transactionHash, blockNumber } = log
    return [{ reportHash: event.reportHash, transactionHash, blockNumber: Number(blockNumber) }]
  })
}
