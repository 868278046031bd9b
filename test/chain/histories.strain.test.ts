/** While the history of an old vault is read, nodes fail, workers die and blocks go away. */
import { describe, expect, test, vi } from 'vitest'
import type { LogHandlers } from '#chain/log-handlers.ts'
import type { Context } from '#context.ts'
import { openDatabase } from '#platform/database/database.ts'
import type { Chain } from '#ports/chain.ts'
import { created, received, withdrawn } from './fake-chain.ts'
import { expectEqualToReplay, type WatchedVault } from './ledger.ts'
import {
  mineHistory,
  old,
  openHistories,
  openOurs,
  ours,
  payFromOurs,
  positionOf,
  progressOf,
  rangesOf,
  totalsOf,
  young,
} from './old-vaults.ts'

const bench = openHistories()

/** A node that cannot read so many blocks of the vault's logs. */
const refusing = ({ address }: WatchedVault, isRefused: (blocks: number) => boolean): Chain => ({
  ...bench.chain,
  listLogs: async (range) => {
    const isMeant = range.vaultAddresses.includes(address)
    if (isMeant && isRefused(range.toBlock - range.fromBlock + 1)) throw new Error('pruned')
    return bench.chain.listLogs(range)
  },
})

describe('a history that cannot be read', () => {
  const logged = () => {
    const warn = vi.fn()
    return { warn, log: { warn } as unknown as Context['log'] }
  }

  test('stops neither the head nor another vault, and is tried less and less often', async () => {
    const vault = mineHistory(bench, 1_200)
    const first = await openOurs(bench)
    await bench.ledger.watch(vault)
    const { warn, log } = logged()
    const failing = () => bench.ledger.step({ chain: refusing(vault, () => true), log })
    for (let round = 1; round <= 6; round += 1) {
      payFromOurs(bench, BigInt(round))
      await failing()
      expect(await positionOf(bench)).toBe(bench.chain.head().number)
      // It waits: the next step does not ask for it.
      expect(await failing()).toBe('idle')
      await bench.ledger.endWaits()
    }
    expect(warn.mock.calls.map(([fields, message]) => [fields.retryInSeconds, message])).toEqual(
      [2, 4, 8, 16, 32, 64].map((seconds) => [seconds, 'cannot read the history of a vault']),
    )
    expect(warn.mock.calls[0]?.[0]).toMatchObject({
      vaultAddress: old,
      fromBlock: vault.fromBlock,
      toBlock: vault.fromBlock + 499,
      failures: 1,
      err: { message: 'pruned' },
    })
    const { number: fromBlock } = bench.chain.mine([created(young), received(young, 3n)])
    await bench.ledger.watch({ address: young, fromBlock })
    while ((await failing()) !== 'idle');
    expect(await totalsOf(bench, young)).toMatchObject({ balance: 3n })
    expect(await totalsOf(bench, ours)).toMatchObject({ spent_total: 6n })
    await bench.ledger.endWaits()
    const watched = [first, vault, { address: young, fromBlock }]
    await expectEqualToReplay(bench.ledger, bench.fresh, watched)
  })

  test('because its logs cannot be stored stops nothing either', async () => {
    const vault = mineHistory(bench, 20)
    await openOurs(bench)
    await bench.ledger.watch(vault)
    const { warn, log } = logged()
    const handlers: LogHandlers = {
      ...bench.ledger.handlers,
      async open() {
        throw new Error('violates a check')
      },
    }
    for (let round = 1; round <= 3; round += 1) {
      payFromOurs(bench, BigInt(round))
      await bench.ledger.step({ handlers, log })
      await bench.ledger.endWaits()
      expect(await totalsOf(bench, ours)).toMatchObject({ spent_total: BigInt(round) })
    }
    expect(warn.mock.calls.map(([{ retryInSeconds }]) => retryInSeconds)).toEqual([2, 4, 8])
    await bench.ledger.follow()
    expect(await totalsOf(bench, old)).toMatchObject({ balance: bench.chain.balanceOf(old) })
  })

  test('in long ranges is read in shorter ones', async () => {
    const vault = mineHistory(bench, 1_000)
    await openOurs(bench)
    await bench.ledger.watch(vault)
    const { warn, log } = logged()
    const node = refusing(vault, (blocks) => blocks > 150)
    for (let step = 0; step < 40 && !(await progressOf(bench)).caughtUp; step += 1) {
      await bench.ledger.step({ chain: node, log })
      await bench.ledger.endWaits()
    }
    expect(await totalsOf(bench, old)).toMatchObject({ balance: bench.chain.balanceOf(old) })
    const refused = warn.mock.calls.map(([{ fromBlock, toBlock }]) => toBlock - fromBlock + 1)
    expect(refused.slice(0, 2)).toEqual([500, 250])
    expect(refused.slice(2).every((blocks) => blocks < 200)).toBe(true)
  })
})

describe('a worker that dies while it reads a history', () => {
  test('is followed by another one, which reads no block twice', async () => {
    const vault = mineHistory(bench, 1_400)
    const first = await openOurs(bench)
    await bench.ledger.watch(vault)
    expect(await bench.ledger.step({ db: bench.other })).toBe('moved')
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const silent: Chain = {
      ...bench.chain,
      listLogs: async (range) => {
        reached.resolve()
        await released.promise
        return bench.chain.listLogs(range)
      },
    }
    const dead = bench.ledger.step({ chain: silent, db: bench.other })
    await reached.promise
    const reads = vi.spyOn(bench.chain, 'listLogs')
    payFromOurs(bench, 1n)
    // As long as it might be alive, nobody else reads the same range.
    expect(await bench.ledger.step()).toBe('idle')
    expect(rangesOf(reads)).toEqual([])
    await bench.ledger.endWaits()
    expect(await bench.ledger.step()).toBe('moved')
    expect(rangesOf(reads)).toEqual([[vault.fromBlock + 500, vault.fromBlock + 999]])
    // It was alive after all, and writes nothing.
    released.resolve()
    expect(await dead).toBe('busy')
    await expectEqualToReplay(bench.ledger, bench.fresh, [first, vault])
  })

  test('leaves what it has stored to one that starts later', async () => {
    const vault = mineHistory(bench, 1_400)
    await openOurs(bench)
    await bench.ledger.watch(vault)
    for (let step = 0; step < 2; step += 1) await bench.ledger.step({ db: bench.other })
    const reads = vi.spyOn(bench.chain, 'listLogs')
    const restarted = openDatabase({ url: bench.ledger.database.url, poolSize: 2, as: 'worker' })
    while ((await bench.ledger.step({ db: restarted })) !== 'idle');
    await restarted.close()
    expect(rangesOf(reads)[0]?.[0]).toBe(vault.fromBlock + 1_000)
    expect(await totalsOf(bench, old)).toMatchObject({ balance: bench.chain.balanceOf(old) })
  })
})

describe('a reorganisation while a history is read', () => {
  /** Reads the final blocks, and of those that may go away the first ones. */
  async function readPartly() {
    const vault = mineHistory(bench, 600)
    const first = await openOurs(bench)
    await bench.ledger.watch(vault)
    await bench.ledger.step()
    const { readTo } = await progressOf(bench)
    return { vaults: [first, vault], readTo }
  }

  test.for([-20, -1, 0, 1, 20])(
    'whose last common block is %i from the newest read block leaves no trace',
    async (after) => {
      const { vaults, readTo } = await readPartly()
      expect(readTo).toBeGreaterThan(bench.chain.head().number - 200)
      const gone = bench.chain.cut(bench.chain.head().number - readTo - after)
      bench.chain.mine([withdrawn(old, 5n)])
      for (const happenings of gone) bench.chain.mine(happenings)
      expect(await bench.ledger.step()).toBe('moved')
      expect((await progressOf(bench)).readTo).toBe(Math.min(readTo, readTo + after))
      await expectEqualToReplay(bench.ledger, bench.fresh, vaults)
      expect(await totalsOf(bench, old)).toMatchObject({ balance: bench.chain.balanceOf(old) })
    },
  )

  test('before the last range is stored stores none of it', async () => {
    const { vaults, readTo } = await readPartly()
    const depth = bench.chain.head().number - readTo + 10
    bench.chain.before = (read) => {
      if (read !== 'tokenBalance') return
      bench.chain.before = () => {}
      const gone = bench.chain.cut(depth)
      bench.chain.mine([withdrawn(old, 5n)])
      for (const happenings of gone) bench.chain.mine(happenings)
    }
    expect(await bench.ledger.step()).toBe('busy')
    expect(await progressOf(bench)).toEqual({ readTo, caughtUp: false })
    await expectEqualToReplay(bench.ledger, bench.fresh, vaults)
  })

  test.for([
    ['above', 10],
    ['below', -10],
  ] as const)(
    'that another worker rolls back to %s the newest read block stores nothing old',
    async ([, after]) => {
      const { vaults, readTo } = await readPartly()
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      // Answers as a node that has not seen the reorganisation, and comes back too late.
      const [...blocks] = bench.chain.blocks
      const stale: Chain = {
        ...bench.chain,
        findBlock: async (number) => {
          const { logs: _, ...block } = blocks[number] ?? { logs: [] }
          return 'hash' in block ? block : undefined
        },
        tokenBalance: async (input) => {
          const balance = await bench.chain.tokenBalance(input)
          reached.resolve()
          await released.promise
          return balance
        },
      }
      const slow = bench.ledger.step({ chain: stale, db: bench.other })
      await reached.promise
      const gone = bench.chain.cut(bench.chain.head().number - readTo - after)
      bench.chain.mine([withdrawn(old, 5n)])
      for (const happenings of gone) bench.chain.mine(happenings)
      expect(await bench.ledger.step()).toBe('moved')
      released.resolve()
      expect(await slow).toBe('busy')
      await bench.ledger.endWaits()
      await expectEqualToReplay(bench.ledger, bench.fresh, vaults)
    },
  )
})
