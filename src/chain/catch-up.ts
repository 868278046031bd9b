/**
 * Reads the history of vaults that are watched later, one range of one vault at a time. The logs of
 * a range and the block reached commit together, so any worker continues where another one stopped,
 * and each log is applied once. A vault has no totals until its history is read up to the
 * follower's position; its token balance there then gives its opening balance.
 *
 * Ranges that are deeper than any reorganisation are final. What newer ranges say is of the
 * follower's own chain, and a rollback takes it back.
 */
import type { ChainBlock, VaultLog } from '#ports/chain.ts'
import { type Blocks, blocksOf, isCanonical, REMEMBERED_BLOCKS } from './blocks.ts'
import {
  claimWatch,
  findBlockHash,
  findPosition,
  findWatchIsUnchanged,
  listRecentBlocks,
  lockFollower,
  openWatch,
  postponeWatch,
  releaseWatch,
  saveHistory,
  type UnreadWatch,
} from './chain.store.ts'
import type { LogHandlers } from './log-handlers.ts'
import { applyLogs, type FollowerContext, rangeAfter, type StepOutcome } from './step.ts'

/** A worker that takes longer for a range has probably died; another one then reads the range. */
const CLAIM_SECONDS = 60
/** Doubles from two seconds with each failure in a row. */
const RETRY_MAX_SECONDS = 600

type Position = Pick<ChainBlock, 'number' | 'hash'>

/** Of one vault. Empty if the vault is newer than the position. */
type HistoryRange = {
  watch: UnreadWatch
  /** The follower's, when the range was read. */
  position: Position
  fromBlock: number
  toBlock: number
  /** No reorganisation replaces any of its blocks. */
  isFinal: boolean
}

type History = { logs: readonly VaultLog[]; blocks: Blocks; balance: bigint | undefined }

/** Reads one range of the vault that has waited longest. `idle`: none is due. */
export async function catchUp(
  ctx: FollowerContext,
  handlers: LogHandlers,
  { position, range: blocksMax }: { position: Position; range: number },
): Promise<StepOutcome> {
  const watch = await claimWatch(ctx.db, CLAIM_SECONDS)
  if (!watch) return 'idle'
  const range = nextRange({ watch, position, blocksMax })
  let isRead = false
  try {
    const history = await readHistory(ctx, range)
    isRead = true
    const outcome = history ? await storeHistory(ctx, handlers, { range, history }) : 'busy'
    if (outcome === 'busy') await releaseWatch(ctx.db, watch)
    return outcome
  } catch (error) {
    await postpone(ctx, range, { error, isRead })
    // Other vaults may be due.
    return 'moved'
  }
}

function nextRange({
  watch,
  position,
  blocksMax,
}: {
  watch: UnreadWatch
  position: Position
  blocksMax: number
}): HistoryRange {
  const fromBlock = watch.readTo + 1
  const last = fromBlock + Math.min(blocksMax, watch.rangeBlocks) - 1
  const toBlock = Math.min(last, position.number)
  // Not cut where the final blocks end: with a new block in every step, it would stay behind there.
  const isFinal = toBlock <= position.number - REMEMBERED_BLOCKS
  return { watch, position, fromBlock, toBlock, isFinal }
}

/** Undefined if the chain was reorganised meanwhile. */
async function readHistory(
  { db, chain }: FollowerContext,
  { watch, position, fromBlock, toBlock, isFinal }: HistoryRange,
): Promise<History | undefined> {
  const { address } = watch
  const recent = isFinal ? [] : await listRecentBlocks(db)
  const known = recent.filter(({ number }) => number >= fromBlock && number <= toBlock)
  const range = { fromBlock, toBlock, known, isFinal }
  const logs =
    fromBlock <= toBlock ? await chain.listLogs({ ...range, vaultAddresses: [address] }) : []
  const blocks = await blocksOf(chain, logs, known)
  // Nodes prune the balances of older blocks: it is read where the head was just now.
  const isLast = toBlock === position.number
  const balance = isLast ? await chain.tokenBalance({ address, blockNumber: toBlock }) : undefined
  // The logs and the balance match only if the block at the position did not change between them.
  return blocks && (await isCanonical(chain, position)) ? { logs, blocks, balance } : undefined
}

/**
 * Under the follower's lock, like everything from the chain. Other workers may have advanced
 * meanwhile: the range still counts, and only the opening waits for another step.
 */
function storeHistory(
  { db }: FollowerContext,
  handlers: LogHandlers,
  { range, history }: { range: HistoryRange; history: History },
): Promise<StepOutcome> {
  const { watch, position, fromBlock, toBlock, isFinal } = range
  const { address } = watch
  return db.transaction({}, async (tx) => {
    // Sent together and run in this order: what is read was committed before the lock was free.
    const [isLocked, isUnchanged, now, hash] = await Promise.all([
      lockFollower(tx),
      findWatchIsUnchanged(tx, watch),
      findPosition(tx),
      findBlockHash(tx, position.number),
    ])
    if (!isLocked || !isUnchanged) return 'busy'
    const isRolledBack = !isFinal && hash !== position.hash
    const isThere = now?.number === position.number && now.hash === position.hash
    const opens = isThere && history.balance !== undefined
    if (isRolledBack || (!opens && toBlock < fromBlock)) return 'busy'
    await applyLogs(tx, handlers, history)
    if (!opens) {
      const rangeBlocks = rangeAfter('moved', watch.rangeBlocks)
      saveHistory(tx, { address, readTo: toBlock, rangeBlocks })
      return 'moved'
    }
    openWatch(tx, { address, balance: history.balance ?? 0n })
    await handlers.open(tx, { vaultAddress: address })
    return 'moved'
  })
}

/** The vault waits. The others and the head go on. */
async function postpone(
  { db, log }: FollowerContext,
  { watch, fromBlock, toBlock }: HistoryRange,
  { error, isRead }: { error: unknown; isRead: boolean },
): Promise<void> {
  const { address: vaultAddress } = watch
  const failures = watch.failures + 1
  const retryInSeconds = Math.min(2 ** failures, RETRY_MAX_SECONDS)
  const blocks = toBlock - fromBlock + 1
  const isTooLong = !isRead && blocks > 1
  const rangeBlocks = isTooLong ? rangeAfter('failed', blocks) : watch.rangeBlocks
  await postponeWatch(db, watch, { retryInSeconds, rangeBlocks })
  log.warn(
    { err: error, vaultAddress, fromBlock, toBlock, failures, retryInSeconds },
    'cannot read the history of a vault',
  )
}
