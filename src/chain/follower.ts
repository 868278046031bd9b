/**
 * Follows the chain block by block. Each step is one transaction under one lock: logs, their
 * effects in other modules, block hashes and the position commit together, so the database always
 * equals a replay of the chain up to its position. Nothing else writes data from the chain.
 */
import type { Context } from '#context.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Chain, ChainBlock, VaultLog } from '#ports/chain.ts'
import {
  type ChainPosition,
  deleteAbove,
  deleteBlocksBelow,
  findPosition,
  insertBlocks,
  insertLogs,
  listRecentBlocks,
  listWatches,
  lockFollower,
  markCaughtUp,
  reopenWatches,
  savePosition,
  type Watch,
} from './chain.store.ts'
import type { LogHandlers } from './log-handlers.ts'

type FollowerContext = Pick<Context, 'db' | 'chain' | 'clock' | 'log'>

const SAVE_IDLE_EVERY_SECONDS = 5
/** Blocks per request when far behind; a node may accept fewer. */
export const RANGE_MAX = 500
/** Nodes prune the balances of older blocks. */
const CATCH_UP_WITHIN_BLOCKS = 64
/** Concurrent block requests per node. */
const CONCURRENT_REQUESTS = 32
/** How deep a reorganisation may be before a person must intervene. */
export const REMEMBERED_BLOCKS = 256

/** `moved`: there may be more to do. `busy`: a concurrent change interfered; retry soon. */
export type StepOutcome = 'idle' | 'moved' | 'busy'

/** What a step was based on. It commits only if this is unchanged. */
type StepBasis = { position: ChainPosition; watches: Watch[] }

export async function followStep(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { range = RANGE_MAX } = {},
): Promise<StepOutcome> {
  const head = await ctx.chain.latestBlock()
  const [position, watches] = await ctx.db.read({}, (reader) =>
    Promise.all([findPosition(reader), listWatches(reader)]),
  )
  if (!position) return begin(ctx, head)
  const basis = { position, watches }
  const ancestor = await commonAncestor(ctx, { position, head })
  if (ancestor !== undefined) return rollBack(ctx, handlers, { basis, to: ancestor })
  const behind = head.number - position.number
  const newWatch = basis.watches.find(({ caughtUp }) => !caughtUp)
  if (newWatch && behind >= 0 && behind <= CATCH_UP_WITHIN_BLOCKS) {
    return catchUp(ctx, handlers, { basis, watch: newWatch, range })
  }
  if (behind <= 0) return rest(ctx, basis, head)
  return advance(ctx, handlers, { basis, head, range })
}

/**
 * Nothing is new. Saves the position from time to time, so that readers can tell this from a
 * stalled follower.
 */
async function rest(
  ctx: FollowerContext,
  basis: StepBasis,
  head: ChainBlock,
): Promise<StepOutcome> {
  const { position } = basis
  const now = ctx.clock.now()
  if (position.seenAt > addSeconds(now, -SAVE_IDLE_EVERY_SECONDS).toISOString()) return 'idle'
  if (head.hash === position.hash) await write(ctx, basis, (tx) => savePosition(tx, head, now))
  return 'idle'
}

/**
 * One writer at a time, and only from the position it read, so a concurrent step changes nothing.
 */
async function write(
  ctx: FollowerContext,
  basis: StepBasis | undefined,
  work: (tx: Tx) => void | Promise<void>,
): Promise<StepOutcome> {
  return ctx.db.transaction({}, async (tx) => {
    // Sent together and run in this order: what is read was committed before the lock was free.
    const [isLocked, now, watches] = await Promise.all([
      lockFollower(tx),
      findPosition(tx),
      listWatches(tx),
    ])
    if (!isLocked) return 'busy'
    if (now?.number !== basis?.position.number || now?.hash !== basis?.position.hash) return 'busy'
    // A vault that another follower opened in the meantime would miss the logs of this step.
    const isSame = !basis || JSON.stringify(watches) === JSON.stringify(basis.watches)
    if (!isSame) return 'busy'
    await work(tx)
    return 'moved'
  })
}

/** No vault exists when the service first sees the chain, so nothing earlier is missed. */
async function begin(ctx: FollowerContext, head: ChainBlock): Promise<StepOutcome> {
  const fromBlock = Math.max(0, head.number - REMEMBERED_BLOCKS)
  const recent = await recentBlocks(ctx.chain, { fromBlock, toBlock: head.number, head })
  if (recent.at(-1)?.hash !== head.hash || !isConnected(recent)) return 'busy'
  return write(ctx, undefined, async (tx) => {
    insertBlocks(tx, recent)
    savePosition(tx, head, ctx.clock.now())
  })
}

/**
 * Undefined while no known block was replaced. A missing block proves nothing, because the node may
 * be behind.
 */
async function commonAncestor(
  ctx: FollowerContext,
  { position, head }: { position: ChainPosition; head: ChainBlock },
): Promise<ChainBlock | undefined> {
  // Usually the head is the block at the position, or the one after it.
  if (head.number === position.number && head.hash === position.hash) return undefined
  if (head.number === position.number + 1 && head.parentHash === position.hash) return undefined
  if (head.number >= position.number && (await isCanonical(ctx.chain, position))) return undefined
  let isReplaced = false
  for (const known of await listRecentBlocks(ctx.db)) {
    if (known.number > head.number) continue
    const canonical = await ctx.chain.findBlock(known.number)
    if (canonical?.hash === known.hash) return isReplaced ? known : undefined
    if (canonical) isReplaced = true
  }
  throw new Error(
    `The reorganisation is deeper than ${REMEMBERED_BLOCKS} blocks, or this is another chain`,
  )
}

const isCanonical = async (
  chain: Chain,
  { number, hash }: Pick<ChainBlock, 'number' | 'hash'>,
): Promise<boolean> => (await chain.findBlock(number))?.hash === hash

async function rollBack(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { basis, to }: { basis: StepBasis; to: ChainBlock },
): Promise<StepOutcome> {
  ctx.log.warn({ from: basis.position.number, to: to.number }, 'the chain was reorganised')
  return write(ctx, basis, async (tx) => {
    const touched = await deleteAbove(tx, to.number)
    const reopened = await reopenWatches(tx, to.number + 1)
    const vaultAddresses = [...new Set([...touched, ...reopened])]
    await handlers.rollBack(tx, { toBlock: to.number, vaultAddresses })
    savePosition(tx, to, ctx.clock.now())
  })
}

/** Reads the history of a newly watched vault up to the follower's position. */
async function catchUp(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { basis, watch, range }: { basis: StepBasis; watch: Watch; range: number },
): Promise<StepOutcome> {
  const { position } = basis
  const logs: VaultLog[] = []
  for (let from = watch.fromBlock; from <= position.number; from += range) {
    const toBlock = Math.min(from + range - 1, position.number)
    const vaultAddresses = [watch.address]
    logs.push(...(await ctx.chain.listLogs({ fromBlock: from, toBlock, vaultAddresses })))
  }
  const blocks = await blocksOf(ctx.chain, logs)
  const { address } = watch
  const balance = await ctx.chain.tokenBalance({ address, blockNumber: position.number })
  // The logs and the balance match only if the block at the position did not change between them.
  if (!blocks || !(await isCanonical(ctx.chain, position))) return 'busy'
  const openingBalance = balance - sumOf(logs)
  return write(ctx, basis, async (tx) => {
    await handlers.open(tx, { vaultAddress: address, openingBalance })
    await applyLogs(tx, handlers, { logs, blocks })
    markCaughtUp(tx, { address, openingBalance })
  })
}

const sumOf = (logs: readonly VaultLog[]): bigint =>
  logs.reduce((sum, { event }) => {
    if (event.name === 'TokenReceived') return sum + event.amount
    return event.name === 'TokenSent' ? sum - event.amount : sum
  }, 0n)

async function advance(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { basis, head, range }: { basis: StepBasis; head: ChainBlock; range: number },
): Promise<StepOutcome> {
  const { chain } = ctx
  const { position, watches } = basis
  const fromBlock = position.number + 1
  const toBlock = Math.min(position.number + range, head.number)
  const recent = await recentBlocks(chain, { fromBlock, toBlock, head })
  const [first, last] = [recent[0], recent.at(-1)]
  if (!first || last?.number !== toBlock || !isConnected(recent)) return 'busy'
  const vaultAddresses = watches.filter(({ caughtUp }) => caughtUp).map(({ address }) => address)
  const logs =
    vaultAddresses.length === 0
      ? []
      : await chain.listLogs({ fromBlock, toBlock, vaultAddresses, known: recent })
  const blocks = await blocksOf(chain, logs, recent)
  // If the last block is still canonical after reading, everything read belongs to our chain.
  const isOurs =
    first.number === fromBlock
      ? first.parentHash === position.hash
      : await isCanonical(chain, position)
  if (!blocks || !isOurs || !(await isCanonical(chain, last))) return 'busy'
  const outcome = await write(ctx, basis, async (tx) => {
    await applyLogs(tx, handlers, { logs, blocks })
    insertBlocks(tx, recent)
    deleteBlocksBelow(tx, last.number - REMEMBERED_BLOCKS)
    savePosition(tx, last, ctx.clock.now())
  })
  const isDone = last.number === head.number && watches.every(({ caughtUp }) => caughtUp)
  return outcome === 'moved' && isDone ? 'idle' : outcome
}

const isConnected = (blocks: readonly ChainBlock[]): boolean =>
  blocks.every((block, index) => index === 0 || block.parentHash === blocks[index - 1]?.hash)

/** The last block of the range, and the blocks before it that a reorganisation may replace. */
async function recentBlocks(
  chain: Chain,
  { fromBlock, toBlock, head }: { fromBlock: number; toBlock: number; head: ChainBlock },
): Promise<ChainBlock[]> {
  const first = Math.max(fromBlock, Math.min(toBlock, head.number - REMEMBERED_BLOCKS))
  const blocks: (ChainBlock | undefined)[] = []
  for (let at = first; at <= toBlock; at += CONCURRENT_REQUESTS) {
    const length = Math.min(CONCURRENT_REQUESTS, toBlock - at + 1)
    const numbers = Array.from({ length }, (_, index) => at + index)
    const found = numbers.map((n) => (n === head.number ? head : chain.findBlock(n)))
    blocks.push(...(await Promise.all(found)))
  }
  return blocks.filter((block) => block !== undefined)
}

type Blocks = Map<number, ChainBlock>

/** The blocks of the logs; undefined when a log belongs to a replaced block. */
async function blocksOf(
  chain: Chain,
  logs: readonly VaultLog[],
  known: readonly ChainBlock[] = [],
): Promise<Blocks | undefined> {
  const blocks: Blocks = new Map(known.map((block) => [block.number, block]))
  for (const { blockNumber, blockHash } of logs) {
    const block = blocks.get(blockNumber) ?? (await chain.findBlock(blockNumber))
    if (block?.hash !== blockHash) return undefined
    blocks.set(blockNumber, block)
  }
  return blocks
}

async function applyLogs(
  tx: Tx,
  handlers: LogHandlers,
  { logs, blocks }: { logs: readonly VaultLog[]; blocks: Blocks },
): Promise<void> {
  const timed = logs.map((log) => {
    return { log, timeSeconds: blocks.get(log.blockNumber)?.timeSeconds ?? 0 }
  })
  if (timed.length > 0) insertLogs(tx, timed)
  await handlers.apply(tx, timed)
}
