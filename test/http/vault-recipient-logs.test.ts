/** Who a vault pays, derived from its logs, and what a reorganisation undoes of it. */

import { checksummed } from '@countersign/proof/values.ts'
import { fc, test as property } from '@fast-check/vitest'
import { beforeAll, describe, expect, test } from 'vitest'
import type { VaultEvent } from '#ports/chain.ts'
import type { TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import {
  applyLogs,
  GENESIS_SECONDS,
  type Logged,
  recipientsChanged,
  rollBackLogs,
} from '#test/support/vault-logs.ts'
import { listVaultRecipients } from '#treasury/vault-recipients.store.ts'

let service: TestApp
let house: ExpenseHouse
let neighbour: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  neighbour = await openExpenseHouse(service)
})

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const apply = (...logs: Logged[]) => applyLogs(service, ...logs)
const rollBack = (toBlock: number) => rollBackLogs(service, toBlock, house)

/** Without the recipient that the house began with. */
const listOf = async ({ organization, vaultId, recipientAddress }: ExpenseHouse) => {
  const { id: organizationId } = organization
  const rows = await service.ctx.db.transaction({ organizationId }, (tx) =>
    listVaultRecipients(tx, { organizationId, vaultId }),
  )
  return rows.filter((row) => row.address !== recipientAddress.toLowerCase())
}

const versionOf = async ({ vaultId }: ExpenseHouse) =>
  (
    await service.database.asOwner<{ version: number }>(
      'select recipients_version::int as version from vaults where id = $1',
      [vaultId],
    )
  )[0]?.version

const reportsOf = ({ organization }: ExpenseHouse) =>
  service.database.asOwner(
    `select code, severity from live_events
     where organization_id = $1 and code ~ '_(drift|changed|blocked|unblocked)$'
     order by id`,
    [organization.id],
  )

const trailOf = ({ organization }: ExpenseHouse) =>
  service.database.asOwner(
    `select action, data from audit_events
     where organization_id = $1 and action like 'vault.recipient%' order by id`,
    [organization.id],
  )

const at = (seconds: number) => new Date(1000 * (GENESIS_SECONDS + seconds)).toISOString()
const listed = (n: number, since = 0) => ({
  address: address(n),
  allowedFrom: at(since),
  blocked: false,
})

const blocked = (n: number): VaultEvent => ({
  name: 'RecipientBlocked',
  recipientAddress: address(n),
  by: address(99),
})
const unblocked = (n: number): VaultEvent => ({
  name: 'RecipientUnblocked',
  recipientAddress: address(n),
})

describe('a change of recipients', () => {
  beforeAll(async () => {
    house = await openExpenseHouse(service)
    await apply(
      [house, 5, recipientsChanged(2, { added: [address(1), address(2)] })],
      [neighbour, 5, recipientsChanged(2, { added: [address(1)] })],
      [
        house,
        6,
        recipientsChanged(3, { added: [address(3)], removed: [address(1)] }, GENESIS_SECONDS + 60),
      ],
    )
  })

  test('lists what it adds from the time that the log says, and removes at once', async () => {
    expect(await listOf(house)).toEqual([listed(2), listed(3, 60)])
    expect(await listOf(neighbour)).toEqual([listed(1)])
    expect(await versionOf(house)).toBe(3)
  })

  test('is undone with its block', async () => {
    await rollBack(5)
    expect(await listOf(house)).toEqual([listed(1), listed(2)])
    expect(await versionOf(house)).toBe(2)
    await rollBack(4)
    expect(await listOf(house)).toEqual([])
    expect(await versionOf(house)).toBe(1)
    expect(await listOf(neighbour)).toEqual([listed(1)])
  })

  test('that removes and adds the same recipient makes it wait again', async () => {
    await apply([house, 7, recipientsChanged(2, { added: [address(5)] })])
    const both = { added: [address(5)], removed: [address(5)] }
    await apply([house, 8, recipientsChanged(3, both, GENESIS_SECONDS + 90)])
    expect(await listOf(house)).toEqual([listed(5, 90)])
    await rollBack(7)
    expect(await listOf(house)).toEqual([listed(5)])
  })
})

describe('a block', () => {
  beforeAll(async () => {
    house = await openExpenseHouse(service)
  })

  test('survives that the recipient is removed and added again', async () => {
    await apply(
      [house, 5, recipientsChanged(2, { added: [address(1)] })],
      [house, 6, blocked(1)],
      [house, 7, recipientsChanged(3, { removed: [address(1)] })],
    )
    expect(await listOf(house)).toEqual([{ address: address(1), allowedFrom: null, blocked: true }])
    await apply([house, 8, recipientsChanged(4, { added: [address(1)] })])
    expect(await listOf(house)).toEqual([{ ...listed(1), blocked: true }])
  })

  test('ends when the owner lifts it, and comes back when that is undone', async () => {
    await apply([house, 9, unblocked(1)])
    expect(await listOf(house)).toEqual([listed(1)])
    await rollBack(8)
    expect(await listOf(house)).toEqual([{ ...listed(1), blocked: true }])
    await rollBack(5)
    expect(await listOf(house)).toEqual([listed(1)])
  })

  test('is possible for an address that was never listed', async () => {
    await apply([house, 9, blocked(7)])
    expect(await listOf(house)).toContainEqual({
      address: address(7),
      allowedFrom: null,
      blocked: true,
    })
  })
})

test('a change that the service did not prepare is reported, and so is every block', async () => {
  house = await openExpenseHouse(service)
  const [one, by] = [checksummed(address(1)), checksummed(address(99))]
  await apply(
    [house, 5, recipientsChanged(2, { added: [address(1)] })],
    [house, 6, blocked(1)],
    [house, 7, unblocked(1)],
  )
  expect(await reportsOf(house)).toEqual([
    { code: 'recipients_drift', severity: 'action_required' },
    { code: 'recipient_blocked', severity: 'action_required' },
    { code: 'recipient_unblocked', severity: 'healthy' },
  ])
  expect(await trailOf(house)).toMatchObject([
    {
      action: 'vault.recipients_changed',
      data: { recipientsVersion: 2, added: [one], removed: [], prepared: false },
    },
    { action: 'vault.recipient_blocked', data: { recipientAddress: one, by } },
    { action: 'vault.recipient_unblocked', data: { recipientAddress: one, by: null } },
  ])
})

type Step = { kind: 'change' | 'block' | 'unblock'; who: number[] }

/** Logs that a vault could have written, one block each, and the list that they leave behind. */
function chainOf(steps: readonly Step[]) {
  const state = new Map<number, { since: number | null; blocked: boolean }>()
  const logs: VaultEvent[] = []
  const lists: ReturnType<typeof listed>[][] = [[]]
  let version = 1
  for (const { kind, who } of steps) {
    const seconds = logs.length
    const [first = 0] = who
    const was = state.get(first) ?? { since: null, blocked: false }
    if (kind === 'change') {
      const isListed = (n: number) => (state.get(n)?.since ?? null) !== null
      const [added, removed] = [who.filter((n) => !isListed(n)), who.filter(isListed)]
      for (const n of who) {
        const since = isListed(n) ? null : seconds
        state.set(n, { since, blocked: state.get(n)?.blocked ?? false })
      }
      version += 1
      const change = { added: added.map(address), removed: removed.map(address) }
      logs.push(recipientsChanged(version, change, GENESIS_SECONDS + seconds))
    } else if (was.blocked === (kind === 'unblock')) {
      state.set(first, { ...was, blocked: kind === 'block' })
      logs.push(kind === 'block' ? blocked(first) : unblocked(first))
    } else continue
    const now = [...state].filter(([, one]) => one.since !== null || one.blocked)
    const rows = now.map(([n, one]) => ({
      address: address(n),
      allowedFrom: one.since === null ? null : at(one.since),
      blocked: one.blocked,
    }))
    lists.push(rows.toSorted((a, b) => (a.address < b.address ? -1 : 1)) as never)
  }
  return { logs, lists }
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('change', 'block', 'unblock'),
    who: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 14 },
)

property.prop([steps, fc.nat()], { numRuns: 25 })(
  'after any logs and any rollback the list is what the remaining logs say',
  async (taken, turn) => {
    house = await openExpenseHouse(service)
    const { logs, lists } = chainOf(taken)
    await apply(...logs.map((event, n): Logged => [house, 10 + n, event]))
    expect(await listOf(house)).toEqual(lists.at(-1))
    const kept = turn % (logs.length + 1)
    await rollBack(9 + kept)
    expect(await listOf(house)).toEqual(lists[kept])
    await apply(...logs.slice(kept).map((event, n): Logged => [house, 10 + kept + n, event]))
    expect(await listOf(house)).toEqual(lists.at(-1))
  },
  120_000,
)
