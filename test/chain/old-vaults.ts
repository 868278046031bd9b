/** A follower with two workers on a chain that has old vaults. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Db, openDatabase } from '#platform/database/database.ts'
import type { Chain } from '#ports/chain.ts'
import {
  addressOf,
  configured,
  created,
  createFakeChain,
  type FakeChain,
  listed,
  paid,
  paused,
  received,
  withdrawn,
} from './fake-chain.ts'
import { type Ledger, openLedger, type WatchedVault } from './ledger.ts'

export const [ours, old, young] = [addressOf(0xf1), addressOf(0xf2), addressOf(0xf3)]

export type HistoryBench = {
  /** A new one for each test, behind the same databases. */
  chain: FakeChain
  ledger: Ledger
  fresh: Ledger
  /** A second worker's connections to the first database. */
  other: Db
}

/** Opened before the tests of a file, and closed after them. */
export function openHistories(): HistoryBench {
  const bench = {} as HistoryBench
  const current = new Proxy({} as FakeChain, { get: (_, name) => Reflect.get(bench.chain, name) })
  beforeAll(async () => {
    bench.chain = createFakeChain()
    bench.ledger = await openLedger(current)
    bench.fresh = await openLedger(current)
    for (const address of [ours, old, young]) {
      await bench.ledger.addVault({ address })
      await bench.fresh.addVault({ address })
    }
    bench.other = openDatabase({ url: bench.ledger.database.url, poolSize: 2, as: 'worker' })
  })
  beforeEach(async () => {
    bench.chain = createFakeChain()
    await bench.ledger.forget()
  })
  afterAll(async () => {
    await bench.other.close()
    await bench.ledger.close()
    await bench.fresh.close()
  })
  return bench
}

export const totalsOf = async ({ ledger }: HistoryBench, address: string) =>
  (await ledger.snapshot()).vaults.find((vault) => vault.address === address)

export const positionOf = async ({ ledger }: HistoryBench): Promise<number> =>
  ((await ledger.snapshot()).position as { block_number: number }).block_number

/** How much of the old vault's history is stored. */
export async function progressOf({ ledger }: HistoryBench) {
  const [row] = await ledger.database.asOwner<{ readTo: number; caughtUp: boolean }>(
    `select read_to::integer as "readTo", caught_up as "caughtUp" from chain_watches
     where address = $1`,
    [old],
  )
  if (!row) throw new Error('The old vault is not watched')
  return row
}

/**
 * The old vault, which did something in every tenth block. What its address had before, it spends
 * later: the transfers of its history alone add up to less than nothing.
 */
export function mineHistory({ chain }: HistoryBench, blocks: number): WatchedVault {
  chain.mine([received(old, 1_070n)])
  const { number: fromBlock } = chain.mine([created(old)])
  chain.mine([configured(old, 1), listed(old, 1, { added: [addressOf(2)] })])
  let spentTotal = 0n
  for (let block = 0; block < blocks; block += 1) {
    if (block % 10 !== 9) chain.mine()
    else if (block % 100 === 99) chain.mine([received(old, 40n), withdrawn(old, 43n)])
    else {
      spentTotal += 1n
      chain.mine(paid(old, { id: fromBlock + block, amount: 1n, version: 1, spentTotal }))
    }
  }
  chain.mine([withdrawn(old, 60n), configured(old, 2), paused(old, 2)])
  return { address: old, fromBlock }
}

/** A vault that is followed from its deployment on. */
export async function openOurs({ chain, ledger }: HistoryBench): Promise<WatchedVault> {
  const { number: fromBlock } = chain.mine([created(ours), received(ours, 1_000n)])
  await ledger.follow()
  await ledger.watch({ address: ours, fromBlock })
  chain.mine([configured(ours, 1)])
  await ledger.follow()
  return { address: ours, fromBlock }
}

let payments = 1_000_000

/** One payment of it in a new block. */
export function payFromOurs({ chain }: HistoryBench, spentTotal: bigint): void {
  payments += 1
  chain.mine(paid(ours, { id: payments, amount: 1n, version: 1, spentTotal }))
}

type Reads = { mock: { calls: Parameters<Chain['listLogs']>[] } }

/** What was read of the old vault's history. */
export const readsOf = (reads: Reads) =>
  reads.mock.calls
    .map(([range]) => range)
    .filter(({ vaultAddresses }) => vaultAddresses.length === 1 && vaultAddresses[0] === old)

export const rangesOf = (reads: Reads) =>
  readsOf(reads).map(({ fromBlock, toBlock }) => [fromBlock, toBlock] as const)
