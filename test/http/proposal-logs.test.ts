/** What logs about policies that wait do to the rows, and what a reorganisation undoes of it. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { proposalIdOf } from '@countersign/proof/proposal-id.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '#context.ts'
import { followProposal } from '#payments/activations/follow-proposal.ts'
import type { VaultEvent } from '#ports/chain.ts'
import type { Delegation } from '#ports/executor-provider.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())
beforeEach(async () => {
  house = await openExpenseHouse(service)
})

const GENESIS_SECONDS = 1_700_000_000
const DELAY = 100
const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const vaultAddress = () => house.vaultAddress.toLowerCase()
const BY = `0x${'ab'.repeat(20)}`

/** One log in each of the given blocks, applied as the follower does. */
async function apply(...logs: [number, VaultEvent][]): Promise<void> {
  const timed = logs.map(([blockNumber, event], logIndex) => ({
    log: {
      ...{ vaultAddress: vaultAddress(), blockNumber, blockHash: hash(blockNumber), logIndex },
      ...{ transactionHash: hash(1_000 * blockNumber + logIndex), event },
    },
    timeSeconds: GENESIS_SECONDS + blockNumber,
  }))
  const handlers = treasuryLogHandlers(service.ctx)
  await service.ctx.db.transaction({}, (tx) => handlers.apply(tx, timed))
}

const rollBack = (toBlock: number): Promise<void> =>
  service.ctx.db.transaction({}, (tx) =>
    treasuryLogHandlers(service.ctx).rollBack(tx, { toBlock, vaultAddresses: [vaultAddress()] }),
  )

const policy = (approvedCap: bigint, changed: Partial<ChainPolicy> = {}): ChainPolicy => ({
  executorAddress: `0x${'e1'.repeat(20)}`,
  approverAddresses: [`0x${'a1'.repeat(20)}`],
  ...withoutPeriod,
  ...{ approvedCap, automaticCap: 2n, lifetimeCap: 9n, reserveFloor: 1n },
  ...{ expiresAtSeconds: 4_000_000_000, automaticEnabled: true, paused: false },
  ...changed,
})

const proposed = (block: number, terms: ChainPolicy): [number, VaultEvent] => [
  block,
  {
    name: 'PolicyProposed',
    proposalId: proposalIdOf(1, terms),
    expectedVersion: 1,
    activatesAtSeconds: GENESIS_SECONDS + block + DELAY,
    policy: terms,
  },
]
const vetoed = (block: number, terms: ChainPolicy): [number, VaultEvent] => [
  block,
  { name: 'PolicyVetoed', proposalId: proposalIdOf(1, terms), by: BY },
]
const configured = (block: number, terms: ChainPolicy): [number, VaultEvent] => [
  block,
  { name: 'PolicyConfigured', version: 2, policy: terms },
]

const proposals = async () =>
  service.database.asOwner(
    `select state, (policy ->> 'approvedCap')::int as cap, ended_block::int as ended
     from vault_proposals where vault_id = $1 order by block_number, log_index`,
    [house.vaultId],
  )

async function newestId(): Promise<string> {
  const [row] = await service.database.asOwner<{ id: string }>(
    'select id from vault_proposals where vault_id = $1 order by block_number desc limit 1',
    [house.vaultId],
  )
  return row?.id ?? ''
}

const [A, B] = [policy(3n), policy(4n)]

describe('logs of proposals', () => {
  test('a proposal waits, with the id that the vault gave it', async () => {
    await apply(proposed(20, A))
    expect(await proposals()).toEqual([{ state: 'waiting', cap: 3, ended: null }])
  })

  test('a newer proposal supersedes the one before, even within one block', async () => {
    await apply(proposed(20, A), proposed(20, B))
    expect(await proposals()).toEqual([
      { state: 'superseded', cap: 3, ended: 20 },
      { state: 'waiting', cap: 4, ended: null },
    ])
  })

  test('a veto ends the proposal that it names and no other', async () => {
    await apply(proposed(20, A), vetoed(21, B))
    expect(await proposals()).toEqual([{ state: 'waiting', cap: 3, ended: null }])
    await apply(vetoed(22, A))
    expect(await proposals()).toEqual([{ state: 'vetoed', cap: 3, ended: 22 }])
  })

  test('the same policy can be proposed again after a veto', async () => {
    await apply(proposed(20, A), vetoed(21, A), proposed(22, A))
    expect((await proposals()).map(({ state }) => state)).toEqual(['vetoed', 'waiting'])
  })

  test('a configured policy activates the proposal', async () => {
    await apply(proposed(20, A), configured(21, A))
    expect(await proposals()).toEqual([{ state: 'activated', cap: 3, ended: 21 }])
  })

  test('one that nobody prepared here is reported as drift', async () => {
    await apply(proposed(20, A))
    const events = await service.database.asOwner(
      `select code, severity from live_events where organization_id = $1
       and target_state = 'proposed'`,
      [house.organization.id],
    )
    expect(events).toEqual([{ code: 'policy_proposal_drift', severity: 'action_required' }])
    const [audited] = await service.database.asOwner(
      `select data from audit_events where organization_id = $1 and action = 'policy.proposed'`,
      [house.organization.id],
    )
    expect(audited?.data).toMatchObject({
      prepared: false,
      changes: { approvedCap: { to: '3' } },
    })
  })
})

describe('a reorganisation', () => {
  test('removes a proposal whose block is gone, and reopens the one that it replaced', async () => {
    await apply(proposed(20, A), proposed(22, B))
    await rollBack(21)
    expect(await proposals()).toEqual([{ state: 'waiting', cap: 3, ended: null }])
    await rollBack(19)
    expect(await proposals()).toEqual([])
  })

  test.each([
    ['veto', vetoed],
    ['activation', configured],
  ] as const)(
    'reopens a proposal whose %s is gone, and applies it again',
    async (_name, ending) => {
      await apply(proposed(20, A), ending(22, A))
      const before = await proposals()
      await rollBack(21)
      expect(await proposals()).toEqual([{ state: 'waiting', cap: 3, ended: null }])
      await apply(ending(22, A))
      expect(await proposals()).toEqual(before)
    },
  )

  test('leaves what ended at or below its block', async () => {
    await apply(proposed(20, A), vetoed(21, A))
    await rollBack(21)
    expect(await proposals()).toEqual([{ state: 'vetoed', cap: 3, ended: 21 }])
  })

  test('reopens a proposal that had expired, and does not lose another vault', async () => {
    await apply(proposed(20, A))
    const id = await newestId()
    await service.database.asOwner(
      `insert into chain_position (block_number, block_hash, block_time, seen_at)
       values (900, $1, '2099-01-01', now()) on conflict (only_row) do update
       set block_number = 900, block_time = '2099-01-01'`,
      [hash(900)],
    )
    await followProposal(service.ctx, { organizationId: house.organization.id, id })
    expect(await proposals()).toEqual([{ state: 'expired', cap: 3, ended: 900 }])
    await rollBack(899)
    expect(await proposals()).toEqual([{ state: 'waiting', cap: 3, ended: null }])
    await service.database.asOwner('delete from chain_position', [])
  })
})

describe('following a proposal', () => {
  const follow = async (ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'executor'> = service.ctx) => {
    const id = await newestId()
    await followProposal(ctx, { organizationId: house.organization.id, id })
    const [activation] = await service.database.asOwner(
      'select state, code from policy_activations where id = $1',
      [id],
    )
    return activation
  }

  test('does nothing for one that is gone', async () => {
    const id = '00000000-0000-7000-8000-000000000000'
    await followProposal(service.ctx, { organizationId: house.organization.id, id })
  })

  test('queues an activation once, however often it runs', async () => {
    await apply(proposed(20, A))
    const first = await follow()
    expect(first).toEqual({ state: 'queued', code: null })
    expect(await follow()).toEqual(first)
    const queued = await service.database.asOwner(
      `select 1 from audit_events where organization_id = $1
       and action = 'policy_activation.queued'`,
      [house.organization.id],
    )
    expect(queued).toHaveLength(1)
  })

  test('leaves the activation to the owner while the executor is delegated', async () => {
    await apply(proposed(20, A))
    const { executor } = service.ctx
    const delegation = { inFlightMax: 1, repeatAfterMs: 1, paysOwnGas: false } as Delegation
    const delegated = { ...executor, sign: undefined, delegation }
    const asked = { ...service.ctx, executor: delegated }
    expect(await follow(asked)).toEqual({ state: 'queued', code: 'executor_delegated' })
    expect(await follow()).toEqual({ state: 'queued', code: null })
  })

  test('leaves the activation to the owner without an executor', async () => {
    await apply(proposed(20, A))
    await service.database.asOwner(
      `update executor_bindings set state = 'disabled' where organization_id = $1`,
      [house.organization.id],
    )
    expect(await follow()).toEqual({ state: 'queued', code: 'executor_not_ready' })
  })

  test('leaves a policy to its owner that it cannot encode as it was proposed', async () => {
    const beyond = policy(3n, { expiresAtSeconds: 2 ** 60 })
    await apply(proposed(20, beyond))
    expect(await follow()).toEqual({ state: 'queued', code: 'policy_unreadable' })
  })

  test('cancels an activation whose proposal was vetoed', async () => {
    await apply(proposed(20, A))
    await follow()
    await apply(vetoed(21, A))
    expect((await follow())?.state).toBe('cancelled')
    await rollBack(20)
    expect((await follow())?.state).toBe('queued')
  })
})
