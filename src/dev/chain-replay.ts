/** Replays the journal into the engine. */
import { type Hex, toHex } from 'viem'
import { type Call, RpcError } from './chain-engine.ts'
import { brokenJournal, type Entry } from './chain-journal.ts'
import { readHead, readPool } from './chain-miner.ts'
import type { ChainState } from './chain-state.ts'

const chunkSize = 200

export async function replay(chain: ChainState, { folder }: { folder: string }): Promise<void> {
  const entries = chain.journal.entries.splice(0)
  for (let from = 0; from < entries.length; from += chunkSize) {
    const chunk = entries.slice(from, from + chunkSize)
    const results = await replayChunk(chain, { chunk, folder, line: from + 2 })
    for (const [index, entry] of chunk.entries()) {
      if ('block' in entry) chain.newestTimestamp = Math.max(chain.newestTimestamp, entry.at)
      if (!('tx' in entry)) continue
      const hash = results[index] as Hex
      if (entry.name !== undefined) chain.names.set(entry.name, hash)
    }
  }
  await readHead(chain)
  // Every block contains its parent's hash, so the last hash verifies all of them.
  const last = entries.findLast((entry) => 'hash' in entry)
  if (last !== undefined && last.hash !== chain.head.hash) {
    const why = `block ${chain.head.number} should have the hash ${last.hash}`
    throw brokenJournal({ folder, why })
  }
  await readPool(chain)
}

async function replayChunk(
  chain: ChainState,
  { chunk, folder, line }: { chunk: Entry[]; folder: string; line: number },
): Promise<unknown[]> {
  try {
    return await chain.engine.batch(chunk.map(toCall))
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const why = `an entry from line ${line} on is rejected: ${error.message.replace(/\.$/, '')}`
    throw brokenJournal({ folder, why })
  }
}

function toCall(entry: Entry): Call {
  if ('tx' in entry) return { method: 'eth_sendRawTransaction', params: [entry.tx] }
  if ('drop' in entry) return { method: 'hardhat_dropTransaction', params: [entry.drop] }
  if ('call' in entry) return { method: entry.call, params: entry.params }
  return { method: 'evm_mine', params: [toHex(entry.at)] }
}
