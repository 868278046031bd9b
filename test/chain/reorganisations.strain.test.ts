/** Reorganisations of a real chain: the database always equals a fresh replay. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REMEMBERED_BLOCKS } from '#chain/blocks.ts'
import { startTestChain, type TestChain, tokenAbi } from '#test/support/chain.ts'
import { isProof, sizeOf } from '#test/support/figures.ts'
import { times } from '#test/support/steps.ts'
import { type Bench, openBench } from './bench.ts'
import {
  expectEqualToReplay,
  type Ledger,
  openLedger,
  vaultIdOf,
  type WatchedVault,
} from './ledger.ts'
import { OTHER, SUPPLIER, type VaultToggles, vaultToggles } from './vault-toggles.ts'

let real: TestChain
let bench: Bench
let ledger: Ledger
let fresh: Ledger
let toggles: VaultToggles
let first: WatchedVault
let second: WatchedVault

beforeAll(async () => {
  real = await startTestChain()
  bench = await openBench(real)
  toggles = vaultToggles(real, bench)
  ledger = await openLedger(bench.chain)
  fresh = await openLedger(bench.chain)
  await ledger.step()
  first = await adopt()
  second = await adopt()
  await bench.deposit(first, 1_000_000n)
  await bench.give(second, 5_000n)
  await bench.configure(first, 0)
  await bench.configure(second, 0)
  await ledger.follow()
})
afterAll(async () => {
  await ledger.close()
  await fresh.close()
  await real.stop()
})

async function adopt(): Promise<WatchedVault> {
  const vault = await bench.addVault()
  for (const database of [ledger, fresh]) await database.addVault(vault)
  await ledger.watch(vault)
  return vault
}

const head = async () => Number(await real.client.getBlockNumber({ cacheTime: 0 }))

/** A paused vault pays nothing, so it is unpaused instead. */
async function payOrRelease(vault: WatchedVault, amount: bigint) {
  const version = await bench.versionOf(vault)
  return (await bench.isPaused(vault))
    ? bench.configure(vault, version)
    : bench.pay(vault, amount, version)
}

/** Different events, each in a block of its own; some depend on the one before. */
const acts: (() => Promise<{ raw: Hex; status: string }>)[] = [
  () => bench.deposit(first, 101n),
  () => payOrRelease(first, 7n),
  () => bench.withdraw(first, 13n),
  () => bench.give(second, 17n),
  async () => bench.configure(second, await bench.versionOf(second)),
  () => payOrRelease(second, 3n),
  () => bench.pause(first),
  async () => bench.configure(first, await bench.versionOf(first), 2_000_000n),
  () => payOrRelease(first, 5n),
  () => bench.sendNothing(first.address as Address, first.address as Address),
  () => bench.pause(second),
  () => bench.withdraw(second, 1n),
  () => toggles.listOrStrike(first, SUPPLIER),
  () => toggles.blockOrUnblock(first, SUPPLIER),
  () => toggles.pauseOrUnpause(second),
  () => toggles.listOrStrike(second, OTHER),
  () => toggles.revokeOrRestore(first),
  () => toggles.blockOrUnblock(second, OTHER),
  () => toggles.listOrStrike(first, OTHER),
]

/** Performs `count` of them from `start`; returns their signed bytes. */
async function happen(start: number, count: number): Promise<Hex[]> {
  const raws: Hex[] = []
  for (let index = start; index < start + count; index += 1) {
    const sent = await acts[index % acts.length]?.()
    expect(sent?.status).toBe('success')
    if (sent) raws.push(sent.raw)
  }
  return raws
}

/** Performs the work, removes its blocks again and returns how many there were. */
async function undo(work: () => Promise<unknown>): Promise<number> {
  const snapshot = await real.request('evm_snapshot')
  const from = await head()
  await work()
  await ledger.follow()
  const depth = (await head()) - from
  expect(await real.request('evm_revert', snapshot)).toBe(true)
  return depth
}

async function expectTruth(): Promise<void> {
  const snapshot = await expectEqualToReplay(ledger, fresh, bench.vaults)
  const { vaults, position } = snapshot
  expect(position).toMatchObject({ block_number: await head() })
  for (const vault of bench.vaults) {
    const { address } = vault
    await toggles.expectAgreement(ledger, vault, snapshot)
    const balance = await real.client.readContract({
      address: real.tokenAddress,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [address as Address],
    })
    expect(vaults.find((row) => row.address === address)).toMatchObject({ balance })
  }
}

const isEveryDepth = isProof('PROVE_DEPTHS')
const depths = isEveryDepth ? times(sizeOf('PROVE_DEPTHS', 12), (index) => index + 1) : [1, 3, 12]

describe('a reorganisation', () => {
  test.for(depths)('of depth %i that removes everything', async (depth) => {
    expect(await undo(() => happen(depth, depth))).toBe(depth)
    await bench.mine(depth + 1)
    await expectTruth()
  })

  test.for(depths)('of depth %i with the same transactions a block later', async (depth) => {
    const raws: Hex[] = []
    expect(await undo(async () => raws.push(...(await happen(depth * 2, depth))))).toBe(depth)
    await bench.mine()
    for (const raw of raws) expect((await bench.resend(raw)).status).toBe('success')
    await expectTruth()
  })

  test.for(isEveryDepth ? [1, 2, 3, 5, 8, 12] : [2, 5])(
    'of depth %i with other transactions',
    async (depth) => {
      expect(await undo(() => happen(depth, depth))).toBe(depth)
      await happen(depth + 4, depth)
      await bench.mine()
      await expectTruth()
    },
  )

  test('of some transactions, to a chain that is still shorter', async () => {
    const raws: Hex[] = []
    await undo(async () => raws.push(...(await happen(0, 6))))
    await bench.mine()
    for (const raw of raws.slice(0, 2)) await bench.resend(raw)
    await expectTruth()
  })

  test("several times before the follower's next step", async () => {
    await undo(() => happen(0, 3))
    for (const count of [2, 5, 1]) {
      const snapshot = await real.request('evm_snapshot')
      await happen(count, count)
      await real.request('evm_revert', snapshot)
    }
    await happen(3, 4)
    await expectTruth()
  })

  test('while a new vault is opened', async () => {
    await bench.mine()
    const vault = await bench.addVault()
    for (const database of [ledger, fresh]) await database.addVault(vault)
    await undo(async () => {
      await bench.deposit(vault, 900n)
      await ledger.follow()
      await ledger.watch(vault)
    })
    await bench.deposit(vault, 40n)
    await bench.configure(vault, 0)
    await bench.mine()
    await expectTruth()
  })

  test('that removes a vault, which is deployed again elsewhere', async () => {
    await bench.mine(2)
    const raws: Hex[] = []
    let gone: WatchedVault | undefined
    await undo(async () => {
      gone = await bench.addVault()
      for (const database of [ledger, fresh]) await database.addVault(gone)
      await ledger.watch(gone)
      raws.push((await bench.give(gone, 21n)).raw)
      raws.push((await bench.configure(gone, 0)).raw)
    })
    expect(gone).toBeDefined()
    await bench.mine(5)
    const again = await bench.addVault()
    expect(again.address).toBe(gone?.address)
    bench.vaults.splice(bench.vaults.length - 2, 1)
    for (const raw of raws) await bench.resend(raw)
    await expectTruth()
  })

  test(`of ${REMEMBERED_BLOCKS - 1} blocks`, async () => {
    const depth = REMEMBERED_BLOCKS - 1
    const undone = await undo(async () => {
      await happen(0, 6)
      await bench.mine(depth - 12)
      await happen(6, 6)
    })
    expect(undone).toBe(depth)
    await happen(3, 4)
    await bench.mine(20)
    await expectTruth()
  })
})

test('a zero transfer by anybody from a vault to itself stops nothing', async () => {
  const address = first.address as Address
  const sent = await bench.sendNothing(address, address)
  expect(sent.status).toBe('success')
  await bench.sendNothing(address, second.address as Address)
  await bench.deposit(first, 2n)
  await expectTruth()
})

test('the largest values that the contract accepts stop nothing', async () => {
  const vault = await adopt()
  const [time, cap] = [2n ** 64n - 1n, 2n ** 128n - 1n]
  const config = {
    executor: bench.executor.address,
    expiresAt: time,
    automaticEnabled: true,
    paused: false,
    approvedCap: cap,
    automaticCap: cap,
    lifetimeCap: cap,
    reserveFloor: cap,
    periodSeconds: 31_536_000,
    periodCap: cap,
    automaticPeriodCap: cap,
    tiers: [{ above: cap, approvals: 2 }],
    approvers: [bench.approver.address, bench.recipient],
  }
  const data = encodeFunctionData({
    abi: vaultAbi,
    functionName: 'configurePolicy',
    args: [0n, config],
  })
  const sent = await bench.send(bench.owner, { to: vault.address as Address, data })
  expect(sent.status).toBe('success')
  await expectTruth()
  const { policies } = await ledger.snapshot()
  expect(policies.filter((policy) => policy.vault_id === vaultIdOf(vault.address))).toMatchObject([
    { expires_at: '9999-12-31T23:59:59.000Z', lifetime_cap: cap, reserve_floor: cap },
  ])
})
