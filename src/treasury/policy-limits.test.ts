import { describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import {
  type ChosenLimits,
  limitsAfter,
  NO_LIMITS,
  type PolicyLimits,
  requireConsistentLimits,
  requireFillableTiers,
  toLimitsRecord,
} from './policy-limits.ts'

const DAILY = { periodSeconds: 86_400, periodCap: 900n, automaticPeriodCap: 300n }
const TIERS = [
  { above: 100n, approvals: 2 },
  { above: 500n, approvals: 3 },
]
const inForce: PolicyLimits = { ...DAILY, tiers: TIERS }

const refusalOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return `${(error as AppError).code}: ${(error as AppError).message}`
  }
  return 'fine'
}

describe('the limits of a policy that is prepared now', () => {
  test.each<[string, PolicyLimits | undefined, ChosenLimits, PolicyLimits]>([
    ['a first policy that names none has none', undefined, {}, NO_LIMITS],
    ['omitted keeps what is in force', inForce, {}, inForce],
    ['a cap alone keeps the rest', inForce, { periodCap: 1n }, { ...inForce, periodCap: 1n }],
    [
      'a length alone keeps the caps',
      inForce,
      { periodSeconds: 3600 },
      { ...inForce, periodSeconds: 3600 },
    ],
    [
      'null for the period turns it off with its caps',
      inForce,
      { periodSeconds: null },
      { ...NO_LIMITS, tiers: TIERS },
    ],
    [
      'null for all three turns it off',
      inForce,
      { periodSeconds: null, periodCap: null, automaticPeriodCap: null },
      { ...NO_LIMITS, tiers: TIERS },
    ],
    ['null for tiers turns them off', inForce, { tiers: null }, { ...DAILY, tiers: [] }],
    ['an empty list turns them off too', inForce, { tiers: [] }, { ...DAILY, tiers: [] }],
    ['a period can be turned on', undefined, DAILY, { ...DAILY, tiers: [] }],
    [
      'null for what is off changes nothing',
      undefined,
      { periodSeconds: null, periodCap: null, tiers: null },
      NO_LIMITS,
    ],
    [
      'a cap of zero is a cap',
      undefined,
      { ...DAILY, periodCap: 0n, automaticPeriodCap: 0n },
      { ...DAILY, periodCap: 0n, automaticPeriodCap: 0n, tiers: [] },
    ],
  ])('%s', (_name, before, chosen, after) => {
    expect(limitsAfter(before, chosen)).toEqual(after)
  })

  const NEEDS_CAP = (name: string) =>
    `validation_failed: A period needs \`${name}\`. Set it, or set \`periodSeconds\` to null ` +
    'for no period.'
  const NEEDS_PERIOD = (name: string) =>
    `validation_failed: \`${name}\` needs a period. Set \`periodSeconds\` too, or leave the ` +
    'cap out.'

  test.each<[string, PolicyLimits | undefined, ChosenLimits, string]>([
    ['a first period without caps', undefined, { periodSeconds: 3600 }, NEEDS_CAP('periodCap')],
    [
      'a first period without the automatic cap',
      undefined,
      { periodSeconds: 3600, periodCap: 1n },
      NEEDS_CAP('automaticPeriodCap'),
    ],
    ['a period whose cap is turned off', inForce, { periodCap: null }, NEEDS_CAP('periodCap')],
    [
      'a period whose automatic cap is turned off',
      inForce,
      { automaticPeriodCap: null },
      NEEDS_CAP('automaticPeriodCap'),
    ],
    ['a cap without a period', undefined, { periodCap: 1n }, NEEDS_PERIOD('periodCap')],
    [
      'an automatic cap without a period',
      undefined,
      { automaticPeriodCap: 0n },
      NEEDS_PERIOD('automaticPeriodCap'),
    ],
    [
      'a cap for a period that is turned off',
      inForce,
      { periodSeconds: null, periodCap: 1n },
      NEEDS_PERIOD('periodCap'),
    ],
  ])('%s is refused', (_name, before, chosen, message) => {
    expect(refusalOf(() => limitsAfter(before, chosen))).toBe(message)
  })
})

describe('limits that no contract accepts', () => {
  const check = (limits: Partial<PolicyLimits>, automaticCap = 100n) =>
    refusalOf(() => requireConsistentLimits({ ...NO_LIMITS, ...limits, automaticCap }))
  const NOT_ASCENDING =
    'validation_failed: `tiers` must ascend: each above more and with more approvals than before.'

  test.each<[string, Partial<PolicyLimits>, string]>([
    ['none', {}, 'fine'],
    ['a period and tiers', inForce, 'fine'],
    ['equal caps', { ...DAILY, automaticPeriodCap: 900n }, 'fine'],
    [
      'more automatic than in all',
      { ...DAILY, automaticPeriodCap: 901n },
      'validation_failed: `automaticPeriodCap` must not be above `periodCap`.',
    ],
    [
      'amounts that do not ascend',
      {
        tiers: [
          { above: 500n, approvals: 2 },
          { above: 500n, approvals: 3 },
        ],
      },
      NOT_ASCENDING,
    ],
    [
      'approvals that do not ascend',
      {
        tiers: [
          { above: 100n, approvals: 2 },
          { above: 500n, approvals: 2 },
        ],
      },
      NOT_ASCENDING,
    ],
    ['the first tier at the automatic cap', { tiers: [{ above: 100n, approvals: 2 }] }, 'fine'],
    [
      'the first tier below the automatic cap',
      { tiers: [{ above: 99n, approvals: 2 }] },
      'validation_failed: `automaticCap` must not be above 99, where the first of `tiers` begins.',
    ],
  ])('%s', (_name, limits, expected) => {
    expect(check(limits)).toBe(expected)
  })
})

describe('tiers that nobody could fill', () => {
  const check = (approvals: number, addresses: number, accounts: number) =>
    refusalOf(() =>
      requireFillableTiers(
        {
          tiers: [{ above: 1n, approvals }],
          approverAddresses: Array.from({ length: addresses }, (_, n) => `0x${n}`),
        },
        accounts,
      ),
    )

  test('need as many wallets and as many people as they ask for', () => {
    expect(check(3, 3, 3)).toBe('fine')
    expect(check(3, 2, 3)).toBe(
      'policy_violation: A tier asks for 3 approvals, but there are 2 approver wallets. Assign ' +
        'more wallets the approver role, or ask for fewer.',
    )
    expect(check(3, 4, 2)).toBe(
      'policy_violation: A tier asks for 3 approvals, but the approver wallets belong to 2 ' +
        'members, and nobody signs twice. Assign wallets of other members the approver role, or ' +
        'ask for fewer.',
    )
    expect(check(2, 2, 1)).toMatch('belong to 1 member, and')
  })

  test('are no concern without tiers', () => {
    expect(refusalOf(() => requireFillableTiers({ tiers: [], approverAddresses: [] }, 0))).toBe(
      'fine',
    )
  })
})

test('the API shows null for what is off', () => {
  expect(toLimitsRecord(NO_LIMITS)).toEqual({
    periodSeconds: null,
    periodCap: null,
    automaticPeriodCap: null,
    tiers: [],
  })
  expect(toLimitsRecord(inForce)).toEqual({
    periodSeconds: 86_400,
    periodCap: '900',
    automaticPeriodCap: '300',
    tiers: [
      { above: '100', approvals: 2 },
      { above: '500', approvals: 3 },
    ],
  })
})
