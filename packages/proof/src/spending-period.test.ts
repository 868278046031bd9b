import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { countedSince, type PeriodInForce, periodOf, sumsOf } from './spending-period.ts'

const DAY = 86_400
const HOUR = 3_600

test('a period of a day is the UTC day', () => {
  const { startsAt, endsAt } = periodOf(Date.UTC(2026, 10, 17, 23, 59, 59) / 1000, DAY)
  expect(startsAt).toBe(Date.UTC(2026, 10, 17) / 1000)
  expect(endsAt).toBe(Date.UTC(2026, 10, 18) / 1000)
})

test('a period includes its first second and ends before the first of the next', () => {
  expect(periodOf(2 * HOUR - 1, HOUR)).toEqual({ number: 1, startsAt: HOUR, endsAt: 2 * HOUR })
  expect(periodOf(2 * HOUR, HOUR)).toEqual({ number: 2, startsAt: 2 * HOUR, endsAt: 3 * HOUR })
})

test('without a configured period the vault counts in days', () => {
  expect(periodOf(5 * DAY + 7, 0)).toEqual(periodOf(5 * DAY + 7, DAY))
})

test('under a policy older than the period, payments count from the start of the period', () => {
  const policies = [{ periodSeconds: HOUR, inForceFrom: DAY }]
  expect(countedSince(policies, DAY + 5 * HOUR + 1)).toBe(DAY + 5 * HOUR)
})

test('a new policy carries the unfinished period of the one before', () => {
  const policies = [
    { periodSeconds: DAY, inForceFrom: DAY },
    { periodSeconds: HOUR, inForceFrom: 3 * DAY + 5 * HOUR + 10 },
  ]
  expect(countedSince(policies, 3 * DAY + 5 * HOUR + 20)).toBe(3 * DAY)
  expect(countedSince(policies, 3 * DAY + 6 * HOUR)).toBe(3 * DAY + 6 * HOUR)
})

test('a policy that comes into force in the first second of a period carries as well', () => {
  const policies = [
    { periodSeconds: DAY, inForceFrom: DAY },
    { periodSeconds: HOUR, inForceFrom: 3 * DAY + 5 * HOUR },
  ]
  expect(countedSince(policies, 3 * DAY + 5 * HOUR)).toBe(3 * DAY)
})

test('turning the period off and on again carries what was spent', () => {
  const policies = [
    { periodSeconds: HOUR, inForceFrom: 2 * DAY },
    { periodSeconds: 0, inForceFrom: 3 * DAY + 100 },
    { periodSeconds: HOUR, inForceFrom: 3 * DAY + 200 },
  ]
  expect(countedSince(policies, 3 * DAY + 300)).toBe(3 * DAY)
})

test('under the first policy nothing before it can count', () => {
  expect(countedSince([{ periodSeconds: DAY, inForceFrom: DAY + 5 }], DAY + 9)).toBe(DAY + 5)
  expect(countedSince([], DAY + 9)).toBe(DAY + 9)
})

test('sums count both modes in total, and automatic payments alone', () => {
  const payments = [
    { mode: 'approved', amount: 5n },
    { mode: 'automatic', amount: 2n },
    { mode: 'automatic', amount: 1n },
  ] as const
  expect(sumsOf(payments)).toEqual({ total: 8n, automatic: 3n })
  expect(sumsOf([])).toEqual({ total: 0n, automatic: 0n })
})

/** The vault's storage and arithmetic, line by line (`VaultLimits._spend` and `_carryPeriod`). */
class Vault {
  private length = DAY
  private period = 0
  total = 0n
  automatic = 0n

  configure(seconds: number, periodSeconds: number): void {
    if (Math.floor(seconds / this.length) !== this.period) {
      this.total = 0n
      this.automatic = 0n
    }
    this.length = periodSeconds === 0 ? DAY : periodSeconds
    this.period = Math.floor(seconds / this.length)
  }

  pay(seconds: number, amount: bigint, isAutomatic: boolean): void {
    const current = Math.floor(seconds / this.length)
    if (current !== this.period) {
      this.total = 0n
      this.automatic = 0n
    }
    this.period = current
    this.total += amount
    if (isAutomatic) this.automatic += amount
  }
}

const step = fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat(3 * HOUR), fc.nat(3 * DAY)),
  configures: fc.option(fc.constantFrom(0, HOUR, 7_000, DAY, 7 * DAY), { freq: 3 }),
  amount: fc.bigInt(1n, 1_000n),
  isAutomatic: fc.boolean(),
})

property.prop([fc.array(step, { maxLength: 40 }), fc.integer({ min: DAY, max: 2e9 })])(
  'the payments counted since then add up to the sums in the vault',
  (steps, start) => {
    const vault = new Vault()
    const policies: PeriodInForce[] = [{ periodSeconds: 0, inForceFrom: start }]
    const paid: { at: number; mode: 'approved' | 'automatic'; amount: bigint }[] = []
    vault.configure(start, 0)
    let now = start
    for (const { wait, configures, amount, isAutomatic } of steps) {
      now += wait
      if (configures !== null) {
        vault.configure(now, configures)
        policies.push({ periodSeconds: configures, inForceFrom: now })
        continue
      }
      vault.pay(now, amount, isAutomatic)
      paid.push({ at: now, mode: isAutomatic ? 'automatic' : 'approved', amount })
      const since = countedSince(policies, now)
      const { total, automatic } = vault
      expect(sumsOf(paid.filter(({ at }) => at >= since))).toEqual({ total, automatic })
    }
  },
)
