/** `Chain` over viem. */
import { vaultArtifactHash } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  type Hash,
  type PublicClient,
  parseTransaction,
  recoverTransactionAddress,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { Chain, ChainBlock, ChainReceipt, ChainTransaction, VaultLog } from '#ports/chain.ts'
import { readLogs } from './chain-logs.ts'
import { type ChainNodes, chainUnavailable, createChainNodes } from './chain-nodes.ts'
import { acceptsSignature, acceptsWalletSignature } from './contract-signature.ts'
import type { RpcObserver } from './rpc-node.ts'
import { readApproval, tokenAbi } from './token-codec.ts'
import {
  encodeActivation,
  encodeDeployment,
  encodeDeposit,
  encodePayment,
  encodePolicy,
  encodeRecipients,
  encodeWithdrawalProbe,
} from './vault-codec.ts'
import { decodeVaultEvent } from './vault-events.ts'
import { identifyVault } from './vault-identity.ts'

const RPC_TIMEOUT_MS = 5_000
const LOG_ADDRESSES_MAX = 500

export type ViemChainOptions = {
  chainId: number
  rpcUrls: readonly string[]
  tokenAddress: string
  confirmations: number
  rpcTimeoutMs?: number
  onRpc?: RpcObserver
}

const lower = (hex: string): string => hex.toLowerCase()

export function createViemChain(options: ViemChainOptions): Chain {
  const { chainId, rpcUrls, confirmations, rpcTimeoutMs = RPC_TIMEOUT_MS, onRpc } = options
  const tokenAddress = lower(options.tokenAddress)
  const nodes = createChainNodes({ chainId, rpcUrls, timeoutMs: rpcTimeoutMs, onRpc })
  const { ask } = nodes

  return {
    chainId,
    tokenAddress,
    confirmations,
    artifactHash: vaultArtifactHash,
    inspectNodes: () => nodes.inspect(),
    latestBlock: () => latestAgreedBlock(nodes),
    findBlock: (number) => ask((client) => readBlock(client, BigInt(number))),
    listLogs: async ({ fromBlock, toBlock, vaultAddresses, known = [], isFinal = false }) => {
      const hashes = new Map(known.map(({ number, hash }) => [BigInt(number), hash as Hash]))
      const logs: VaultLog[] = []
      for (let at = 0; at < vaultAddresses.length; at += LOG_ADDRESSES_MAX) {
        const vaults = vaultAddresses.slice(at, at + LOG_ADDRESSES_MAX)
        const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock), hashes, isFinal }
        logs.push(...(await ask((client) => readLogs(client, { ...range, vaults, tokenAddress }))))
      }
      return logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    },
    findTransaction: (hash) => ask((client) => readTransaction(client, hash as Hash)),
    ...stateReads(nodes, { chainId, tokenAddress }),
    deployment: (input) => encodeDeployment({ chainId, tokenAddress, ...input }),
    policyConfiguration: (input) => encodePolicy({ chainId, ...input }),
    recipientsChange: (input) => encodeRecipients({ chainId, ...input }),
    policyActivation: encodeActivation,
    deposit: (input) => encodeDeposit({ chainId, ...input }),
    withdrawalProbe: encodeWithdrawalProbe,
    readApproval,
    paymentCall: encodePayment,
    readSigned,
  }
}

type StateReads = Pick<
  Chain,
  | 'identifyVault'
  | 'hasCode'
  | 'nativeBalance'
  | 'tokenBalance'
  | 'tokenAllowance'
  | 'isValidSignature'
  | 'isWalletSignature'
>

/** Reads at a given block, so that nodes with different heads give the same answer. */
function stateReads(
  { ask, lowestHead }: ChainNodes,
  { chainId, tokenAddress }: { chainId: number; tokenAddress: string },
): StateReads {
  const at = ({ address, blockNumber }: { address: string; blockNumber: number }) => ({
    address: address as Address,
    blockNumber: BigInt(blockNumber),
  })
  return {
    identifyVault: (place) => ask((client) => identifyVault(client, { chainId, ...at(place) })),
    hasCode: (place) => ask(async (client) => Boolean(await client.getCode(at(place)))),
    async nativeBalance(address) {
      const blockNumber = await lowestHead()
      return ask((client) => client.getBalance({ address: address as Address, blockNumber }))
    },
    async isValidSignature(input) {
      const blockNumber = await lowestHead()
      return ask((client) => acceptsSignature(client, { ...input, blockNumber }))
    },
    async isWalletSignature(input) {
      const blockNumber = await lowestHead()
      return ask((client) => acceptsWalletSignature(client, { ...input, blockNumber }))
    },
    tokenBalance: ({ address, blockNumber }) =>
      ask((client) =>
        client.readContract({
          ...at({ address: tokenAddress, blockNumber }),
          abi: tokenAbi,
          functionName: 'balanceOf',
          args: [address as Address],
        }),
      ),
    tokenAllowance: ({ owner, spender, blockNumber }) =>
      ask((client) =>
        client.readContract({
          ...at({ address: tokenAddress, blockNumber }),
          abi: tokenAbi,
          functionName: 'allowance',
          args: [owner as Address, spender as Address],
        }),
      ),
  }
}

async function readBlock(
  client: PublicClient,
  blockNumber?: bigint,
): Promise<ChainBlock | undefined> {
  try {
    const block = await client.getBlock(blockNumber === undefined ? {} : { blockNumber })
    if (block.number === null || block.hash === null) return undefined
    return {
      number: Number(block.number),
      hash: block.hash,
      parentHash: block.parentHash,
      timeSeconds: Number(block.timestamp),
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'BlockNotFoundError') return undefined
    throw error
  }
}

/** The newest block that every answering node has. */
async function latestAgreedBlock({ ask, lowestHead }: ChainNodes): Promise<ChainBlock> {
  const lowest = await lowestHead()
  const block = await ask((client) => readBlock(client, lowest))
  if (!block) throw chainUnavailable('The chain has no blocks yet. Retry shortly.')
  return block
}

async function readTransaction(
  client: PublicClient,
  hash: Hash,
): Promise<ChainTransaction | undefined> {
  try {
    const found = await client.getTransaction({ hash })
    return {
      hash: found.hash,
      chainId: Number(found.chainId ?? (await client.getChainId())),
      from: lower(found.from),
      to: found.to === null ? null : lower(found.to),
      data: found.input,
      value: found.value,
      receipt: await readReceipt(client, hash),
    }
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return undefined
    throw error
  }
}

async function readReceipt(client: PublicClient, hash: Hash): Promise<ChainReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash })
    return {
      status: receipt.status,
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      contractAddress: receipt.contractAddress ? lower(receipt.contractAddress) : null,
      events: receipt.logs.flatMap((log) => {
        const event = decodeVaultEvent(log)
        return event ? [{ address: lower(log.address), event }] : []
      }),
    }
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

/** Decodes stored bytes, so that the engine can detect a changed row before it sends them. */
const readSigned: Chain['readSigned'] = async (raw) => {
  const serializedTransaction = raw as `0x02${string}`
  const { to, data, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } =
    parseTransaction(serializedTransaction)
  if (!to || !data || gas === undefined || maxFeePerGas === undefined) {
    throw new Error('The stored bytes are not an EIP-1559 contract call')
  }
  const from = await recoverTransactionAddress({ serializedTransaction })
  return {
    from: from.toLowerCase(),
    nonce: nonce ?? 0,
    fees: { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n },
    call: { vaultAddress: to.toLowerCase(), data, gasLimit: gas },
  }
}
