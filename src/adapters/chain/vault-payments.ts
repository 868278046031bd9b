/** Reads every payment that vaults have logged from one node, to verify our records. */
import { type Address, createPublicClient, type Hash, type PublicClient } from 'viem'
import { isTimeout, nodeErrorOf } from './node-errors.ts'
import { nodeTransport } from './node-transport.ts'
import { decodeVaultEvent } from './vault-events.ts'

const TIMEOUT_MS = 20_000
const RETRIES = 2
const RANGE_BLOCKS = 10_000
const RANGE_BLOCKS_MIN = 10

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
    for (const payment of await readPayments(client, { vault, fromBlock, toBlock })) {
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

/** Reads all blocks at once if the node allows it, and shorter ranges otherwise. */
async function readPayments(
  client: PublicClient,
  { vault, fromBlock, toBlock }: { vault: LoggingVault; fromBlock: number; toBlock: number },
): Promise<VaultPayment[]> {
  const payments: VaultPayment[] = []
  let first = fromBlock
  let length = toBlock - fromBlock + 1
  while (first <= toBlock) {
    const last = Math.min(toBlock, first + length - 1)
    try {
      payments.push(...(await paymentsIn(client, { vault, first, last })))
      first = last + 1
    } catch (error) {
      const isRefused = nodeErrorOf(error) !== undefined || isTimeout(error)
      if (!isRefused || length <= RANGE_BLOCKS_MIN) throw error
      length = Math.min(RANGE_BLOCKS, Math.max(RANGE_BLOCKS_MIN, Math.floor(length / 10)))
    }
  }
  return payments
}

async function paymentsIn(
  client: PublicClient,
  { vault, first, last }: { vault: LoggingVault; first: number; last: number },
): Promise<VaultPayment[]> {
  const logs = await client.getLogs({
    address: vault.address as Address,
    fromBlock: BigInt(first),
    toBlock: BigInt(last),
  })
  return logs.flatMap((log) => {
    const event = decodeVaultEvent(log)
    if (event?.name !== 'PaymentExecuted') return []
    const { transactionHash, blockNumber } = log
    return [{ reportHash: event.reportHash, transactionHash, blockNumber: Number(blockNumber) }]
  })
}
