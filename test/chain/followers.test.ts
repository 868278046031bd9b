/** Several workers follow one chain into one database: the holder of a step's lock performs it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Db, openDatabase } from '#platform/database/database.ts'
import type { Chain } from '#ports/chain.ts'
import {
  addressOf,
  configured,
  created,
  createFakeChain,
  type FakeChain,
  paid,
  received,
} from './fake-chain.ts'
import { expectEqualToReplay, type Ledger, openLedger } from './ledger.ts'

const [ours, second] = [addressOf(0xf1), addressOf(0xf2)]

let chain: FakeChain
let ledger: Ledger
let fresh: Ledger
let other: Db

const current = new Proxy({} as FakeChain, { get: (_, name) => Reflect.get(chain, name) })

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await openLedger(current)
  fresh = await openLedger(current)
  for (const address of [ours, second]) {
    await ledger.addVault({ address })
    await fresh.addVault({ address })
  }
  other = openDatabase({ url: ledger.database.url, poolSize: 2, as: 'worker' })
})
beforeEach(async () => {
  chain = createFakeChain()
  await ledger.forget()
})
afterAll(async () => {
  await other.close()
  await ledger.close()
  await fresh.close()
})

const balanceOf = async (address: string) =>
  (await ledger.snapshot()).vaults.find((vault) => vault.address === address)?.balance

/** A view of the chain that pauses before one kind of read until it is released. */
function held(read: 'listLogs' | 'tokenBalance') {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const view: Chain = {
    ...current,
    ...chain,
    [read]: async (input: never) => {
      reached.resolve()
      await released.promise
      return chain[read](input)
    },
  }
  return { view, reached: reached.promise, release: () => released.resolve() }
}

describe('two concurrent followers', () => {
  test('apply every log exactly once, and the position only advances', async () => {
    const { number: fromBlock } = chain.mine([created(ours)])
    await ledger.step()
    await ledger.watch({ address: ours, fromBlock })
    const positions: number[] = []
    for (let round = 1; round <= 60; round += 1) {
      chain.mine([received(ours, BigInt(round))])
      if (round === 20) chain.mine([configured(ours, 1)])
      if (round > 20) {
        chain.mine(paid(ours, { id: round, amount: 1n, version: 1, spentTotal: 1n }))
      }
      await Promise.all([ledger.step(), ledger.step({ db: other }), ledger.step({ db: other })])
      const { position } = await ledger.snapshot()
      positions.push(Number((position as { block_number: number }).block_number))
    }
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
    await ledger.follow()
    expect(await balanceOf(ours)).toBe(chain.balanceOf(ours))
    await expectEqualToReplay(ledger, fresh, [{ address: ours, fromBlock }])
  })

  test('that both start leave one position', async () => {
    chain.mineEmpty(3)
    const outcomes = await Promise.all([ledger.step(), ledger.step({ db: other })])
    expect(outcomes).toContain('moved')
    expect((await ledger.snapshot()).position).toMatchObject({ block_hash: chain.head().hash })
  })

  test('that both open a vault count its earlier balance once', async () => {
    chain.mine([received(ours, 70n)])
    chain.mineEmpty(1)
    await ledger.follow()
    await ledger.watch({ address: ours, fromBlock: chain.head().number })
    const { view, reached, release } = held('tokenBalance')
    const slow = ledger.step({ chain: view, db: other })
    await reached
    expect(await ledger.step(), 'while the other reads it').toBe('idle')
    await ledger.endWaits()
    expect(await ledger.step()).toBe('moved')
    release()
    expect(await slow).toBe('busy')
    expect(await balanceOf(ours)).toBe(70n)
  })

  test('lose nothing when one opens a vault while the other reads on without it', async () => {
    const { number: fromBlock } = chain.mine([created(ours)])
    await ledger.step()
    await ledger.watch({ address: ours, fromBlock })
    const made = chain.mine([created(second)])
    await ledger.follow()
    chain.mine([received(second, 9n)])
    const { view, reached, release } = held('listLogs')
    const slow = ledger.step({ chain: view, db: other })
    await reached
    await ledger.watch({ address: second, fromBlock: made.number })
    // For a node that lags, the position is still the head: the vault is opened there.
    const lagging: Chain = { ...chain, latestBlock: async () => made }
    expect(await ledger.step({ chain: lagging })).toBe('moved')
    release()
    expect(await slow).toBe('busy')
    await ledger.follow()
    expect(await balanceOf(second)).toBe(9n)
  })

  test('discard what one has read when the other rolls back', async () => {
    const { number: fromBlock } = chain.mine([created(ours)])
    await ledger.step()
    await ledger.watch({ address: ours, fromBlock })
    chain.mineEmpty(3)
    await ledger.follow()
    chain.mine([received(ours, 5n)])
    const { view, reached, release } = held('listLogs')
    const slow = ledger.step({ chain: view, db: other })
    await reached
    chain.cut(3)
    chain.mineEmpty(1)
    chain.mine([received(ours, 6n)])
    chain.mineEmpty(3)
    await ledger.step()
    release()
    expect(await slow).toBe('busy')
    await expectEqualToReplay(ledger, fresh, [{ address: ours, fromBlock }])
    expect(await balanceOf(ours)).toBe(6n)
  })
})
