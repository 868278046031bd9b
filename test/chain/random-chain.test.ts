/**
 * For any events on the chain and failures of the follower, the database is a fold over the blocks.
 */
import { fc } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LogHandlers } from '#chain/log-handlers.ts'
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
import { type Ledger, openLedger, vaultIdOf } from './ledger.ts'

vi.setConfig({ testTimeout: 90_000 })

const vaults = [addressOf(0xf1), addressOf(0xf2)] as const
type Vault = (typeof vaults)[number]

const reads = ['latestBlock', 'findBlock', 'listLogs', 'tokenBalance'] as const

type Act =
  | { do: 'receive' | 'withdraw' | 'pay' | 'configure' | 'pause'; vault: 0 | 1; amount: number }
  | { do: 'mine'; blocks: number }
  | { do: 'fork'; depth: number; keep: boolean; blocks: number }
  | { do: 'fork during'; depth: number; keep: boolean; read: Read; n: number }
  | { do: 'watch'; vault: 0 | 1 }
  | { do: 'step' }
  | { do: 'crash'; at: number }

const vault = fc.constantFrom(0 as const, 1 as const)
const depth = fc.integer({ min: 1, max: 9 })
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('receive', 'withdraw', 'pay', 'configure', 'pause'),
      vault,
      amount: fc.integer({ min: 1, max: 90 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mine'), blocks: fc.nat(70) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fork'),
      depth,
      keep: fc.boolean(),
      blocks: fc.nat(12),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fork during'),
      depth,
      keep: fc.boolean(),
      read: fc.constantFrom(...reads),
      n: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch'), vault }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('step') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('crash'), at: fc.integer({ min: 1, max: 4 }) }),
  },
) as fc.Arbitrary<Act>

type Folded = { balance: bigint; spent: bigint; version: number; pausedIn: (number | null)[] }

/** The reference: what the chain's blocks add up to. */
function fold({ blocks }: FakeChain, address: string, upTo = blocks.length): Folded {
  const folded: Folded = { balance: 0n, spent: 0n, version: 0, pausedIn: [] }
  for (const { logs, number } of blocks.slice(0, upTo + 1)) {
    for (const { vaultAddress, event } of logs) {
      if (vaultAddress !== address) continue
      if (event.name === 'TokenReceived') folded.balance += event.amount
      if (event.name === 'TokenSent') folded.balance -= event.amount
      if (event.name === 'PaymentExecuted') folded.spent += event.amount
      if (event.name === 'EmergencyPaused') folded.pausedIn[event.version - 1] ??= number
      if (event.name !== 'PolicyConfigured') continue
      folded.version = event.version
      folded.pausedIn[event.version - 1] = null
    }
  }
  return folded
}

let chain: FakeChain
let ledger: Ledger
let payments = 0

const current = new Proxy({} as FakeChain, { get: (_, name) => Reflect.get(chain, name) })

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await openLedger(current)
  for (const address of vaults) await ledger.addVault({ address })
})
afterAll(() => ledger.close())

const isMade = (address: Vault): boolean =>
  chain.blocks.some(({ logs }) =>
    logs.some((log) => log.vaultAddress === address && log.event.name === 'VaultCreated'),
  )

/** Only events that the contract would allow. */
function happening(name: string, address: Vault, amount: bigint): Happening[] {
  const { balance, spent, version } = fold(chain, address)
  if (name === 'receive') return [received(address, amount)]
  if (!isMade(address)) return [created(address)]
  if (name === 'configure') return [configured(address, version + 1)]
  if (name === 'pause') return version > 0 ? [paused(address, version)] : []
  if (balance < amount) return []
  if (name === 'withdraw') return [withdrawn(address, amount)]
  payments += 1
  const spentTotal = spent + amount
  return version > 0 ? paid(address, { id: payments, amount, version, spentTotal }) : []
}

/** Removed events that are still valid are mined again one block later; the rest is dropped. */
function fork({ depth: deep, keep }: { depth: number; keep: boolean }) {
  const gone = chain.cut(Math.min(deep, chain.blocks.length - 2))
  chain.mine()
  for (const happenings of gone) chain.mine(keep ? happenings : [])
}

function forkDuring(step: Extract<Act, { do: 'fork during' }>) {
  let seen = 0
  chain.before = (read) => {
    if (read === step.read) seen += 1
    if (seen < step.n) return
    chain.before = calm
    fork(step)
  }
}

const dyingAt = (n: number): LogHandlers => {
  let calls = 0
  const orDie = async (work: Promise<void>) => {
    await work
    calls += 1
    if (calls === n) throw new Error('died')
  }
  const { open, apply, rollBack } = ledger.handlers
  return {
    open: (tx, input) => orDie(open(tx, input)),
    async apply(tx, logs) {
      for (const one of logs) await orDie(apply(tx, [one]))
    },
    rollBack: (tx, input) => orDie(rollBack(tx, input)),
  }
}

async function perform(step: Act): Promise<void> {
  if (step.do === 'mine') return chain.mineEmpty(step.blocks)
  if (step.do === 'fork') {
    fork(step)
    return chain.mineEmpty(step.blocks)
  }
  if (step.do === 'fork during') return forkDuring(step)
  if (step.do === 'step') return void (await ledger.step())
  if (step.do === 'crash') {
    const handlers = dyingAt(step.at)
    await ledger.step({ handlers }).catch((error) => expect(error.message).toBe('died'))
    return
  }
  const address = vaults[step.vault]
  if (step.do === 'watch') return watch(address)
  chain.mine(happening(step.do, address, BigInt(step.amount)))
}

/** Registers a vault as after a confirmed deployment. */
async function watch(address: Vault): Promise<void> {
  const made = chain.blocks.find(({ logs }) =>
    logs.some((log) => log.vaultAddress === address && log.event.name === 'VaultCreated'),
  )
  if (made) await ledger.watch({ address, fromBlock: made.number })
}

async function expectFolded(): Promise<void> {
  const { vaults: rows, policies, position, logs } = await ledger.snapshot()
  expect(position).toMatchObject({ block_hash: chain.head().hash })
  const watched = new Set(
    (await ledger.database.asOwner('select address from chain_watches')).map(
      ({ address }) => address,
    ),
  )
  for (const address of vaults) {
    const { balance, spent, version, pausedIn } = fold(chain, address)
    const row = rows.find((r) => r.address === address)
    const wanted = watched.has(address)
      ? { balance, spent_total: spent, policy_version: version }
      : { balance: 0n, spent_total: 0n, policy_version: 0 }
    expect(row).toEqual({ address, ...wanted })
    const own = policies.filter((policy) => policy.vault_id === vaultIdOf(address))
    expect(own.map((policy) => policy.paused_in_block)).toEqual(
      watched.has(address) ? pausedIn : [],
    )
  }
  const hashes = new Set(chain.blocks.map(({ hash }) => hash))
  expect(logs.filter((log) => !hashes.has(String(log.block_hash)))).toEqual([])
}

describe('any sequence of events, forks, steps and crashes', () => {
  test('ends with the database equal to the chain', async () => {
    const property = fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 40 }),
      async (acts) => {
        chain = createFakeChain()
        await ledger.forget()
        chain.mineEmpty(1)
        await ledger.step()
        for (const address of vaults) chain.mine([created(address)])
        for (const step of acts) await perform(step)
        chain.before = calm
        chain.mine()
        await ledger.follow()
        await expectFolded()
      },
    )
    await fc.assert(property, { numRuns: 60, endOnFailure: false })
  })
})
