/** An organization with two executors, and the logs of its vault that decide which one is used. */
import { randomBytes } from 'node:crypto'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { beforeAll, beforeEach } from 'vitest'
import { insertBinding } from '#executor/executor.store.ts'
import { rotateExecutors } from '#executor/rotate-executors.ts'
import type { VaultEvent } from '#ports/chain.ts'
import type { TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'

export let service: TestApp
let house: ExpenseHouse
export let organizationId: string
/** Addresses of the executors: the policy in force names the first one. */
export let first: string
export let second: string

/** A new organization for each test of the file. */
export function openTwoExecutors(): void {
  beforeAll(async () => {
    service = await sharedTestApp()
    await liftOwnersRowSecurity(service.database)
  })
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
}

export const asOwner = <T extends object>(statement: string) =>
  service.database.asOwner<T & Record<string, unknown>>(statement, [organizationId])

export const anAddress = () => `0x${randomBytes(20).toString('hex')}`

export async function bindNext(): Promise<string> {
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

export async function apply(blockNumber: number, event: VaultEvent): Promise<void> {
  const place = { blockNumber, blockHash: hash(blockNumber), logIndex: 0 }
  const transactionHash = `0x${randomBytes(32).toString('hex')}`
  const log = { vaultAddress: vaultAddress(), ...place, transactionHash, event }
  const timed = [{ log, timeSeconds: 1_700_000_000 + blockNumber }]
  await service.ctx.db.transaction({}, (tx) => treasuryLogHandlers(service.ctx).apply(tx, timed))
}

export const rollBack = (toBlock: number): Promise<void> =>
  service.ctx.db.transaction({}, (tx) =>
    treasuryLogHandlers(service.ctx).rollBack(tx, { toBlock, vaultAddresses: [vaultAddress()] }),
  )

export const naming = (executorAddress: string): ChainPolicy => ({
  executorAddress,
  approverAddresses: [`0x${'a1'.repeat(20)}`],
  ...withoutPeriod,
  ...{ approvedCap: 3n, automaticCap: 2n, lifetimeCap: 9n, reserveFloor: 1n },
  ...{ expiresAtSeconds: 4_000_000_000, automaticEnabled: true, paused: false },
})

export const configured = (version: number, address: string): VaultEvent => ({
  name: 'PolicyConfigured',
  version,
  policy: naming(address),
})

/** The follower has read this block. */
export const reach = (block: number) =>
  service.database.asOwner(
    `insert into chain_position (block_number, block_hash, block_time, seen_at)
     values ($1, $2, now(), now())
     on conflict (only_row) do update set block_number = excluded.block_number`,
    [block, hash(block)],
  )

/** After a pass of the job, oldest first. */
export async function states(): Promise<string[]> {
  await service.ctx.db.transaction({ organizationId }, (tx) =>
    rotateExecutors(service.ctx, tx, organizationId),
  )
  const rows = await asOwner<{ state: string }>(
    'select state from executor_bindings where organization_id = $1 order by id',
  )
  return rows.map(({ state }) => state)
}
