/**
 * Reads that go by one final block. Those that begin together share one look at the block before
 * them and one after the last of them: between two looks at the same block, what was read is of
 * one chain, and so is every older block that was looked at in between.
 */
import type { PublicClient } from 'viem'

type HashAt = (blockNumber: number) => Promise<string>

type Group = {
  before: Promise<string>
  after: PromiseWithResolvers<string>
  /** Of older blocks, once for all. */
  older: Map<number, Promise<string>>
  underWay: number
}

export type FinalizedBlocks = <T>(
  blockNumber: number,
  read: (olderHash: HashAt) => Promise<T>,
) => Promise<T>

export async function blockHashAt(client: PublicClient, blockNumber: number): Promise<string> {
  const { hash } = await client.getBlock({ blockNumber: BigInt(blockNumber) })
  if (hash === null) throw new Error(`The node does not have block ${blockNumber}`)
  return hash.toLowerCase()
}

export function createFinalizedBlocks(client: PublicClient): FinalizedBlocks {
  /** Only until the first look is answered: whoever comes later would keep the others waiting. */
  const gathering = new Map<number, Group>()

  function begin(blockNumber: number): Group {
    const before = blockHashAt(client, blockNumber)
    const after = Promise.withResolvers<string>()
    // Those whose own read has failed do not wait for it.
    after.promise.catch(() => {})
    const group: Group = { before, after, older: new Map(), underWay: 0 }
    gathering.set(blockNumber, group)
    const close = () => gathering.delete(blockNumber)
    before.then(close, close)
    return group
  }
  const olderHashIn =
    ({ older }: Group): HashAt =>
    (blockNumber) => {
      const asked = older.get(blockNumber) ?? blockHashAt(client, blockNumber)
      older.set(blockNumber, asked)
      return asked
    }

  return async (blockNumber, read) => {
    const group = gathering.get(blockNumber) ?? begin(blockNumber)
    group.underWay += 1
    const end = () => {
      group.underWay -= 1
      if (group.underWay > 0) return
      blockHashAt(client, blockNumber).then(group.after.resolve, group.after.reject)
    }
    const before = await group.before
    const result = await read(olderHashIn(group)).finally(end)
    if ((await group.after.promise) === before) return result
    throw new Error(`Block ${blockNumber} was replaced while the node was asked about it`)
  }
}
