/** Accepts transactions into the pool and mines blocks from them, recording each in the journal. */
import {
  type Hex,
  hexToNumber,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
  toHex,
} from 'viem'
import { RpcError } from './chain-engine.ts'
import { type ChainState, inTurn, orFail, type Receipt } from './chain-state.ts'

type Placed = { hash: Hex; from: Hex; nonce: Hex }
type Block = { number: Hex; hash: Hex; timestamp: Hex; transactions: Hex[] }

/** Call it in turn. When it returns, the transaction is in the pool and in the journal. */
export async function accept(
  chain: ChainState,
  { raw, name }: { raw: Hex; name?: string },
): Promise<Hex> {
  const snapshot = await snapshotIfReplacing(chain, { raw })
  const hash = await chain.engine.call<Hex>('eth_sendRawTransaction', raw)
  const refusal = await orFail(chain, async () => {
    const slot = slotOf(await chain.engine.call('eth_getTransactionByHash', hash))
    const problem = await tryNextBlock(chain)
    if (problem) {
      await undoAccept(chain, { hash, snapshot })
      return problem
    }
    await chain.journal.write([name === undefined ? { tx: raw } : { tx: raw, name }])
    chain.pool.delete(slot)
    chain.pool.set(slot, hash)
    if (name !== undefined) chain.names.set(name, hash)
    schedule(chain)
    return undefined
  })
  if (refusal) throw refusal
  return hash
}

/**
 * Resolves when the transaction is in a block. Call it in the turn that accepted the transaction.
 */
export function mined(chain: ChainState, { hash }: { hash: Hex }): Promise<Receipt> {
  const known = chain.waiting.get(hash) ?? Promise.withResolvers<Receipt>()
  chain.waiting.set(hash, known)
  // The transaction may be rejected before the caller awaits it.
  known.promise.catch(() => {})
  return known.promise
}

/** Reads the engine's head into the state. */
export async function readHead(chain: ChainState): Promise<Block> {
  const block = await chain.engine.call<Block>('eth_getBlockByNumber', 'latest', false)
  const timestamp = hexToNumber(block.timestamp)
  chain.head = { number: hexToNumber(block.number), hash: block.hash, timestamp }
  chain.newestTimestamp = Math.max(chain.newestTimestamp, timestamp)
  chain.highest = Math.max(chain.highest, chain.head.number)
  chain.pendingTimestamp = undefined
  return block
}

/**
 * Reads the engine's pool into the state: a block drops transactions that can never be paid for.
 */
export async function readPool(chain: ChainState): Promise<void> {
  const pooled = await chain.engine.call<Placed[]>('eth_pendingTransactions')
  chain.pool = new Map(pooled.map((tx) => [slotOf(tx), tx.hash]))
  const hashes = new Set(chain.pool.values())
  for (const [hash, { reject }] of chain.waiting) {
    if (hashes.has(hash)) continue
    chain.waiting.delete(hash)
    reject(new Error(`The transaction ${hash} was removed from the pool.`))
  }
  await dropUnpayable(chain)
  schedule(chain)
}

const slotOf = ({ from, nonce }: Omit<Placed, 'hash'>): string => `${from}:${nonce}`

/**
 * Mines no empty block: the pool may contain only transactions that wait for a nonce or lower fees.
 */
export async function minePool(chain: ChainState): Promise<void> {
  clearTimeout(chain.timer)
  chain.timer = undefined
  chain.nextBlock?.resolve()
  chain.nextBlock = undefined
  if (chain.minable) await mineBlock(chain, { at: nextTimestamp(chain) })
}

export async function mineBlock(chain: ChainState, { at }: { at: number }): Promise<void> {
  const mine = () => chain.engine.call('evm_mine', toHex(at))
  await orFail(chain, async () => {
    await mine().catch(async (error) => {
      if (!(error instanceof RpcError)) throw error
      await dropUnpayable(chain)
      await mine()
    })
    const { transactions } = await readHead(chain)
    const { number, hash } = chain.head
    await chain.journal.write([{ block: number, at, hash }])
    await afterBlock(chain, { transactions })
  })
  chain.onHead()
}

export function nextTimestamp(chain: ChainState): number {
  const { clock, newestTimestamp, aheadLimitSeconds, head, highest } = chain
  const now = Math.floor(clock.now().getTime() / 1000)
  // A block in place of another needs a time of its own to get a hash of its own.
  const isReplacement = head.number < highest
  const step = isReplacement || newestTimestamp - now < aheadLimitSeconds ? 1 : 0
  return Math.max(now, newestTimestamp + step)
}

/** Sets the time of the pending block, which the engine would otherwise choose itself. */
export async function tellTime(chain: ChainState): Promise<void> {
  const next = nextTimestamp(chain)
  if (next === chain.pendingTimestamp) return
  await chain.engine.call('evm_setNextBlockTimestamp', toHex(next))
  chain.pendingTimestamp = next
}

function schedule(chain: ChainState): void {
  if (!chain.minable || chain.timer !== undefined || !Number.isFinite(chain.mineAfterMs)) return
  chain.nextBlock = Promise.withResolvers()
  chain.timer = setTimeout(() => {
    // The failure is stored and reported to the next caller.
    inTurn(chain, () => minePool(chain)).catch(() => {})
  }, chain.mineAfterMs)
}

async function afterBlock(chain: ChainState, { transactions }: { transactions: Hex[] }) {
  for (const tx of transactions) {
    const waiting = chain.waiting.get(tx)
    if (waiting === undefined) continue
    chain.waiting.delete(tx)
    waiting.resolve(await chain.engine.call<Receipt>('eth_getTransactionReceipt', tx))
  }
  const included = new Set(transactions)
  for (const [slot, hash] of chain.pool) if (included.has(hash)) chain.pool.delete(slot)
  chain.minable = false
  if (chain.pool.size > 0) await readPool(chain)
}

/**
 * Tries the next block. Once a sender cannot pay for all its transactions, the engine builds no
 * block and reveals no pending state at all, so such a transaction must not stay in the pool.
 */
async function tryNextBlock(chain: ChainState): Promise<RpcError | undefined> {
  try {
    await tellTime(chain)
    const block = await chain.engine.call<Block>('eth_getBlockByNumber', 'pending', false)
    chain.minable = block.transactions.length > 0
    return undefined
  } catch (error) {
    if (error instanceof RpcError) return error
    throw error
  }
}

/**
 * A transaction that was affordable on arrival may no longer be, as after a call into a delegated
 * account.
 */
async function dropUnpayable(chain: ChainState): Promise<void> {
  for (;;) {
    const refusal = await tryNextBlock(chain)
    if (!refusal) return
    const [slot, newest] = [...chain.pool].at(-1) ?? []
    if (slot === undefined || newest === undefined) throw refusal
    await chain.engine.call('hardhat_dropTransaction', newest)
    await chain.journal.write([{ drop: newest }])
    chain.pool.delete(slot)
    chain.waiting.get(newest)?.reject(refusal)
    chain.waiting.delete(newest)
  }
}

/** Takes a snapshot, so that a rejected replacement restores the original in its place. */
async function snapshotIfReplacing(
  chain: ChainState,
  { raw }: { raw: Hex },
): Promise<Hex | undefined> {
  if (!(await isReplacement(chain, { raw }))) return undefined
  return orFail(chain, async () => {
    const id = await chain.engine.call<Hex>('evm_snapshot')
    await chain.journal.write([{ call: 'evm_snapshot', params: [], hash: chain.head.hash }])
    return id
  })
}

async function isReplacement(chain: ChainState, { raw }: { raw: Hex }): Promise<boolean> {
  try {
    const serializedTransaction = raw as TransactionSerialized
    const nonce = toHex(parseTransaction(serializedTransaction).nonce ?? 0)
    // Recovering the sender is slow, so do it only if the pool has the same nonce.
    if (![...chain.pool.keys()].some((slot) => slot.endsWith(`:${nonce}`))) return false
    const from = (await recoverTransactionAddress({ serializedTransaction })).toLowerCase() as Hex
    const existing = chain.pool.get(slotOf({ from, nonce }))
    return existing !== undefined && existing !== keccak256(raw)
  } catch {
    // The engine reports what is wrong with the transaction.
    return false
  }
}

async function undoAccept(
  chain: ChainState,
  { hash, snapshot }: { hash: Hex; snapshot: Hex | undefined },
): Promise<void> {
  if (snapshot === undefined) {
    await chain.engine.call('hardhat_dropTransaction', hash)
  } else {
    const params = [snapshot]
    await chain.engine.call('evm_revert', ...params)
    await chain.journal.write([{ call: 'evm_revert', params, hash: chain.head.hash }])
    chain.pendingTimestamp = undefined
  }
  await tryNextBlock(chain)
}
