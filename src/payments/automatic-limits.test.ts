import { describe, expect, test } from 'vitest'
import {
  type AutomaticQuestion,
  type AutomaticStanding,
  type AutomaticSums,
  automaticRefusal,
  automaticSums,
} from './automatic-limits.ts'

const none: AutomaticSums = { vault: 0n, organization: 0n, recipientFromVault: 0n, recipient: 0n }
const DAY_SECONDS = 86_400

/** Limits: vault 300 a day and 1000 a week, organization 600 and 2000, a recipient half of each. */
const question = (
  standing: Partial<AutomaticStanding> = {},
  change: Partial<AutomaticQuestion> = {},
): AutomaticQuestion => ({
  standing: {
    day: none,
    week: none,
    organizationCap: 200n,
    memberForSeconds: 30 * DAY_SECONDS,
    isOwnWallet: false,
    ...standing,
  },
  rules: { dayTimes: 3, weekTimes: 10, recipientPercent: 50, afterDays: 7, reimbursementMax: 20n },
  automaticCap: 100n,
  amount: 10n,
  ...change,
})

test('a payment within every limit is not refused', () => {
  expect(automaticRefusal(question())).toBeUndefined()
})

describe('a sum including the payment', () => {
  test.each<['day' | 'week', keyof AutomaticSums, bigint]>([
    ['day', 'vault', 300n],
    ['day', 'organization', 600n],
    ['day', 'recipientFromVault', 150n],
    ['day', 'recipient', 300n],
    ['week', 'vault', 1_000n],
    ['week', 'organization', 2_000n],
    ['week', 'recipientFromVault', 500n],
    ['week', 'recipient', 1_000n],
  ])('in a %s, %s: may reach %s and not pass it', (period, scope, limit) => {
    const paidSoFar = (sum: bigint) => question({ [period]: { ...none, [scope]: sum } })
    expect(automaticRefusal(paidSoFar(limit - 10n))).toBeUndefined()
    expect(automaticRefusal(paidSoFar(limit - 9n))).toContain(
      `in a ${period} would be ${limit + 1n} base units, and the limit is ${limit}`,
    )
  })

  test("the organization's limit is the vault's own where that cap is larger", () => {
    const sums = automaticSums(question({ organizationCap: 1n }))
    const limitOf = (scope: string) => sums.find((sum) => sum.scope === scope)?.limit
    expect([limitOf('organization'), limitOf('recipient')]).toEqual([300n, 150n])
  })
})

describe('the member', () => {
  test.each<[string, number | null, boolean]>([
    ['of no active membership', null, true],
    ['a second short of a week', 7 * DAY_SECONDS - 1, true],
    ['of exactly a week', 7 * DAY_SECONDS, false],
  ])('%s', (_name, memberForSeconds, isRefused) => {
    const refusal = automaticRefusal(question({ memberForSeconds }))
    expect(refusal?.includes('a member for less than 7 days') ?? false).toBe(isRefused)
  })

  test('may be paid to their own wallet up to the limit of a reimbursement', () => {
    const own = (amount: bigint) => automaticRefusal(question({ isOwnWallet: true }, { amount }))
    expect(own(20n)).toBeUndefined()
    expect(own(21n)).toContain("pays the submitter's own wallet")
    expect(automaticRefusal(question({}, { amount: 21n }))).toBeUndefined()
  })
})
