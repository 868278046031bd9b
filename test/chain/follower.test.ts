import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LogHandlers } from '#chain/log-handlers.ts'
import { openDatabase } from '#platform/database/database.ts'
import {
  addressOf,
  configured,
  created,
  createFakeChain,
  type FakeChain,
  paid,
  paused,
  received,
  withdrawn,
} from './fake-chain.ts'
import { expectEqualToReplay, type Ledger, openLedger, type WatchedVault } from './ledger.ts'

const [ours, second, foreign] = [addressOf(0xf1), addressOf(0xf2), addressOf(0xf3)]

let chain: FakeChain
let ledger: Ledger
let fresh: Ledger

const open = async () => {
  const opened = await openLedger(proxy)
  for (const address of [ours, second]) await opened.addVault({ address })
  return opened
}

/** Every test has a chain of its own behind the same two databases. */
const proxy = new Proxy({} as FakeChain, { get: (_, name) => Reflect.get(chain, name) })

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await open()
  fresh = await open()
})
beforeEach(async () => {
  chain = createFakeChain()
  await ledger.forget()
})
afterAll(async () => {
  await ledger.close()
  await fresh.close()
})

const positionOf = async () =>
  (await ledger.snapshot()).position as { block_number: number; block_hash: string }
const balanceOf = async (address: string) =>
  (await ledger.snapshot()).vaults.find((vault) => vault.address === address)?.balance

/** A followed vault with a policy, a balance and a payment. */
async function openVault(address: string): Promise<WatchedVault> {
  const { number: fromBlock } = chain.mine([created(address)])
  await ledger.step()
  await ledger.watch({ address, fromBlock })
  chain.mine([received(address, 1_000n), configured(address, 1)])
  chain.mine(paid(address, { id: fromBlock, amount: 10n, version: 1, spentTotal: 10n }))
  await ledger.follow()
  expect(await balanceOf(address)).toBe(990n)
  return { address, fromBlock }
}

describe('the first start', () => {
  test('begins at the head and reads nothing older', async () => {
    chain.mineEmpty(700)
    expect(await ledger.step()).toBe('moved')
    const { number, hash } = chain.head()
    expect(await positionOf()).toMatchObject({ block_number: number, block_hash: hash })
    expect(chain.reads.listLogs).toBe(0)
    expect(await ledger.step()).toBe('idle')
  })

  test('survives a reorganisation of the block where it began', async () => {
    chain.mineEmpty(30)
    await ledger.step()
    chain.cut(5)
    chain.mineEmpty(6)
    await ledger.follow()
    expect(await positionOf()).toMatchObject({ block_hash: chain.head().hash })
  })
})

test('one new block costs three reads and one step', async () => {
  await openVault(ours)
  const block = chain.mine([received(ours, 5n)])
  const before = { ...chain.reads }
  const logs = vi.spyOn(chain, 'listLogs')
  expect(await ledger.step()).toBe('idle')
  expect(await balanceOf(ours)).toBe(995n)
  expect(chain.reads).toEqual({
    ...before,
    latestBlock: before.latestBlock + 1,
    listLogs: before.listLogs + 1,
    // Whether the block was replaced while its logs were read.
    findBlock: before.findBlock + 1,
  })
  // With its hash, so that no node has to be asked for it.
  expect(logs.mock.calls[0]?.[0].known).toEqual([block])
})

describe('after downtime', () => {
  test('reads every block once, in ranges, and loses nothing at their edges', async () => {
    const vault = await openVault(ours)
    const from = chain.head().number
    const edges = new Set([1, 499, 500, 501, 999, 1000, 1001, 1499, 1500, 1501, 1700])
    for (let above = 1; above <= 1_700; above += 1) {
      chain.mine(edges.has(above) ? [received(ours, BigInt(above))] : [])
    }
    chain.mine([configured(ours, 2), paused(ours, 2)])
    const reads = vi.spyOn(chain, 'listLogs')
    await ledger.follow()
    const ranges = reads.mock.calls.map(([{ fromBlock, toBlock }]) => [fromBlock, toBlock])
    expect(ranges).toEqual([
      [from + 1, from + 500],
      [from + 501, from + 1_000],
      [from + 1_001, from + 1_500],
      [from + 1_501, from + 1_701],
    ])
    expect(await balanceOf(ours)).toBe(chain.balanceOf(ours))
    await expectEqualToReplay(ledger, fresh, [vault])
  })

  test('detects a reorganisation at the old position before reading on', async () => {
    const vault = await openVault(ours)
    chain.mine([received(ours, 5n)])
    await ledger.follow()
    chain.cut(1)
    chain.mine([received(ours, 7n)])
    chain.mineEmpty(1_200)
    await expectEqualToReplay(ledger, fresh, [vault])
    expect(await balanceOf(ours)).toBe(997n)
  })

  test('opens a new vault near the head, because nodes prune old state', async () => {
    await openVault(ours)
    chain.mineEmpty(900)
    const { number: fromBlock } = chain.mine([created(second), received(second, 3n)])
    await ledger.watch({ address: second, fromBlock })
    chain.mineEmpty(600)
    const reads = vi.spyOn(chain, 'tokenBalance')
    await ledger.follow()
    const oldest = Math.min(...reads.mock.calls.map(([{ blockNumber }]) => blockNumber))
    expect(chain.head().number - oldest).toBeLessThan(128)
    expect(await balanceOf(second)).toBe(3n)
  })
})

describe('a vault that is watched later', () => {
  test('has its earlier logs and tokens counted once', async () => {
    const first = await openVault(ours)
    chain.mine([received(second, 77n)])
    chain.mine([withdrawn(ours, 1n)])
    const { number: fromBlock } = chain.mine([created(second), received(second, 5n)])
    chain.mine([configured(second, 1), received(second, 100n)])
    chain.mine(paid(second, { id: 1, amount: 40n, version: 1, spentTotal: 40n }))
    chain.mineEmpty(600)
    chain.mine([paused(second, 1)])
    await ledger.follow()
    await ledger.watch({ address: second, fromBlock })
    chain.mine([received(second, 9n)])
    await ledger.follow()
    expect(await balanceOf(second)).toBe(151n)
    const actual = await expectEqualToReplay(ledger, fresh, [first, { address: second, fromBlock }])
    expect(actual.vaults).toContainEqual({
      address: second,
      balance: 151n,
      spent_total: 40n,
      policy_version: 1,
      recipients_version: 0,
      pause_number: 1,
    })
  })

  test('is not affected by logs of unknown vaults', async () => {
    const vault = await openVault(ours)
    const before = await ledger.snapshot()
    await ledger.watch({ address: foreign, fromBlock: 0 })
    chain.mine([created(foreign), received(foreign, 5n), configured(foreign, 1)])
    chain.mine(paid(foreign, { id: 5, amount: 1n, version: 1, spentTotal: 1n }))
    await ledger.follow()
    const { vaults, policies, payments } = await ledger.snapshot()
    expect({ vaults, policies, payments }).toEqual({
      vaults: before.vaults,
      policies: before.policies,
      payments: before.payments,
    })
    chain.cut(1)
    chain.mineEmpty(2)
    await ledger.follow()
    expect((await ledger.snapshot()).vaults).toEqual(before.vaults)
    expect(vault.address).toBe(ours)
  })
})

describe('a step that dies', () => {
  const working = (): LogHandlers => ledger.handlers

  /** Fails at the n-th call of a handler, after its work is done. */
  const dyingAt = (n: number): LogHandlers => {
    let calls = 0
    const orDie = async (work: Promise<void>) => {
      await work
      calls += 1
      if (calls === n) throw new Error('died')
    }
    return {
      open: (tx, input) => orDie(working().open(tx, input)),
      async apply(tx, logs) {
        for (const one of logs) await orDie(working().apply(tx, [one]))
      },
      rollBack: (tx, input) => orDie(working().rollBack(tx, input)),
    }
  }

  const happen = (at: number) => {
    chain.mine([received(ours, 50n), configured(ours, 2)])
    chain.mine(paid(ours, { id: at, amount: 4n, version: 2, spentTotal: 14n }))
    chain.mine([paused(ours, 2), withdrawn(ours, 3n)])
  }

  test('at any log changes nothing and is repeated', async () => {
    const vault = await openVault(ours)
    happen(101)
    const before = await ledger.snapshot()
    for (let n = 1; n <= 6; n += 1) {
      await expect(ledger.step({ handlers: dyingAt(n) })).rejects.toThrow('died')
      expect(await ledger.snapshot()).toEqual(before)
    }
    await expectEqualToReplay(ledger, fresh, [vault])
  })

  test('during a rollback changes nothing and is repeated', async () => {
    const vault = await openVault(ours)
    happen(102)
    await ledger.follow()
    const before = await ledger.snapshot()
    chain.cut(3)
    chain.mineEmpty(4)
    await expect(ledger.step({ handlers: dyingAt(1) })).rejects.toThrow('died')
    expect(await ledger.snapshot()).toEqual(before)
    await expectEqualToReplay(ledger, fresh, [vault])
  })

  test('while opening a vault changes nothing and is repeated', async () => {
    const first = await openVault(ours)
    chain.mine([received(second, 20n)])
    const { number: fromBlock } = chain.mine([created(second), received(second, 1n)])
    await ledger.follow()
    await ledger.watch({ address: second, fromBlock })
    const before = await ledger.snapshot()
    for (let n = 1; n <= 3; n += 1) {
      expect(await ledger.step({ handlers: dyingAt(n) })).toBe('moved')
      expect(await ledger.snapshot()).toEqual(before)
      await ledger.endWaits()
    }
    await expectEqualToReplay(ledger, fresh, [first, { address: second, fromBlock }])
  })

  test('with its connection changes nothing and is repeated', async () => {
    const vault = await openVault(ours)
    happen(103)
    const before = await ledger.snapshot()
    const db = openDatabase({ url: ledger.database.url, poolSize: 2, as: 'worker' })
    const cutting: LogHandlers = {
      ...working(),
      async apply(tx, logs) {
        await working().apply(tx, logs)
        if (!logs.some(({ log }) => log.event.name === 'PaymentExecuted')) return
        await ledger.database.asOwner(`
          select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and pid <> pg_backend_pid() and database =
            (select oid from pg_database where datname = current_database())`)
        await working().apply(tx, logs)
      },
    }
    await expect(ledger.step({ db, handlers: cutting })).rejects.toMatchObject({
      code: 'dependency_unavailable',
    })
    await db.close()
    expect(await ledger.snapshot()).toEqual(before)
    await expectEqualToReplay(ledger, fresh, [vault])
  })

  test('because of a failed read changes nothing and is repeated', async () => {
    const vault = await openVault(ours)
    happen(104)
    const before = await ledger.snapshot()
    for (let n = 1; n <= 6; n += 1) {
      let reads = 0
      chain.before = () => {
        reads += 1
        if (reads === n) throw new Error('no answer')
      }
      await expect(ledger.step()).rejects.toThrow('no answer')
      expect(await ledger.snapshot()).toEqual(before)
    }
    chain.before = () => {}
    await expectEqualToReplay(ledger, fresh, [vault])
  })
})
