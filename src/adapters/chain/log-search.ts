/**
 * Finds the transaction of a payment by the vault's log, backwards from a block. All blocks at once
 * where the node allows it, else in ranges as long as it does; what one look cannot search through
 * the next one goes on with.
 */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, getAbiItem, type Hash, type PublicClient } from 'viem'
import { isTimeout, nodeErrorOf } from './node-errors.ts'

const RANGE_BLOCKS = 10_000
const RANGE_BLOCKS_MIN = 10
const SEARCHES_MAX = 50

const paymentEvent = getAbiItem({ abi: vaultAbi, name: 'PaymentExecuted' })
const policyEvent = getAbiItem({ abi: vaultAbi, name: 'PolicyConfigured' })

type Asked = { vaultAddress: string; chainPaymentId: string; blockNumber: number }
type Range = { fromBlock: number; toBlock: number }
type BlockRange = { fromBlock: bigint; toBlock: bigint }

/** Every log of one kind in the range. */
type ReadLogs = (range: BlockRange) => Promise<readonly { transactionHash: Hash }[]>

/** The hashes in the order of the chain; rejects while it has not seen every block. */
export type LogSearch = (asked: Asked) => Promise<string[]>

export function createLogSearch(client: PublicClient): LogSearch {
  /** The last block that is left: an id is in one log only, so none is searched twice in vain. */
  const unsearched = new Map<string, number>()
  return (asked) => {
    const read: ReadLogs = (range) =>
      client.getLogs({
        address: asked.vaultAddress as Address,
        event: paymentEvent,
        args: { paymentId: asked.chainPaymentId as Hash },
        ...range,
      })
    const key = `${asked.vaultAddress}:${asked.chainPaymentId}`
    return searchBackwards(read, { key, blockNumber: asked.blockNumber, unsearched })
  }
}

/** The transactions in which a vault logged the policy of a version. */
export function findPolicyTransactions(
  client: PublicClient,
  asked: { vaultAddress: string; version: bigint; blockNumber: number },
): Promise<string[]> {
  const read: ReadLogs = (range) =>
    client.getLogs({
      address: asked.vaultAddress as Address,
      event: policyEvent,
      args: { version: asked.version },
      ...range,
    })
  const { blockNumber } = asked
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

/** Undefined when the node refuses so long a range, or does not manage it in time. */
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
