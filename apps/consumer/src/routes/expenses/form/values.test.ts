import { expect, test } from 'vitest'
import { aRevision } from '../testing.ts'
import { amountNotes, automaticOff } from './limits.ts'
import { checkValues, EMPTY, isBegun, valuesOf } from './values.ts'

const units = { decimals: 6, locale: 'en' }
const check = (values: Partial<typeof EMPTY>) =>
  checkValues({ ...EMPTY, ...values }, { ...units, purposeMax: 20 })

test('an empty form is told everything at once', () => {
  expect(check({})).toEqual({
    ok: false,
    problems: {
      purpose: 'purpose_missing',
      recipient: 'recipient_missing',
      vault: 'vault_missing',
      amount: 'amount_empty',
    },
  })
  expect(isBegun(EMPTY)).toBe(false)
})

test('a revision survives the way through the form', () => {
  const revision = aRevision({ reference: '2026-118', category: '6100', dueDate: '2026-12-01' })
  const checked = checkValues(valuesOf(revision, units), { ...units, purposeMax: 2_000 })
  expect(checked).toEqual({
    ok: true,
    terms: {
      vaultId: 'vault-1',
      recipientId: 'recipient-1',
      purpose: 'Printing',
      amountBaseUnits: '80000000',
      requestedMode: 'approved',
      attachmentIds: [],
      category: '6100',
      reference: '2026-118',
      dueDate: '2026-12-01',
    },
  })
})

test('only what the service would refuse is wrong', () => {
  const problems = (values: Partial<typeof EMPTY>) => {
    const checked = check(values)
    return checked.ok ? {} : checked.problems
  }
  expect(problems({ amount: '1,000' }).amount).toBe('amount_not_a_number')
  expect(problems({ amount: '0' }).amount).toBe('amount_zero')
  expect(problems({ amount: '1'.repeat(40) }).amount).toBe('amount_too_large')
  expect(problems({ purpose: 'x'.repeat(21) }).purpose).toBe('purpose_too_long')
  expect(problems({ purpose: '😀'.repeat(20) }).purpose).toBeUndefined()
  expect(problems({ reference: 'x'.repeat(101) }).reference).toBe('reference_too_long')
})

const policy = { approvedCap: '100', automaticCap: '20', automaticEnabled: true } as NonNullable<
  Parameters<typeof automaticOff>[1]
>['policy']

test('limits are said while typing', () => {
  const vault = {
    availableBaseUnits: '50',
    remainingAllowanceBaseUnits: '500',
    policy,
    period: null,
  }
  expect(amountNotes('10', vault)).toEqual([])
  expect(amountNotes('101', vault).map(({ kind }) => kind)).toEqual(['over_cap', 'over_available'])
  expect(amountNotes('501', vault)).toHaveLength(3)
  expect(amountNotes(null, vault)).toEqual([])
})

test('a period that has no room says when it has', () => {
  const endsAt = '2026-11-04T00:00:00.000Z'
  const vault = {
    availableBaseUnits: '1000',
    remainingAllowanceBaseUnits: '1000',
    policy: { ...policy, approvedCap: '1000', periodCap: '90', automaticPeriodCap: '20' },
    period: { endsAt, remainingBaseUnits: '50', automaticRemainingBaseUnits: '5' },
  } as unknown as NonNullable<Parameters<typeof amountNotes>[1]>
  expect(amountNotes('50', vault)).toEqual([])
  expect(amountNotes('51', vault)).toEqual([
    { kind: 'over_period', note: { kind: 'later', left: '50', from: endsAt } },
  ])
  expect(amountNotes('91', vault)).toEqual([
    { kind: 'over_period', note: { kind: 'never', cap: '90' } },
  ])
})

test('why an expense cannot be automatic', () => {
  expect(automaticOff('20', { policy })).toBeNull()
  expect(automaticOff('21', { policy })).toEqual({ kind: 'over_cap', cap: '20' })
  expect(automaticOff('1', { policy: null })).toEqual({ kind: 'no_policy' })
  expect(automaticOff('1', undefined)).toBeNull()
})
