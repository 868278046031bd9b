/** Reads blocks for the follower, and checks that what it has read belongs to one chain. */
import type { Chain, ChainBlock, VaultLog } from '#ports/chain.ts'

/** How deep a reorganisation may be before a person must intervene. Older blocks are final. */
export const REMEMBERED_BLOCKS = 256
/** Concurrent block requests per node. */
const CONCURRENT_REQUESTS = 32

export const isConnected = (blocks: readonly ChainBlock[]): boolean =>
  blocks.every((block, index) => index === 0 || block.parentHash === blocks[index - 1]?.hash)

export const isCanonical = async (
  chain: Chain,
  { number, hash }: Pick<ChainBlock, 'number' | 'hash'>,
): Promise<boolean> => (await chain.findBlock(number))?.hash === hash

/** The last block of the range, and the blocks before it that a reorganisation may replace. */
export async function recentBlocks(
  chain: Chain,
  { fromBlock, toBlock, head }: { fromBlock: number; toBlock: number; head: ChainBlock },
): Promise<ChainBlock[]> {
  const first = Math.max(fromBlock, Math.min(toBlock, head.number - REMEMBERED_BLOCKS))
  const numbers = Array.from({ length: toBlock - first + 1 }, (_, index) => first + index)
  return findBlocks(numbers, async (n) => (n === head.number ? head : chain.findBlock(n)))
}

export type Blocks = Map<number, ChainBlock>

/** The blocks of the logs; undefined when a log belongs to a replaced block. */
export async function blocksOf(
  chain: Chain,
  logs: readonly VaultLog[],
  known: readonly ChainBlock[] = [],
): Promise<Blocks | undefined> {
  const blocks: Blocks = new Map(known.map((block) => [block.number, block]))
  const unknown = logs.map(({ blockNumber }) => blockNumber).filter((n) => !blocks.has(n))
  const found = await findBlocks([...new Set(unknown)], (n) => chain.findBlock(n))
  for (const block of found) blocks.set(block.number, block)
  const isOurs = logs.every((log) => blocks.get(log.blockNumber)?.hash === log.blockHash)
  return isOurs ? blocks : undefined
}

/** Those that exist. */
async function findBlocks(
  numbers: readonly number[],
  find: (number: number) => Promise<ChainBlock | undefined>,
): Promise<ChainBlock[]> {
  const blocks: (ChainBlock | undefined)[] = []
  for (let at = 0; at < numbers.length; at += CONCURRENT_REQUESTS) {
    blocks.push(...(await Promise.all(numbers.slice(at, at + CONCURRENT_REQUESTS).map(find))))
  }
  return blocks.filter((block) => block !== undefined)
}
