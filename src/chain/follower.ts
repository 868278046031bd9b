/**
 * Follows the chain block by block. Each step is one transaction under one lock: logs, what the
 * rooms make of them, block hashes and the position commit together, so that the database always
 * equals a replay of the chain up to its position. Nothing else writes what comes from the chain.
 */
import type { Context } from '#context.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Chain, ChainBlock, VaultLog } from '#ports/chain.ts'
import {
  deleteAbove,
  deleteBlocksBelow,
  findPosition,
  insertBlocks,
  insertLogs,
  listRecentBlocks,
  listWatches,
  lockFollower,
  markCaughtUp,
  type Position,
  reopenWatches,
  savePosition,
  type Watch,
} from './chain.store.ts'
import type { LogHandlers } from './log-handlers.ts'

type FollowerContext = Pick<Context, 'db' | 'chain' | 'clock' | 'log'>

const NOTED_EVERY_SECONDS = 5
/** Blocks read at once when far behind; a node may take fewer. */
export const RANGE_MAX = 500
/** Nodes forget the balances of older blocks. */
const NEAR_THE_HEAD = 64
/** Blocks a node is asked for at the same time. */
const AT_ONCE = 32
/** How far back a reorganisation may reach before a person has to look. */
export const REMEMBERED_BLOCKS = 256

/** `moved`: there may be more to do at once. `busy`: something came between; look again soon. */
export type StepOutcome = 'idle' | 'moved' | 'busy'

/** What a step goes by; it writes only while this is still so. */
type Seen = { position: Position; watches: Watch[] }

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
  const seen = { position, watches }
  const ancestor = await commonAncestor(ctx, { position, head })
  if (ancestor !== undefined) return rollBack(ctx, handlers, { seen, to: ancestor })
  const behind = head.number - position.number
  const late = seen.watches.find(({ caughtUp }) => !caughtUp)
  if (late && behind >= 0 && behind <= NEAR_THE_HEAD) {
    return catchUp(ctx, handlers, { seen, watch: late, range })
  }
  if (behind <= 0) return rest(ctx, seen, head)
  return advance(ctx, handlers, { seen, head, range })
}

/** Nothing is new: now and then that is noted, so that readers can tell it from silence. */
async function rest(ctx: FollowerContext, seen: Seen, head: ChainBlock): Promise<StepOutcome> {
  const { position } = seen
  const now = ctx.clock.now()
  if (position.seenAt > addSeconds(now, -NOTED_EVERY_SECONDS).toISOString()) return 'idle'
  if (head.hash === position.hash) await write(ctx, seen, (tx) => savePosition(tx, head, now))
  return 'idle'
}

/** One writer at a time, and only from where it looked: a step that raced changes nothing. */
async function write(
  ctx: FollowerContext,
  seen: Seen | undefined,
  work: (tx: Tx) => Promise<void>,
): Promise<StepOutcome> {
  return ctx.db.transaction({}, async (tx) => {
    if (!(await lockFollower(tx))) return 'busy'
    const now = await findPosition(tx)
    if (now?.number !== seen?.position.number || now?.hash !== seen?.position.hash) return 'busy'
    // A vault that another follower has opened meanwhile would miss the logs of this step.
    const isSame = !seen || JSON.stringify(await listWatches(tx)) === JSON.stringify(seen.watches)
    if (!isSame) return 'busy'
    await work(tx)
    return 'moved'
  })
}

/** No vault exists yet when the service first sees the chain, so nothing before now is missed. */
async function begin(ctx: FollowerContext, head: ChainBlock): Promise<StepOutcome> {
  const fromBlock = Math.max(0, head.number - REMEMBERED_BLOCKS)
  const recent = await recentBlocks(ctx.chain, { fromBlock, toBlock: head.number, head })
  if (recent.at(-1)?.hash !== head.hash || !isConnected(recent)) return 'busy'
  return write(ctx, undefined, async (tx) => {
    await insertBlocks(tx, recent)
    await savePosition(tx, head, ctx.clock.now())
  })
}

/**
 * Undefined while no block we know was replaced. A block that is not there is no evidence of that:
 * the node may be behind.
 */
async function commonAncestor(
  ctx: FollowerContext,
  { position, head }: { position: Position; head: ChainBlock },
): Promise<ChainBlock | undefined> {
  // At rest the head itself is the block that is looked for.
  if (head.number === position.number && head.hash === position.hash) return undefined
  if (head.number >= position.number && (await isThere(ctx.chain, position))) return undefined
  let isReplaced = false
  for (const known of await listRecentBlocks(ctx.db)) {
    if (known.number > head.number) continue
    const canonical = await ctx.chain.findBlock(known.number)
    if (canonical?.hash === known.hash) return isReplaced ? known : undefined
    if (canonical) isReplaced = true
  }
  throw new Error(
    `The chain was reorganised deeper than ${REMEMBERED_BLOCKS} blocks, or it is another chain`,
  )
}

const isThere = async (
  chain: Chain,
  { number, hash }: Pick<ChainBlock, 'number' | 'hash'>,
): Promise<boolean> => (await chain.findBlock(number))?.hash === hash

async function rollBack(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { seen, to }: { seen: Seen; to: ChainBlock },
): Promise<StepOutcome> {
  ctx.log.warn({ from: seen.position.number, to: to.number }, 'the chain was reorganised')
  return write(ctx, seen, async (tx) => {
    const touched = await deleteAbove(tx, to.number)
    const reopened = await reopenWatches(tx, to.number + 1)
    const vaultAddresses = [...new Set([...touched, ...reopened])]
    await handlers.rollBack(tx, { toBlock: to.number, vaultAddresses })
    await savePosition(tx, to, ctx.clock.now())
  })
}

/** Reads what a vault did before it was watched, up to where the others stand. */
async function catchUp(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { seen, watch, range }: { seen: Seen; watch: Watch; range: number },
): Promise<StepOutcome> {
  const { position } = seen
  const logs: VaultLog[] = []
  for (let from = watch.fromBlock; from <= position.number; from += range) {
    const toBlock = Math.min(from + range - 1, position.number)
    const vaultAddresses = [watch.address]
    logs.push(...(await ctx.chain.listLogs({ fromBlock: from, toBlock, vaultAddresses })))
  }
  const blocks = await blocksOf(ctx.chain, logs)
  const { address } = watch
  const balance = await ctx.chain.tokenBalance({ address, blockNumber: position.number })
  // The logs and the balance belong together only if the chain stood still between them.
  if (!blocks || !(await isThere(ctx.chain, position))) return 'busy'
  const openingBalance = balance - sumOf(logs)
  return write(ctx, seen, async (tx) => {
    await handlers.open(tx, { vaultAddress: address, openingBalance })
    await applyLogs(tx, handlers, { logs, blocks })
    await markCaughtUp(tx, { address, openingBalance })
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
  { seen, head, range }: { seen: Seen; head: ChainBlock; range: number },
): Promise<StepOutcome> {
  const { chain } = ctx
  const { position, watches } = seen
  const fromBlock = position.number + 1
  const toBlock = Math.min(position.number + range, head.number)
  const recent = await recentBlocks(chain, { fromBlock, toBlock, head })
  const [first, last] = [recent[0], recent.at(-1)]
  if (!first || last?.number !== toBlock || !isConnected(recent)) return 'busy'
  const vaultAddresses = watches.filter(({ caughtUp }) => caughtUp).map(({ address }) => address)
  const logs =
    vaultAddresses.length === 0 ? [] : await chain.listLogs({ fromBlock, toBlock, vaultAddresses })
  const blocks = await blocksOf(chain, logs, recent)
  // Between two looks at the same last block, what was read is of one chain: ours.
  const isOurs =
    first.number === fromBlock ? first.parentHash === position.hash : await isThere(chain, position)
  if (!blocks || !isOurs || !(await isThere(chain, last))) return 'busy'
  return write(ctx, seen, async (tx) => {
    await applyLogs(tx, handlers, { logs, blocks })
    await insertBlocks(tx, recent)
    await deleteBlocksBelow(tx, last.number - REMEMBERED_BLOCKS)
    await savePosition(tx, last, ctx.clock.now())
  })
}

const isConnected = (blocks: readonly ChainBlock[]): boolean =>
  blocks.every((block, index) => index === 0 || block.parentHash === blocks[index - 1]?.hash)

/** The last block of the range, and before it those that a reorganisation of the head may reach. */
async function recentBlocks(
  chain: Chain,
  { fromBlock, toBlock, head }: { fromBlock: number; toBlock: number; head: ChainBlock },
): Promise<ChainBlock[]> {
  const first = Math.max(fromBlock, Math.min(toBlock, head.number - REMEMBERED_BLOCKS))
  const blocks: (ChainBlock | undefined)[] = []
  for (let at = first; at <= toBlock; at += AT_ONCE) {
    const length = Math.min(AT_ONCE, toBlock - at + 1)
    const numbers = Array.from({ length }, (_, index) => at + index)
    blocks.push(...(await Promise.all(numbers.map((number) => chain.findBlock(number)))))
  }
  return blocks.filter((block) => block !== undefined)
}

type Blocks = Map<number, ChainBlock>

/** The blocks of the logs; undefined when a log is of a block that is no longer there. */
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
  if (timed.length > 0) await insertLogs(tx, timed)
  await handlers.apply(tx, timed)
}
