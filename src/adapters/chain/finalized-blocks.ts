/**
 * Reads at a final block that detect a reorganisation. The block's hash is read before and after;
 * if both are equal, everything read in between belongs to one chain. Concurrent reads at the same
 * block share these two requests and the hashes of older blocks.
 */
import type { PublicClient } from 'viem'

type HashAt = (blockNumber: number) => Promise<string>

type ReadGroup = {
  before: Promise<string>
  after: PromiseWithResolvers<string>
  olderHashes: Map<number, Promise<string>>
  inProgress: number
}

export type FinalizedBlocks = {
  /** Rejects if the block is replaced during `read`. `hashAt` reads the hash of an older block. */
  readAt<T>(blockNumber: number, read: (hashAt: HashAt) => Promise<T>): Promise<T>
}

export async function blockHashAt(client: PublicClient, blockNumber: number): Promise<string> {
  const { hash } = await client.getBlock({ blockNumber: BigInt(blockNumber) })
  if (hash === null) throw new Error(`The node does not have block ${blockNumber}`)
  return hash.toLowerCase()
}

export function createFinalizedBlocks(client: PublicClient): FinalizedBlocks {
  /** Groups whose first hash is still being read. A later read would delay the whole group. */
  const openGroups = new Map<number, ReadGroup>()

  function openGroup(blockNumber: number): ReadGroup {
    const before = blockHashAt(client, blockNumber)
    const after = Promise.withResolvers<string>()
    // Prevents an unhandled rejection if every read of the group has failed.
    after.promise.catch(() => {})
    const group: ReadGroup = { before, after, olderHashes: new Map(), inProgress: 0 }
    openGroups.set(blockNumber, group)
    const close = () => openGroups.delete(blockNumber)
    before.then(close, close)
    return group
  }
  const hashAtIn =
    ({ olderHashes }: ReadGroup): HashAt =>
    (blockNumber) => {
      const hash = olderHashes.get(blockNumber) ?? blockHashAt(client, blockNumber)
      olderHashes.set(blockNumber, hash)
      return hash
    }

  return {
    async readAt(blockNumber, read) {
      const group = openGroups.get(blockNumber) ?? openGroup(blockNumber)
      group.inProgress += 1
      const end = () => {
        group.inProgress -= 1
        if (group.inProgress > 0) return
        blockHashAt(client, blockNumber).then(group.after.resolve, group.after.reject)
      }
      const before = await group.before
      const result = await read(hashAtIn(group)).finally(end)
      if ((await group.after.promise) === before) return result
      throw new Error(`Block ${blockNumber} was replaced while the node was asked about it`)
    },
  }
}
