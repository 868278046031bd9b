/** The history of an old vault is read in ranges, while the head of the chain is followed. */
import sql from 'sql-template-tag'
import { describe, expect, test, vi } from 'vitest'
import type { Chain, VaultEvent } from '#ports/chain.ts'
import { lockProposal } from '#treasury/proposals.store.ts'
import { configured, created, received } from './fake-chain.ts'
import { expectEqualToReplay, organizationOf } from './ledger.ts'
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
  readsOf,
  totalsOf,
  young,
} from './old-vaults.ts'

const bench = openHistories()

describe('an old vault', () => {
  test('is read range by range while payments of another tenant settle in every step', async () => {
    const vault = mineHistory(bench, 3_000)
    const first = await openOurs(bench)
    await bench.ledger.watch(vault)
    const reads = vi.spyOn(bench.chain, 'listLogs')
    let steps = 0
    while (!(await progressOf(bench)).caughtUp) {
      steps += 1
      payFromOurs(bench, BigInt(steps))
      const before = rangesOf(reads).length
      await bench.ledger.step()
      expect(await positionOf(bench)).toBe(bench.chain.head().number)
      expect(await totalsOf(bench, ours)).toMatchObject({
        balance: 1_000n - BigInt(steps),
        spent_total: BigInt(steps),
      })
      expect(rangesOf(reads).length - before).toBe(1)
    }
    const ranges = rangesOf(reads)
    // Each block once, in order.
    expect(ranges[0]?.[0]).toBe(vault.fromBlock)
    for (const [at, [fromBlock, toBlock]] of ranges.entries()) {
      expect(toBlock - fromBlock).toBeLessThan(500)
      expect(fromBlock).toBe(at === 0 ? vault.fromBlock : (ranges[at - 1]?.[1] ?? 0) + 1)
    }
    expect(steps).toBe(ranges.length)
    // By block hash only where a node may lag behind.
    const isFinal = readsOf(reads).map((range) => range.isFinal)
    expect(isFinal.slice(0, 5)).toEqual(Array(5).fill(true))
    expect(isFinal.at(-1)).toBe(false)
    const balance = bench.chain.balanceOf(old)
    expect(await totalsOf(bench, old)).toMatchObject({ balance, spent_total: 270n })
    await expectEqualToReplay(bench.ledger, bench.fresh, [first, vault])
  })

  test('has no totals and no policy in force until all of its history is read', async () => {
    const vault = mineHistory(bench, 900)
    await openOurs(bench)
    await bench.ledger.watch(vault)
    const none = { balance: 0n, spent_total: 0n, policy_version: 0 }
    expect(await bench.ledger.step()).toBe('moved')
    const { policies, payments: found } = await bench.ledger.snapshot()
    expect(policies.filter(({ version }) => version === 1)).toHaveLength(2)
    expect(found.length).toBeGreaterThan(40)
    expect(await totalsOf(bench, old)).toMatchObject(none)
    await bench.ledger.follow()
    const balance = bench.chain.balanceOf(old)
    expect(await totalsOf(bench, old)).toMatchObject({ balance, policy_version: 2 })
  })

  test('does not keep a younger one waiting', async () => {
    const vault = mineHistory(bench, 3_000)
    await openOurs(bench)
    await bench.ledger.watch(vault)
    await bench.ledger.step()
    const { number: fromBlock } = bench.chain.mine([created(young), received(young, 3n)])
    await bench.ledger.watch({ address: young, fromBlock })
    await bench.ledger.step()
    expect(await totalsOf(bench, young)).toMatchObject({ balance: 3n })
    expect((await progressOf(bench)).caughtUp).toBe(false)
  })

  test('is read only at the head, however far behind the follower is', async () => {
    const vault = mineHistory(bench, 100)
    await openOurs(bench)
    bench.chain.mineEmpty(1_700)
    await bench.ledger.watch(vault)
    const reads = vi.spyOn(bench.chain, 'listLogs')
    for (const behind of [1_200, 700, 200]) {
      await bench.ledger.step()
      expect(await positionOf(bench)).toBe(bench.chain.head().number - behind)
    }
    expect(rangesOf(reads)).toEqual([])
    await bench.ledger.follow()
    expect(await totalsOf(bench, old)).toMatchObject({ balance: bench.chain.balanceOf(old) })
  })

  test('activates or expires no policy that a later part of the history may end', async () => {
    const { policy } = configured(old, 2).event as Extract<VaultEvent, { name: 'PolicyConfigured' }>
    const proposed = { name: 'PolicyProposed', proposalId: `0x${'5a'.repeat(32)}` } as const
    const terms = { expectedVersion: 2, activatesAtSeconds: 1_700_000_000, policy }
    const vault = mineHistory(bench, 20)
    bench.chain.mine([{ vaultAddress: old, event: { ...proposed, ...terms } }])
    bench.chain.mineEmpty(700)
    bench.chain.mine([configured(old, 3)])
    await openOurs(bench)
    await bench.ledger.watch(vault)
    const scope = { organizationId: organizationOf(old) }
    const find = () =>
      bench.ledger.db.transaction(scope, async (tx) => {
        const [row] = await tx.query<{ id: string }>(sql`select id from vault_proposals`)
        return lockProposal(tx, { ...scope, id: row?.id ?? '' })
      })
    await bench.ledger.step()
    expect(await find()).toBeUndefined()
    await bench.ledger.follow()
    expect(await find()).toMatchObject({ state: 'activated' })
  })

  test('a range is stored even if another worker advances meanwhile', async () => {
    const vault = mineHistory(bench, 100)
    const first = await openOurs(bench)
    await bench.ledger.watch(vault)
    const advancing: Chain = {
      ...bench.chain,
      tokenBalance: async (input) => {
        const balance = await bench.chain.tokenBalance(input)
        bench.chain.mine([received(old, 4n)])
        expect(await bench.ledger.step({ db: bench.other })).toBe('idle')
        return balance
      },
    }
    const read = bench.chain.head().number
    expect(await bench.ledger.step({ chain: advancing })).toBe('moved')
    expect(await progressOf(bench)).toEqual({ readTo: read, caughtUp: false })
    const reads = vi.spyOn(bench.chain, 'listLogs')
    expect(await bench.ledger.step()).toBe('moved')
    expect(rangesOf(reads)).toEqual([[read + 1, read + 1]])
    await expectEqualToReplay(bench.ledger, bench.fresh, [first, vault])
  })
})
