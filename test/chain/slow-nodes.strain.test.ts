/** The follower's loop with nodes that refuse long ranges or have fallen behind. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFollower } from '#chain/follow.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import type { Chain, ChainBlock } from '#ports/chain.ts'
import { created, createFakeChain, type FakeChain, received } from './fake-chain.ts'
import { type Ledger, openLedger } from './ledger.ts'

const ours = `0x${'c1'.repeat(20)}`
const RANGE_TAKEN = 150

let chain: FakeChain
let ledger: Ledger
let clockAheadMs = 0
const gauges = new Map<string, () => number | Promise<number>>()

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await openLedger(chain)
  await ledger.addVault({ address: ours })
})
afterAll(() => ledger.close())

/** The follower's loop, as a worker starts it. */
const start = (seen: Chain) => {
  const ctx = {
    db: ledger.db,
    chain: seen,
    clock: { now: () => new Date(systemClock.now().getTime() + clockAheadMs) },
    log: createLog({ level: 'silent' }),
    config: { chain: { followEveryMs: 5 } },
    metrics: {
      gauge: (name: string, _help: string, read: () => number) => gauges.set(name, read),
    },
  }
  return startFollower(ctx as never, ledger.handlers)
}

test('a node that takes short ranges only is asked for less until it answers', async () => {
  const { number: fromBlock } = chain.mine([created(ours)])
  await ledger.step()
  await ledger.watch({ address: ours, fromBlock })
  await ledger.follow()
  for (let blocks = 0; blocks < 900; blocks += 1) chain.mine([received(ours, 1n)])
  const refused: number[] = []
  const follower = start({
    ...chain,
    listLogs: async (range) => {
      const blocks = range.toBlock - range.fromBlock + 1
      if (blocks <= RANGE_TAKEN) return chain.listLogs(range)
      refused.push(blocks)
      throw new Error('query exceeds max block range')
    },
  })
  const balance = async () => (await ledger.snapshot()).vaults[0]?.balance
  await expect.poll(balance, { timeout: 20_000, interval: 100 }).toBe(900n)
  await follower.stop()
  expect(refused.slice(0, 2)).toEqual([500, 250])
}, 30_000)

test('a node that has fallen behind shows in the age of what was read', async () => {
  const age = async () => gauges.get('countersign_chain_age_seconds')?.()
  const healthy = start(chain)
  await expect.poll(age).toBeLessThan(10)
  await healthy.stop()
  const stale = { ...chain.blocks.at(-10) } as ChainBlock
  const follower = start({ ...chain, latestBlock: async () => stale })
  clockAheadMs = 60_000
  const reads = chain.reads.findBlock
  await expect.poll(() => chain.reads.findBlock).toBeGreaterThan(reads + 3)
  expect(await age()).toBeGreaterThanOrEqual(59)
  expect(gauges.get('countersign_chain_troubles')?.()).toBe(0)
  await follower.stop()
})
