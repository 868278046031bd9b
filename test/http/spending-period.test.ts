/** What a vault has paid in its period: the service counts as the contract does. */
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import { fc, test as property } from '@fast-check/vitest'
import { beforeAll, describe, expect, test } from 'vitest'
import type { VaultEvent } from '#ports/chain.ts'
import type { TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  applyLogs,
  configured,
  executed,
  GENESIS_SECONDS,
  type Logged,
  rollBackLogs,
} from '#test/support/vault-logs.ts'
import { readPeriod } from '#treasury/period.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { findVault } from '#treasury/vaults.store.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

/** What the service counts at that many seconds after the first block. */
async function counted({ organization, vaultId }: ExpenseHouse, seconds: number) {
  const key = { organizationId: organization.id, vaultId }
  const now = secondsToTimestamp(GENESIS_SECONDS + seconds)
  return service.ctx.db.transaction({ organizationId: key.organizationId }, async (tx) => {
    const version = (await findVault(tx, key))?.policyVersion ?? 0
    return readPeriod(tx, { policy: await findPolicy(tx, { ...key, version }), now })
  })
}

const period = (periodSeconds: number) => ({
  periodSeconds,
  ...(periodSeconds > 0 && { periodCap: 900n, automaticPeriodCap: 900n }),
})

/** Seconds from the first block to the first midnight (UTC) after it. */
const MIDNIGHT = 86_400 - (GENESIS_SECONDS % 86_400)
const HOUR = 3_600

describe('the sums of a period', () => {
  let house: ExpenseHouse
  beforeAll(async () => {
    house = await openExpenseHouse(service)
    await applyLogs(
      service,
      [house, 10, configured(2, period(86_400))],
      [house, 20, executed(1, 5n)],
      [house, 30, executed(2, 7n, 'automatic')],
    )
  })

  test('are those of both modes and of the automatic one', async () => {
    expect(await counted(house, 40)).toMatchObject({ total: 12n, automatic: 7n })
  })

  test('begin anew at midnight, to the second', async () => {
    const endsAt = secondsToTimestamp(GENESIS_SECONDS + MIDNIGHT)
    expect(await counted(house, MIDNIGHT - 1)).toMatchObject({ total: 12n, endsAt })
    await applyLogs(service, [house, MIDNIGHT, executed(3, 11n, 'automatic')])
    expect(await counted(house, MIDNIGHT)).toMatchObject({ total: 11n, automatic: 11n })
    expect(await counted(house, MIDNIGHT + 86_400)).toMatchObject({ total: 0n, automatic: 0n })
  })

  test('are not counted without a period', async () => {
    const other = await openExpenseHouse(service)
    await applyLogs(service, [other, 10, configured(2)], [other, 20, executed(1, 5n)])
    expect(await counted(other, 30)).toBeUndefined()
  })
})

describe('a new policy', () => {
  test('does not begin a new budget: what the day has paid counts in the new hour', async () => {
    const house = await openExpenseHouse(service)
    await applyLogs(
      service,
      [house, 10, configured(2, period(86_400))],
      [house, MIDNIGHT, executed(1, 5n)],
      [house, MIDNIGHT + 3 * HOUR, configured(3, period(HOUR))],
    )
    expect(await counted(house, MIDNIGHT + 4 * HOUR - 1)).toMatchObject({ total: 5n })
    expect(await counted(house, MIDNIGHT + 4 * HOUR)).toMatchObject({ total: 0n })
  })

  test('keeps what was paid without a period in the same day', async () => {
    const house = await openExpenseHouse(service)
    await applyLogs(
      service,
      [house, 10, configured(2)],
      [house, 20, executed(1, 5n, 'automatic')],
      [house, 30, configured(3, period(7 * 86_400))],
    )
    expect(await counted(house, 40)).toMatchObject({ total: 5n, automatic: 5n })
  })
})

type Step = { after: number; event: { length: number } | { amount: number; isAutomatic: boolean } }

const lengths = [0, HOUR, 2 * HOUR, 86_400, 100_000, 7 * 86_400]

const steps = fc.array(
  fc.record<Step>({
    after: fc.oneof(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 90_000 })),
    event: fc.oneof(
      fc.record({ length: fc.constantFrom(...lengths) }),
      fc.record({ amount: fc.integer({ min: 1, max: 50 }), isAutomatic: fc.boolean() }),
    ),
  }),
  { minLength: 1, maxLength: 16 },
)

/** The contract's three numbers, changed as `_spend` and `_carryPeriod` change them. */
function contractOf(taken: readonly Step[]) {
  const slot = { length: 0, number: -1, total: 0n, automatic: 0n }
  const numberAt = (seconds: number) =>
    Math.floor((GENESIS_SECONDS + seconds) / (slot.length || 86_400))
  const clear = (seconds: number) => {
    if (numberAt(seconds) !== slot.number) Object.assign(slot, { total: 0n, automatic: 0n })
  }
  const logs: [number, VaultEvent][] = []
  let [seconds, version] = [1, 1]
  for (const { after, event } of taken) {
    seconds += after
    clear(seconds)
    if ('length' in event) {
      slot.length = event.length
      version += 1
      logs.push([seconds, configured(version, period(event.length))])
    } else {
      const amount = BigInt(event.amount)
      slot.total += amount
      if (event.isAutomatic) slot.automatic += amount
      const mode = event.isAutomatic ? 'automatic' : 'approved'
      logs.push([seconds, executed(logs.length, amount, mode)])
    }
    slot.number = numberAt(seconds)
  }
  return {
    logs,
    seconds,
    sumsAt: (at: number) => {
      clear(at)
      return slot.length === 0 ? undefined : { total: slot.total, automatic: slot.automatic }
    },
  }
}

const expectEqualSums = async (house: ExpenseHouse, taken: readonly Step[], later: number) => {
  const { seconds, sumsAt } = contractOf(taken)
  const at = seconds + later
  const found = await counted(house, at)
  expect(found && { total: found.total, automatic: found.automatic }).toEqual(sumsAt(at))
}

property.prop([steps, fc.nat(90_000), fc.nat()], { numRuns: 30 })(
  'any policies and payments give the sums of the contract, and so does any rollback',
  async (taken, later, turn) => {
    const house = await openExpenseHouse(service)
    // The house's own policy is older than every log.
    const logs = contractOf(taken).logs.map(([n, event]): Logged => [house, n, event])
    await applyLogs(service, ...logs)
    await expectEqualSums(house, taken, later)
    const kept = turn % taken.length
    const [, block = 0] = logs[kept] ?? []
    const remaining = taken.filter((_, n) => (logs[n]?.[1] ?? 0) < block)
    await rollBackLogs(service, block - 1, house)
    if (remaining.length > 0) await expectEqualSums(house, remaining, later)
  },
  120_000,
)
