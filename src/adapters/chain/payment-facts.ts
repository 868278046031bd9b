/**
 * Reads from one node what happened to one payment, to verify evidence without the service. It uses
 * no getter of the contract, since a counterfeit could return anything: it compares the code
 * of the vault byte for byte and takes the policy from the log that this code wrote.
 */
import type { Execution } from '@countersign/proof/execution.ts'
import type {
  BlockFacts,
  PaymentFacts,
  PaymentQuestion,
  PaymentWitness,
  PolicyFacts,
  TransactionFacts,
} from '@countersign/proof/payment-facts.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  BaseError,
  createPublicClient,
  decodeFunctionData,
  type Hash,
  isAddressEqual,
  type Log,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  type Transaction,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { acceptsSignature } from './contract-signature.ts'
import { nodeErrorOf } from './node-errors.ts'
import { nodeTransport } from './node-transport.ts'
import { decodeVaultEvent } from './vault-events.ts'
import { constructedFrom } from './vault-identity.ts'

const TIMEOUT_MS = 15_000

const transferAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

const lower = (hex: string): string => hex.toLowerCase()

export const connectNode = (url: string): PublicClient =>
  createPublicClient({ transport: nodeTransport(url, { timeoutMs: TIMEOUT_MS, retryCount: 2 }) })

/** The node did not answer, refused the request, or lacks the state of an old block. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable'
}

/** The message omits the node's URL, which can contain an API key. */
export function toNodeUnavailable(error: unknown): NodeUnavailable {
  const message =
    error instanceof BaseError
      ? [error.shortMessage, nodeErrorOf(error)?.message].filter(Boolean).join(' ')
      : 'the answer cannot be read'
  return new NodeUnavailable(message, { cause: error })
}

export function createPaymentWitness(url: string): PaymentWitness {
  const client = connectNode(url)
  return {
    paymentFacts: (question) =>
      readPaymentFacts(client, question).catch((error) => {
        throw toNodeUnavailable(error)
      }),
  }
}

async function readPaymentFacts(
  client: PublicClient,
  asked: PaymentQuestion,
): Promise<PaymentFacts> {
  const chainId = await client.getChainId()
  if (chainId !== asked.chainId) return { chainId, transaction: null }
  const receipt = await findReceipt(client, asked.transactionHash)
  return { chainId, transaction: receipt && (await transactionFacts(client, asked, receipt)) }
}

async function transactionFacts(
  client: PublicClient,
  asked: PaymentQuestion,
  receipt: TransactionReceipt,
): Promise<TransactionFacts> {
  const log = receipt.logs.find((one) => isExecutionOf(one, asked))
  const policy = await findPolicy(client, asked, log)
  // The vault's code is read before the policy's block: otherwise the constructor of another
  // contract could have written the policy's log.
  const vaultBlock = Math.min(policy?.blockNumber ?? Infinity, Number(receipt.blockNumber)) - 1
  const [place, headNumber, finalizedNumber, directCall, vault, contractAccepts] =
    await Promise.all([
      blockFacts(client, receipt),
      client.getBlockNumber({ cacheTime: 0 }),
      findFinalized(client),
      findDirectCall(client, asked),
      findVault(client, asked, vaultBlock),
      askContract(client, asked, receipt.blockNumber),
    ])
  return {
    ...place,
    status: receipt.status,
    headNumber: Number(headNumber),
    finalizedNumber,
    execution: log ? executionOf(log) : null,
    transfer: log ? transferAfter(receipt, log, vault?.tokenAddress ?? asked.tokenAddress) : null,
    directCall,
    policy,
    vault,
    contractAccepts,
  }
}

async function findReceipt(
  client: PublicClient,
  transactionHash: string,
): Promise<TransactionReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash: transactionHash as Hash })
    if (lower(receipt.transactionHash) === transactionHash) return receipt
    throw new Error('The node answered with the receipt of another transaction')
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

async function blockFacts(
  client: PublicClient,
  { blockNumber, blockHash }: TransactionReceipt,
): Promise<BlockFacts> {
  const block = await client.getBlock({ blockNumber })
  return {
    blockNumber: Number(blockNumber),
    blockHash: lower(blockHash),
    canonicalHash: lower(block.hash ?? '0x'),
    timeSeconds: Number(block.timestamp),
  }
}

async function findFinalized(client: PublicClient): Promise<number | null> {
  try {
    const { number } = await client.getBlock({ blockTag: 'finalized' })
    return number === null ? null : Number(number)
  } catch (error) {
    // Nodes of chains without finality reject the tag or return no block for it.
    if (nodeErrorOf(error) || (error as Error).name === 'BlockNotFoundError') return null
    throw error
  }
}

const isOfVault = (log: Log, { vaultAddress }: PaymentQuestion): boolean =>
  lower(log.address) === vaultAddress

function isExecutionOf(log: Log, asked: PaymentQuestion): boolean {
  const event = isOfVault(log, asked) ? decodeVaultEvent(log) : undefined
  return event?.name === 'PaymentExecuted' && event.chainPaymentId === asked.chainPaymentId
}

function executionOf(log: Log): Execution | null {
  const event = decodeVaultEvent(log)
  if (event?.name !== 'PaymentExecuted') return null
  const { name: _name, spentTotal: _spentTotal, ...execution } = event
  return { vaultAddress: lower(log.address), ...execution }
}

/** The vault's reentrancy lock allows no other call between its log and its transfer. */
function transferAfter(
  receipt: TransactionReceipt,
  execution: Log,
  tokenAddress: string,
): TransactionFacts['transfer'] {
  const vault = execution.address
  const next = parseEventLogs({ abi: transferAbi, logs: receipt.logs })
    .filter(({ address }) => lower(address) === tokenAddress)
    .filter(({ logIndex }) => Number(logIndex) > Number(execution.logIndex))
    .find(({ args }) => isAddressEqual(args.from, vault))
  return next ? { to: lower(next.args.to), amount: next.args.value } : null
}

async function findPolicy(
  client: PublicClient,
  asked: PaymentQuestion,
  execution: Log | undefined,
): Promise<PolicyFacts | null> {
  if (asked.policyTransactionHash === null) return null
  const receipt = await findReceipt(client, asked.policyTransactionHash)
  if (receipt?.status !== 'success') return null
  for (const log of receipt.logs) {
    const event = isOfVault(log, asked) ? decodeVaultEvent(log) : undefined
    if (event?.name !== 'PolicyConfigured' || event.version !== asked.policyVersion) continue
    const { version, policy } = event
    const isEarlier = execution !== undefined && comesBefore(log, execution)
    return { ...(await blockFacts(client, receipt)), isEarlier, version, policy }
  }
  return null
}

function comesBefore(one: Log, other: Log): boolean {
  const [block, otherBlock] = [Number(one.blockNumber), Number(other.blockNumber)]
  return (
    block < otherBlock || (block === otherBlock && Number(one.logIndex) < Number(other.logIndex))
  )
}

/** The decoded vault call; null if the executor is a contract and called it indirectly. */
async function findDirectCall(
  client: PublicClient,
  { transactionHash, vaultAddress }: PaymentQuestion,
): Promise<TransactionFacts['directCall']> {
  const transaction = await findTransaction(client, transactionHash)
  if (transaction?.to?.toLowerCase() !== vaultAddress) return null
  try {
    const { functionName, args } = decodeFunctionData({ abi: vaultAbi, data: transaction.input })
    if (functionName !== 'executeApproved' && functionName !== 'executeAutomatic') return null
    return { deadlineSeconds: Number(args[6]), sender: lower(transaction.from) }
  } catch {
    return null
  }
}

async function findTransaction(client: PublicClient, hash: string): Promise<Transaction | null> {
  try {
    return await client.getTransaction({ hash: hash as Hash })
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return null
    throw error
  }
}

async function findVault(
  client: PublicClient,
  { vaultAddress, chainId }: PaymentQuestion,
  blockNumber: number,
): Promise<TransactionFacts['vault']> {
  if (blockNumber < 0) return null
  const address = vaultAddress as Address
  const code = await client.getCode({ address, blockNumber: BigInt(blockNumber) })
  const made = code && constructedFrom(code, { address, chainId })
  if (!made) return null
  return {
    ownerAddress: lower(made.owner),
    tokenAddress: lower(made.token),
    organizationHash: made.organizationHash,
  }
}

/** At the payment's block or the one before: a contract may change its signers in that block. */
async function askContract(
  client: PublicClient,
  { contractSignature }: PaymentQuestion,
  blockNumber: bigint,
): Promise<boolean | null> {
  if (contractSignature === null) return null
  const accepts = (at: bigint) =>
    acceptsSignature(client, { ...contractSignature, blockNumber: at })
  return (await accepts(blockNumber)) || (await accepts(blockNumber - 1n))
}
