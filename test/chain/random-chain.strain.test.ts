/**
 * For any events on the chain and failures of the follower, the database is a fold over the blocks.
 */
import { fc } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LogHandlers } from '#chain/log-handlers.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { listVaultRecipients, type RecipientStanding } from '#treasury/vault-recipients.store.ts'
import {
  addressOf,
  calm,
  created,
  createFakeChain,
  type FakeChain,
  type Read,
} from './fake-chain.ts'
import { type Folded, fold, happening } from './folded-chain.ts'
import { type Ledger, openLedger, organizationOf, vaultIdOf } from './ledger.ts'

vi.setConfig({ testTimeout: 90_000 })

const vaults = [addressOf(0xf1), addressOf(0xf2)] as const
type Vault = (typeof vaults)[number]

const reads = ['latestBlock', 'findBlock', 'listLogs', 'tokenBalance'] as const

const doings = [
  'receive',
  'withdraw',
  'pay',
  'configure',
  'pause',
  'unpause',
  'list',
  'block',
  'revoke',
] as const

type Act =
  | { do: (typeof doings)[number]; vault: 0 | 1; amount: number }
  | { do: 'mine'; blocks: number }
  | { do: 'fork'; depth: number; keep: boolean; blocks: number }
  | { do: 'fork during'; depth: number; keep: boolean; read: Read; n: number }
  | { do: 'watch'; vault: 0 | 1 }
  | { do: 'step'; range: number }
  | { do: 'crash'; at: number }

const vault = fc.constantFrom(0 as const, 1 as const)
const depth = fc.integer({ min: 1, max: 9 })
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(...doings),
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
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('step'), range: fc.constantFrom(5, 60, 500) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('crash'), at: fc.integer({ min: 1, max: 4 }) }),
  },
) as fc.Arbitrary<Act>

let chain: FakeChain
let ledger: Ledger

const current = new Proxy({} as FakeChain, { get: (_, name) => Reflect.get(chain, name) })

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await openLedger(current)
  for (const address of vaults) await ledger.addVault({ address })
})
afterAll(() => ledger.close())

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
  if (step.do === 'step') return void (await ledger.step({ range: step.range }))
  if (step.do === 'crash') {
    const handlers = dyingAt(step.at)
    await ledger.step({ handlers }).catch((error) => expect(error.message).toBe('died'))
    return ledger.endWaits()
  }
  const address = vaults[step.vault]
  if (step.do === 'watch') return watch(address)
  chain.mine(happening(chain, { name: step.do, address, amount: BigInt(step.amount) }))
}

/** Registers a vault as after a confirmed deployment. */
async function watch(address: Vault): Promise<void> {
  const made = chain.blocks.find(({ logs }) =>
    logs.some((log) => log.vaultAddress === address && log.event.name === 'VaultCreated'),
  )
  if (made) await ledger.watch({ address, fromBlock: made.number })
}

/** As the rest of the service reads them. */
async function expectPolicies(address: Vault, made: Folded): Promise<void> {
  const key = { organizationId: organizationOf(address), vaultId: vaultIdOf(address) }
  await ledger.db.transaction(key, async (tx) => {
    const standings = await listVaultRecipients(tx, key)
    const those = (isSuch: (standing: RecipientStanding) => boolean) =>
      standings.filter(isSuch).map((standing) => standing.address)
    expect(those(({ allowedFrom }) => allowedFrom !== null)).toEqual([...made.listed].sort())
    expect(those(({ blocked: isBlocked }) => isBlocked)).toEqual([...made.blocked].sort())
    for (const [index, approvers] of made.approvers.entries()) {
      const policy = await findPolicy(tx, { ...key, version: index + 1 })
      expect(policy?.approverAddresses).toEqual(approvers)
      if (index + 1 === made.version) expect(policy?.paused).toBe(made.paused)
    }
    expect(await findPolicy(tx, { ...key, version: made.version + 1 })).toBeUndefined()
  })
}

async function expectFolded(): Promise<void> {
  const { vaults: rows, position, logs } = await ledger.snapshot()
  expect(position).toMatchObject({ block_hash: chain.head().hash })
  const watched = new Set(
    (await ledger.database.asOwner('select address from chain_watches')).map(
      ({ address }) => address,
    ),
  )
  for (const address of vaults) {
    const made = fold(watched.has(address) ? chain : createFakeChain(), address)
    expect(rows.find((row) => row.address === address)).toEqual({
      address,
      balance: made.balance,
      spent_total: made.spent,
      policy_version: made.version,
      recipients_version: made.recipientsVersion,
      pause_number: made.pauseNumber,
    })
    await expectPolicies(address, made)
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
