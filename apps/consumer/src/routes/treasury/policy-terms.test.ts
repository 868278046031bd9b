import { describe, expect, test } from 'vitest'
import { endOfDay, extendedFrom, firstTerms, formOf, parseForm } from './policy-terms.ts'

const now = new Date(2026, 10, 16, 12)
const units = { decimals: 6, locale: 'en' }
const context = { ...units, now, inForce: null, spentTotal: '0' }
const first = firstTerms({ balanceBaseUnits: '12500000000', decimals: 6 }, now)

test('a first policy ends in thirty days, wants signatures and keeps a tenth', () => {
  expect(first).toEqual({
    approvedCap: '1000000000',
    automaticCap: '0',
    lifetimeCap: '12500000000',
    reserveFloor: '1250000000',
    expiresAt: new Date(2026, 11, 16, 23, 59, 59).toISOString(),
    automaticEnabled: false,
    paused: false,
  })
})

test('what is shown for editing is read as the same policy', () => {
  expect(parseForm(formOf(first, units), context)).toMatchObject({ ok: true, terms: first })
})

test('an end whose day is not changed stays to the second', () => {
  const inForce = { ...first, expiresAt: new Date(2027, 2, 1, 9, 30).toISOString() }
  const parsed = parseForm(formOf(inForce, units), { ...context, inForce })
  expect(parsed).toMatchObject({ ok: true, terms: { expiresAt: inForce.expiresAt } })
})

describe('a form is refused', () => {
  const form = formOf(first, units)
  test.each([
    ['an empty cap', { approvedCap: '' }, { approvedCap: 'empty' }],
    ['a cap of zero', { approvedCap: '0', automaticCap: '0' }, { approvedCap: 'zero' }],
    ['no number', { reserveFloor: 'much' }, { reserveFloor: 'not_a_number' }],
    ['an ambiguous thousand', { lifetimeCap: '1,234' }, { lifetimeCap: 'not_a_number' }],
    ['automatic above approved', { automaticCap: '1000.01' }, { automaticCap: 'above_approved' }],
    ['approved above lifetime', { approvedCap: '20000' }, { approvedCap: 'above_lifetime' }],
    ['more than 128 bits', { lifetimeCap: '9'.repeat(40) }, { lifetimeCap: 'too_large' }],
    ['an end in the past', { lastDay: '2026-11-15' }, { lastDay: 'past' }],
    ['a day that is none', { lastDay: '2026-02-30' }, { lastDay: 'no_date' }],
  ])('%s', (_what, change, problems) => {
    expect(parseForm({ ...form, ...change }, context)).toEqual({ ok: false, problems })
  })

  test('a lifetime cap below what was paid', () => {
    expect(parseForm(form, { ...context, spentTotal: '12500000001' })).toMatchObject({
      problems: { lifetimeCap: 'below_spent' },
    })
  })
})

test('a policy that has ended is offered with a new end', () => {
  const ended = { ...first, expiresAt: '2026-01-01T00:00:00Z' }
  expect(extendedFrom(ended, now).expiresAt).toBe(first.expiresAt)
  expect(extendedFrom(first, now)).toBe(first)
})

test('today still lasts until its last second', () => {
  expect(endOfDay('2026-11-16')?.getTime()).toBeGreaterThan(now.getTime())
})
