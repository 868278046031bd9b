/** What policies on chain, their end and their rollback do to the executors of an organization. */
import { randomBytes } from 'node:crypto'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { proposalIdOf } from '@countersign/proof/proposal-id.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertBinding } from '#executor/executor.store.ts'
import { rotateExecutors } from '#executor/rotate-executors.ts'
import type { VaultEvent } from '#ports/chain.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'

let service: TestApp
let house: ExpenseHouse
let organizationId: string
let first: string
let second: string

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())
beforeEach(async () => {
  house = await openExpenseHouse(service)
  organizationId = house.organization.id
  const [row] = await asOwner<{ address: string }>(
    'select address from executor_bindings where organization_id = $1',
  )
  first = row?.address ?? ''
  second = await bindNext()
  await reach(0)
})

const asOwner = <T extends object>(statement: string) =>
  service.database.asOwner<T & Record<string, unknown>>(statement, [organizationId])

const anAddress = () => `0x${randomBytes(20).toString('hex')}`

async function bindNext(): Promise<string> {
  const { ctx } = service
  const address = anAddress()
  await ctx.db.transaction({ organizationId }, (tx) =>
    insertBinding(tx, {
      id: ctx.ids.next(),
      organizationId,
      state: 'next',
      providerType: 'local',
      paysOwnGas: true,
      address,
      chainId: 31_337,
      reference: randomBytes(32),
      at: ctx.clock.now(),
    }),
  )
  return address
}

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const vaultAddress = () => house.vaultAddress.toLowerCase()

async function apply(blockNumber: number, event: VaultEvent): Promise<void> {
  const place = { blockNumber, blockHash: hash(blockNumber), logIndex: 0 }
  const transactionHash = `0x${randomBytes(32).toString('hex')}`
  const log = { vaultAddress: vaultAddress(), ...place, transactionHash, event }
  const timed = [{ log, timeSeconds: 1_700_000_000 + blockNumber }]
  await service.ctx.db.transaction({}, (tx) => treasuryLogHandlers(service.ctx).apply(tx, timed))
}

const rollBack = (toBlock: number): Promise<void> =>
  service.ctx.db.transaction({}, (tx) =>
    treasuryLogHandlers(service.ctx).rollBack(tx, { toBlock, vaultAddresses: [vaultAddress()] }),
  )

const naming = (executorAddress: string): ChainPolicy => ({
  executorAddress,
  approverAddresses: [`0x${'a1'.repeat(20)}`],
  ...withoutPeriod,
  ...{ approvedCap: 3n, automaticCap: 2n, lifetimeCap: 9n, reserveFloor: 1n },
  ...{ expiresAtSeconds: 4_000_000_000, automaticEnabled: true, paused: false },
})

const configured = (version: number, address: string): VaultEvent => ({
  name: 'PolicyConfigured',
  version,
  policy: naming(address),
})

/** The follower has read this block. */
const reach = (block: number) =>
  service.database.asOwner(
    `insert into chain_position (block_number, block_hash, block_time, seen_at)
     values ($1, $2, now(), now())
     on conflict (only_row) do update set block_number = excluded.block_number`,
    [block, hash(block)],
  )

/** After a pass of the job, oldest first. */
async function states(): Promise<string[]> {
  await service.ctx.db.transaction({ organizationId }, (tx) =>
    rotateExecutors(service.ctx, tx, organizationId),
  )
  const rows = await asOwner<{ state: string }>(
    'select state from executor_bindings where organization_id = $1 order by id',
  )
  return rows.map(({ state }) => state)
}

/** The policy in force names the second executor, and everything about it is final. */
async function replaceFirst(): Promise<void> {
  await apply(20, configured(2, second))
  await reach(1_000)
}

describe('the next executor', () => {
  test('stays next while no policy in force names it', async () => {
    expect(await states()).toEqual(['active', 'next'])
  })

  test('is active as soon as a policy names it, and the one before drains', async () => {
    await apply(20, configured(2, second))
    expect(await states()).toEqual(['draining', 'active'])
  })

  test('takes over by a policy that the service did not prepare, too', async () => {
    await apply(20, configured(2, anAddress()))
    expect(await states()).toEqual(['active', 'next'])
    await apply(21, configured(3, second))
    expect(await states()).toEqual(['draining', 'active'])
  })

  test('is next again after a rollback of its policy', async () => {
    await apply(20, configured(2, second))
    expect(await states()).toEqual(['draining', 'active'])
    await rollBack(19)
    expect(await states()).toEqual(['active', 'next'])
  })

  test('stays next when the policy that names it is vetoed', async () => {
    const policy = naming(second)
    const proposalId = proposalIdOf(1, policy)
    const activatesAtSeconds = 1_700_000_100
    const terms = { proposalId, expectedVersion: 1, activatesAtSeconds, policy }
    await apply(20, { name: 'PolicyProposed', ...terms })
    expect(await states()).toEqual(['active', 'next'])
    await apply(21, { name: 'PolicyVetoed', proposalId, by: anAddress() })
    expect(await states()).toEqual(['active', 'next'])
  })

  test('is skipped by a policy that names a later one', async () => {
    const third = await bindNext()
    await apply(20, configured(2, third))
    expect(await states()).toEqual(['draining', 'draining', 'active'])
    await reach(1_000)
    expect(await states()).toEqual(['disabled', 'disabled', 'active'])
  })
})

describe('an executor that drains', () => {
  test('is retired once its last policy is replaced for good', async () => {
    const { confirmations } = service.ctx.chain
    await apply(20, configured(2, second))
    await reach(20 + confirmations - 2)
    expect(await states()).toEqual(['draining', 'active'])
    expect(await states()).toEqual(['draining', 'active'])
    await reach(20 + confirmations - 1)
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('is active again if a policy names it before it is retired', async () => {
    await apply(20, configured(2, second))
    expect(await states()).toEqual(['draining', 'active'])
    await apply(21, configured(3, first))
    expect(await states()).toEqual(['active', 'next'])
  })

  test('stays retired when a policy names it later', async () => {
    await replaceFirst()
    await states()
    expect(await states()).toEqual(['disabled', 'active'])
    await apply(1_001, configured(3, first))
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('waits for a proposal that names it', async () => {
    await replaceFirst()
    const policy = naming(first)
    const proposalId = proposalIdOf(2, policy)
    const terms = { proposalId, expectedVersion: 2, activatesAtSeconds: 1_900_000_000, policy }
    await apply(1_001, { name: 'PolicyProposed', ...terms })
    await states()
    expect(await states()).toEqual(['draining', 'active'])
    await apply(1_002, { name: 'PolicyVetoed', proposalId, by: anAddress() })
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('records each change once in the audit trail', async () => {
    await replaceFirst()
    for (const _pass of [1, 2, 3]) await states()
    const rows = await asOwner<{ action: string }>(
      `select action from audit_events where organization_id = $1
       and aggregate_type = 'executor' order by seq`,
    )
    const actions = ['executor.replaced', 'executor.activated', 'executor.retired']
    expect(rows.map(({ action }) => action)).toEqual(actions)
  })
})
