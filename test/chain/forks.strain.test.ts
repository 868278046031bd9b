/** Reorganisations between reads, very deep ones, and ones that remove the deployment. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { REMEMBERED_BLOCKS } from '#chain/blocks.ts'
import {
  addressOf,
  calm,
  configured,
  created,
  createFakeChain,
  type FakeChain,
  type Happening,
  paid,
  paused,
  type Read,
  received,
  withdrawn,
} from './fake-chain.ts'
import { expectEqualToReplay, type Ledger, openLedger, type WatchedVault } from './ledger.ts'

const [ours, second] = [addressOf(0xf1), addressOf(0xf2)]

let chain: FakeChain
let ledger: Ledger
let fresh: Ledger

const current = new Proxy({} as FakeChain, { get: (_, name) => Reflect.get(chain, name) })

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await openLedger(current)
  fresh = await openLedger(current)
  for (const address of [ours, second]) {
    await ledger.addVault({ address })
    await fresh.addVault({ address })
  }
})
beforeEach(async () => {
  chain = createFakeChain()
  await ledger.forget()
})
afterAll(async () => {
  await ledger.close()
  await fresh.close()
})

const balanceOf = async (address: string) =>
  (await ledger.snapshot()).vaults.find((vault) => vault.address === address)?.balance

/** Vaults as the follower knows them; a rollback may have moved their first block. */
const watchesOf = () =>
  ledger.database.asOwner<WatchedVault>(`
    select address, from_block::integer as "fromBlock" from chain_watches order by address`)

async function expectReplay() {
  await ledger.follow()
  return expectEqualToReplay(ledger, fresh, await watchesOf())
}

async function openVault(address = ours): Promise<WatchedVault> {
  chain.mineEmpty(2)
  const { number: fromBlock } = chain.mine([created(address)])
  await ledger.step()
  await ledger.watch({ address, fromBlock })
  chain.mine([received(address, 1_000n), configured(address, 1)])
  await ledger.follow()
  return { address, fromBlock }
}

/** Runs once, before or after the n-th read of a kind. */
function interrupt(when: 'before' | 'after', read: Read, n: number, event: () => void) {
  let seen = 0
  chain[when] = (name) => {
    if (name !== read) return
    seen += 1
    if (seen !== n) return
    chain[when] = calm
    event()
  }
}

/** Steps until the follower is idle and the injected event has happened. */
async function followThrough() {
  await ledger.follow()
  expect([chain.before, chain.after]).toEqual([calm, calm])
}

const momentsOf = (reads: Partial<Record<Read, number>>) =>
  Object.entries(reads).flatMap(([read, count]) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((n) =>
      (['before', 'after'] as const).map((when) => [when, read as Read, n] as const),
    ),
  )

/** Where a step of either kind reads the chain. */
const advancing = momentsOf({ latestBlock: 1, findBlock: 4, listLogs: 1 })
const opening = momentsOf({ latestBlock: 1, findBlock: 1, listLogs: 1, tokenBalance: 1 })

describe('a reorganisation', () => {
  test.for(advancing)('%s %s number %i of a range leaves no trace', async ([when, read, n]) => {
    await openVault()
    chain.mineEmpty(3)
    interrupt(when, read, n, () => {
      chain.cut(3)
      chain.mine([])
      chain.mine([received(ours, 40n)])
      chain.mineEmpty(2)
    })
    await followThrough()
    await expectReplay()
    chain.mineEmpty(1)
    await expectReplay()
    expect(await balanceOf(ours)).toBe(chain.balanceOf(ours))
  })

  test.for(opening)(
    '%s %s number %i of a vault opening leaves no trace',
    async ([when, read, n]) => {
      await openVault()
      chain.mine([received(second, 7n)])
      const { number: fromBlock } = chain.mine([created(second)])
      chain.mine([received(second, 100n)])
      chain.mine([])
      await ledger.follow()
      await ledger.watch({ address: second, fromBlock })
      interrupt(when, read, n, () => {
        chain.cut(2)
        chain.mine([])
        chain.mine([received(second, 30n), withdrawn(second, 8n)])
        chain.mineEmpty(1)
      })
      await followThrough()
      await expectReplay()
      chain.mineEmpty(1)
      await expectReplay()
      expect(await balanceOf(second)).toBe(29n)
    },
  )

  test('during a range longer than the remembered blocks leaves no trace', async () => {
    await openVault()
    chain.mine([received(ours, 5n)])
    await ledger.follow()
    chain.mineEmpty(480)
    interrupt('before', 'listLogs', 1, () => {
      chain.cut(481)
      chain.mine([received(ours, 6n)])
      chain.mineEmpty(485)
    })
    await expectReplay()
    expect(await balanceOf(ours)).toBe(1_006n)
  })

  test.for([REMEMBERED_BLOCKS - 1, REMEMBERED_BLOCKS])(
    'of %i blocks is rolled back',
    async (depth) => {
      await openVault()
      chain.mineEmpty(20)
      for (let block = 0; block < depth; block += 1) {
        chain.mine(block % 16 === 0 ? [received(ours, BigInt(block + 1))] : [])
      }
      chain.mine([paused(ours, 1)])
      await ledger.follow()
      const gone = chain.cut(depth)
      chain.mine([configured(ours, 2)])
      for (const happenings of gone.slice(10)) chain.mine(happenings)
      chain.mineEmpty(12)
      await expectReplay()
      expect(await balanceOf(ours)).toBe(chain.balanceOf(ours))
    },
  )

  test('followed by several others leaves only the last chain', async () => {
    await openVault()
    chain.mineEmpty(15)
    await ledger.follow()
    for (let depth = 1; depth <= 12; depth += 1) {
      const gone = chain.cut(depth)
      if (depth % 3 === 0) for (const happenings of gone) chain.mine(happenings)
      else chain.mineEmpty(depth - 1)
      chain.mine([received(ours, BigInt(depth))])
      if (depth % 2 === 0) await ledger.step()
    }
    await expectReplay()
    expect(await balanceOf(ours)).toBe(chain.balanceOf(ours))
  })

  test('to a chain that is still shorter is followed', async () => {
    await openVault()
    for (let block = 1n; block <= 10n; block += 1n) chain.mine([received(ours, block)])
    await ledger.follow()
    chain.cut(8)
    chain.mine([withdrawn(ours, 500n)])
    await expectReplay()
    expect(await balanceOf(ours)).toBe(503n)
  })
})

describe('a reorganisation that removes the deployment', () => {
  const early: Happening[] = [received(ours, 11n)]

  async function deploy() {
    chain.mineEmpty(5)
    chain.mine(early)
    chain.mineEmpty(1)
    const { number: fromBlock } = chain.mine([created(ours), received(ours, 100n)])
    await ledger.step()
    await ledger.watch({ address: ours, fromBlock })
    chain.mine([configured(ours, 1)])
    await ledger.follow()
    expect(await balanceOf(ours)).toBe(111n)
  }

  test("and mines it later counts the address's earlier balance once", async () => {
    await deploy()
    chain.cut(4)
    chain.mineEmpty(2)
    chain.mine(early)
    chain.mineEmpty(2)
    chain.mine([created(ours), received(ours, 50n)])
    chain.mine([configured(ours, 1)])
    await expectReplay()
    expect(await balanceOf(ours)).toBe(61n)
  })

  test('and mines it earlier misses nothing that it did there', async () => {
    await deploy()
    chain.cut(4)
    chain.mine([created(ours)])
    chain.mine([configured(ours, 1), received(ours, 8n)])
    chain.mine(paid(ours, { id: 1, amount: 3n, version: 1, spentTotal: 3n }))
    chain.mineEmpty(5)
    const { vaults, policies, payments } = await expectReplay()
    expect(vaults).toContainEqual({
      address: ours,
      balance: 5n,
      spent_total: 3n,
      policy_version: 1,
      recipients_version: 0,
      pause_number: 0,
    })
    expect([policies.length, payments.length]).toEqual([1, 1])
  })

  test('permanently leaves a vault with nothing', async () => {
    await deploy()
    chain.cut(4)
    chain.mineEmpty(9)
    const { vaults, policies } = await expectReplay()
    expect(vaults).toContainEqual({
      address: ours,
      balance: 0n,
      spent_total: 0n,
      policy_version: 0,
      recipients_version: 0,
      pause_number: 0,
    })
    expect(policies).toEqual([])
  })
})

describe('a reorganisation deeper than the remembered blocks', () => {
  test('stops the follower with a clear error and changes nothing', async () => {
    await openVault()
    chain.mineEmpty(REMEMBERED_BLOCKS + 20)
    await ledger.follow()
    const before = await ledger.snapshot()
    chain.cut(REMEMBERED_BLOCKS + 1)
    chain.mineEmpty(REMEMBERED_BLOCKS + 5)
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(ledger.step()).rejects.toThrow(
        `The reorganisation is deeper than ${REMEMBERED_BLOCKS} blocks`,
      )
    }
    expect(await ledger.snapshot()).toEqual(before)
  })

  test('or another chain stops the follower as well', async () => {
    await openVault()
    const before = await ledger.snapshot()
    chain = createFakeChain()
    chain.mineEmpty(40)
    await expect(ledger.step()).rejects.toThrow('or this is another chain')
    expect(await ledger.snapshot()).toEqual(before)
  })
})

describe("a node behind the follower's position", () => {
  test('causes no rollback: a missing block was not replaced', async () => {
    await openVault()
    const before = await ledger.snapshot()
    const [newest] = chain.cut(1)
    expect(await ledger.step()).toBe('idle')
    expect(await ledger.snapshot()).toEqual(before)
    chain.mine(newest)
    await ledger.follow()
    expect((await ledger.snapshot()).position).toMatchObject({ block_hash: chain.head().hash })
    expect(await balanceOf(ours)).toBe(1_000n)
  })
})
