/** The loop of the follower over nodes that refuse long ranges. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFollower } from '#chain/follow.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { created, createFakeChain, type FakeChain, received } from './fake-chain.ts'
import { type Ledger, openLedger } from './ledger.ts'

const ours = `0x${'c1'.repeat(20)}`
const RANGE_TAKEN = 150

let chain: FakeChain
let ledger: Ledger

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await openLedger(chain)
  await ledger.addVault({ address: ours })
})
afterAll(() => ledger.close())

test('a node that takes short ranges only is asked for less until it answers', async () => {
  const { number: fromBlock } = chain.mine([created(ours)])
  await ledger.step()
  await ledger.watch({ address: ours, fromBlock })
  await ledger.follow()
  for (let blocks = 0; blocks < 900; blocks += 1) chain.mine([received(ours, 1n)])
  const refused: number[] = []
  const picky = {
    ...chain,
    listLogs: async (range: Parameters<typeof chain.listLogs>[0]) => {
      const blocks = range.toBlock - range.fromBlock + 1
      if (blocks <= RANGE_TAKEN) return chain.listLogs(range)
      refused.push(blocks)
      throw new Error('query exceeds max block range')
    },
  }
  const ctx = {
    db: ledger.db,
    chain: picky,
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    config: { chain: { followEveryMs: 5 } },
    metrics: { gauge: () => {} },
  }
  const follower = startFollower(ctx as never, ledger.handlers)
  const balance = async () => (await ledger.snapshot()).vaults[0]?.balance
  await expect.poll(balance, { timeout: 20_000, interval: 100 }).toBe(900n)
  await follower.stop()
  expect(refused.slice(0, 2)).toEqual([500, 250])
}, 30_000)
