/**
 * Follows the chain block by block. Each advance and each rollback is one transaction under one
 * lock: logs, their effects in other modules, block hashes and the position commit together, so the
 * database always equals a replay of the chain up to its position, except for vaults whose history
 * is still being read (`catch-up.ts`). Nothing else writes data from the chain.
 */
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { ChainBlock } from '#ports/chain.ts'
import { blocksOf, isCanonical, isConnected, REMEMBERED_BLOCKS, recentBlocks } from './blocks.ts'
import { catchUp } from './catch-up.ts'
import {
  type ChainPosition,
  deleteAbove,
  deleteBlocksBelow,
  findPosition,
  insertBlocks,
  listRecentBlocks,
  listWatches,
  lockFollower,
  rewindWatches,
  savePosition,
  type Watch,
} from './chain.store.ts'
import type { LogHandlers } from './log-handlers.ts'
import { applyLogs, type FollowerContext, RANGE_MAX, type StepOutcome } from './step.ts'

const SAVE_IDLE_EVERY_SECONDS = 5

/** What a step was based on. It commits only if this is unchanged. */
type StepBasis = { position: ChainPosition; watches: Watch[] }

/**
 * The head comes first: a step that is behind advances. Only a step that has reached the head also
 * reads one range of the history of one vault. So the head waits for one range at most, and
 * histories are read even if every step finds a new block.
 */
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
  // A node behind us.
  if (head.number < position.number) return 'idle'
  const outcome =
    head.number === position.number
      ? await rest(ctx, basis, head)
      : await advance(ctx, handlers, { basis, head, range })
  if (outcome !== 'idle' || watches.every(({ caughtUp }) => caughtUp)) return outcome
  const reached = head.number === position.number ? position : head
  return catchUp(ctx, handlers, { position: reached, range })
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
    const isSame = !basis || String(followed(watches)) === String(followed(basis.watches))
    if (!isSame) return 'busy'
    await work(tx)
    return 'moved'
  })
}

/** The addresses whose logs a step reads. */
const followed = (watches: readonly Watch[]): string[] =>
  watches.filter(({ caughtUp }) => caughtUp).map(({ address }) => address)

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

async function rollBack(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { basis, to }: { basis: StepBasis; to: ChainBlock },
): Promise<StepOutcome> {
  ctx.log.warn({ from: basis.position.number, to: to.number }, 'the chain was reorganised')
  return write(ctx, basis, async (tx) => {
    const touched = await deleteAbove(tx, to.number)
    const reopened = await rewindWatches(tx, to.number)
    const vaultAddresses = [...new Set([...touched, ...reopened])]
    await handlers.rollBack(tx, { toBlock: to.number, vaultAddresses })
    savePosition(tx, to, ctx.clock.now())
  })
}

/** `idle` once it has reached the head. */
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
  const vaultAddresses = followed(watches)
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
  return outcome === 'moved' && last.number === head.number ? 'idle' : outcome
}
