/**
 * Reads from one node what happened to one payment, to verify evidence without the service. It
 * compares the code of the vault byte for byte and takes policy, recipient and sums from the logs
 * that this code wrote. It calls getters only of such code: a counterfeit could return anything.
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
} from 'viem'
import { acceptsSignature } from './contract-signature.ts'
import { findPolicy, findProposal, findRecipient, type NamedProposal } from './named-logs.ts'
import { nodeErrorOf } from './node-errors.ts'
import { nodeTransport } from './node-transport.ts'
import { readPeriod } from './period-payments.ts'
import { blockFacts, findReceipt } from './receipts.ts'
import { readVaultBefore, readWaiting } from './vault-before.ts'
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
  const named = await findNamed(client, asked, log)
  const { policy, recipient, proposal } = named
  // The vault's code is read before the first of its logs: otherwise the constructor of another
  // contract could have written them.
  const blocks = [policy, recipient, proposal].map((facts) => facts?.blockNumber ?? Infinity)
  const vaultBlock = Math.min(...blocks, Number(receipt.blockNumber)) - 1
  const [place, headNumber, finalizedNumber, directCall, vault, contractAnswers] =
    await Promise.all([
      blockFacts(client, receipt),
      client.getBlockNumber({ cacheTime: 0 }),
      findFinalized(client),
      findDirectCall(client, asked),
      findVault(client, asked, vaultBlock),
      askContracts(client, asked, receipt.blockNumber),
    ])
  const execution = log ? executionOf(log) : null
  return {
    ...place,
    status: receipt.status,
    headNumber: Number(headNumber),
    finalizedNumber,
    execution: execution?.execution ?? null,
    spentTotal: execution?.spentTotal ?? null,
    transfer: log ? transferAfter(receipt, log, vault?.tokenAddress ?? asked.tokenAddress) : null,
    directCall,
    policy,
    recipient,
    ...(await ownFacts(client, { asked, log, place, vault, ...named })),
    vault,
    contractAnswers,
  }
}

async function findNamed(client: PublicClient, asked: PaymentQuestion, log: Log | undefined) {
  const [policy, recipient] = await Promise.all([
    findPolicy(client, asked, log),
    findRecipient(client, asked, log),
  ])
  const proposal = await findProposal(client, asked, policy?.log)
  return { policy: policy?.facts ?? null, recipient, proposal }
}

type OwnQuestion = {
  asked: PaymentQuestion
  log: Log | undefined
  place: BlockFacts
  vault: TransactionFacts['vault']
  policy: PolicyFacts | null
  proposal: NamedProposal | null
}

/** What only a genuine vault can be asked: its getters, and logs that nobody has named. */
async function ownFacts(
  client: PublicClient,
  { asked, log, place, vault, policy, proposal }: OwnQuestion,
): Promise<Pick<TransactionFacts, 'before' | 'period' | 'proposal'>> {
  const { vaultAddress, recipientAddress, policyVersion, approverAddresses } = asked
  if (!vault) return { before: null, period: null, proposal: null }
  const [before, period, waiting] = await Promise.all([
    log &&
      readVaultBefore(client, {
        execution: log,
        policyVersion,
        recipientAddress,
        asked: [...new Set([...approverAddresses, recipientAddress])],
      }),
    log && policy?.isEarlier && policy.policy.periodSeconds > 0
      ? readPeriod(client, {
          vaultAddress,
          execution: log,
          timeSeconds: place.timeSeconds,
          policy,
        })
      : null,
    policy && proposal
      ? readWaiting(client, { address: vaultAddress, blockNumber: policy.blockNumber - 1 })
      : null,
  ])
  return { before: before ?? null, period, proposal: proposal && { ...proposal, waiting } }
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

function executionOf(log: Log): { execution: Execution; spentTotal: bigint } | null {
  const event = decodeVaultEvent(log)
  if (event?.name !== 'PaymentExecuted') return null
  const { name: _name, spentTotal, ...execution } = event
  return { execution: { vaultAddress: lower(log.address), ...execution }, spentTotal }
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
    changeDelaySeconds: made.changeDelaySeconds,
  }
}

/** At the payment's block or the one before: a contract may change its signers in that block. */
const askContracts = (
  client: PublicClient,
  { contractSignatures }: PaymentQuestion,
  blockNumber: bigint,
): Promise<TransactionFacts['contractAnswers']> =>
  Promise.all(
    contractSignatures.map(async (signature) => {
      const accepts = (at: bigint) => acceptsSignature(client, { ...signature, blockNumber: at })
      const isAccepted = (await accepts(blockNumber)) || (await accepts(blockNumber - 1n))
      return { address: signature.address, accepts: isAccepted }
    }),
  )
