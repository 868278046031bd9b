/**
 * Finds the transaction of a payment by the vault's log, searching backwards from a block, and
 * reads all logs of a range. Both ask for all blocks at once if the node allows it, and for shorter
 * ranges otherwise. A search that hits its limit throws, and the next one continues where it
 * stopped.
 */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, getAbiItem, type Hash, type PublicClient } from 'viem'
import { isTimeout, nodeErrorOf } from './node-errors.ts'

const RANGE_BLOCKS = 10_000
const RANGE_BLOCKS_MIN = 10
const SEARCHES_MAX = 50

const paymentEvent = getAbiItem({ abi: vaultAbi, name: 'PaymentExecuted' })
const policyEvent = getAbiItem({ abi: vaultAbi, name: 'PolicyConfigured' })

type LogQuery = { vaultAddress: string; chainPaymentId: string; blockNumber: number }
type Range = { fromBlock: number; toBlock: number }
export type BlockRange = { fromBlock: bigint; toBlock: bigint }

/** Reads the matching logs of a block range. */
type ReadLogs = (range: BlockRange) => Promise<readonly { transactionHash: Hash }[]>

/** Transaction hashes in chain order. Rejects until every block has been searched. */
export type LogSearch = (query: LogQuery) => Promise<string[]>

export function createLogSearch(client: PublicClient): LogSearch {
  /** The highest block not searched yet, by payment: a payment id is logged only once. */
  const unsearched = new Map<string, number>()
  return (query) => {
    const read: ReadLogs = (range) =>
      client.getLogs({
        address: query.vaultAddress as Address,
        event: paymentEvent,
        args: { paymentId: query.chainPaymentId as Hash },
        ...range,
      })
    const key = `${query.vaultAddress}:${query.chainPaymentId}`
    return searchBackwards(read, { key, blockNumber: query.blockNumber, unsearched })
  }
}

/** The transactions in which a vault logged the given policy version. */
export function findPolicyTransactions(
  client: PublicClient,
  query: { vaultAddress: string; version: bigint; blockNumber: number },
): Promise<string[]> {
  const read: ReadLogs = (range) =>
    client.getLogs({
      address: query.vaultAddress as Address,
      event: policyEvent,
      args: { version: query.version },
      ...range,
    })
  const { blockNumber } = query
  return searchBackwards(read, { key: '', blockNumber, unsearched: new Map() })
}

async function searchBackwards(
  read: ReadLogs,
  { key, blockNumber, unsearched }: Progress,
): Promise<string[]> {
  let toBlock = Math.min(blockNumber, unsearched.get(key) ?? blockNumber)
  let length = toBlock + 1
  for (let searches = 0; searches < SEARCHES_MAX; searches += 1) {
    const fromBlock = Math.max(0, toBlock - length + 1)
    const hashes = await searchRange(read, { fromBlock, toBlock })
    if (hashes === undefined) {
      length = shorter(length)
    } else if (hashes.length > 0 || fromBlock === 0) {
      unsearched.delete(key)
      return hashes
    } else {
      toBlock = fromBlock - 1
      unsearched.set(key, toBlock)
    }
  }
  throw new Error(`The node searches short ranges only; blocks up to ${toBlock} are left`)
}

type Progress = { key: string; blockNumber: number; unsearched: Map<string, number> }

function shorter(length: number): number {
  if (length <= RANGE_BLOCKS_MIN) throw new Error('The node does not search its logs')
  return Math.min(RANGE_BLOCKS, Math.max(RANGE_BLOCKS_MIN, Math.floor(length / 10)))
}

/** Every log of a range in chain order: all blocks at once if the node allows it, or in parts. */
export async function readRange<Found>(
  { fromBlock, toBlock }: Range,
  read: (range: BlockRange) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = []
  let first = fromBlock
  let length = toBlock - fromBlock + 1
  while (first <= toBlock) {
    const last = Math.min(toBlock, first + length - 1)
    try {
      found.push(...(await read({ fromBlock: BigInt(first), toBlock: BigInt(last) })))
      first = last + 1
    } catch (error) {
      const isRefused = nodeErrorOf(error) !== undefined || isTimeout(error)
      if (!isRefused || length <= RANGE_BLOCKS_MIN) throw error
      length = shorter(length)
    }
  }
  return found
}

/** Undefined if the node refuses the range or times out on a long one. */
async function searchRange(
  read: ReadLogs,
  { fromBlock, toBlock }: Range,
): Promise<string[] | undefined> {
  try {
    const logs = await read({ fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock) })
    return [...new Set(logs.map(({ transactionHash }) => transactionHash.toLowerCase()))]
  } catch (error) {
    const isLong = toBlock - fromBlock >= RANGE_BLOCKS
    if (nodeErrorOf(error) || (isLong && isTimeout(error))) return undefined
    throw error
  }
}
