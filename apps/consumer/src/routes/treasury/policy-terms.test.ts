import { describe, expect, test } from 'vitest'
import { parseForm } from './parse-policy.ts'
import { bodyOf, endOfDay, extendedFrom, firstTerms, formOf } from './policy-terms.ts'

const now = new Date(2026, 10, 16, 12)
const units = { decimals: 6, locale: 'en' }
const context = { ...units, now, inForce: null, spentTotal: '0', approverPeople: 3 }
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
    periodSeconds: null,
    periodCap: null,
    automaticPeriodCap: null,
    tiers: [],
  })
})

test('what is shown for editing is read as the same policy', () => {
  expect(parseForm(formOf(first, units), context)).toMatchObject({ ok: true, terms: first })
})

test('of a whole policy, the service gets the terms alone', () => {
  const whole = { ...first, version: 3, approverAddresses: [] }
  expect(Object.keys(bodyOf(whole)).sort()).toEqual(Object.keys(first).sort())
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

describe('a spending period', () => {
  const day = { periodSeconds: 86_400, periodCap: '2500', automaticPeriodCap: '0' }
  const form = { ...formOf(first, units), ...day }

  test('goes with its caps, and the automatic one may be zero', () => {
    const terms = { periodSeconds: 86_400, periodCap: '2500000000', automaticPeriodCap: '0' }
    const parsed = parseForm(form, context)
    expect(parsed).toMatchObject({ ok: true, terms })
    const shown = parsed.ok && formOf(parsed.terms, units)
    expect(shown && parseForm(shown, context)).toEqual(parsed)
  })

  test('that is off takes its caps along, whatever was typed', () => {
    const off = { ...form, periodSeconds: null, periodCap: 'x' }
    const terms = { periodSeconds: null, periodCap: null, automaticPeriodCap: null }
    expect(parseForm(off, context)).toMatchObject({ ok: true, terms })
  })

  test.each([
    ['no cap', { periodCap: '' }, { periodCap: 'empty' }],
    ['a cap of zero', { periodCap: '0' }, { periodCap: 'zero' }],
    ['more automatic than in all', { automaticPeriodCap: '2500.01' }, 'above_period'],
  ])('is refused with %s', (_what, change, problems) => {
    const found = typeof problems === 'string' ? { automaticPeriodCap: problems } : problems
    expect(parseForm({ ...form, ...change }, context)).toEqual({ ok: false, problems: found })
  })
})

describe('tiers', () => {
  const form = { ...formOf(first, units), automaticCap: '20' }
  const two = { above: '100', approvals: '2' }
  const problemsOf = (...tiers: { above: string; approvals: string }[]) =>
    parseForm({ ...form, tiers }, context).problems.tiers

  test('ask for more people above higher amounts', () => {
    const parsed = parseForm({ ...form, tiers: [two, { above: '500', approvals: '3' }] }, context)
    const tiers = [
      { above: '100000000', approvals: 2 },
      { above: '500000000', approvals: 3 },
    ]
    expect(parsed).toMatchObject({ ok: true, terms: { tiers } })
    expect(parsed.ok && bodyOf(parsed.terms).tiers).toEqual(tiers)
  })

  test('that are none are turned off in what the service gets', () => {
    expect(bodyOf(first).tiers).toBeNull()
  })

  test('may begin at zero, so that nobody pays anything alone', () => {
    const none = { ...form, automaticCap: '0', tiers: [{ above: '0', approvals: '2' }] }
    expect(parseForm(none, context).ok).toBe(true)
  })

  test('are refused where an automatic payment would reach them', () => {
    expect(problemsOf({ above: '19.99', approvals: '2' })).toEqual([{ above: 'below_automatic' }])
  })

  test('are refused unless both columns ascend', () => {
    expect(problemsOf(two, { above: '100', approvals: '2' })).toEqual([
      {},
      { above: 'not_ascending', approvals: 'not_ascending' },
    ])
  })

  test('are refused above the number of people who may approve', () => {
    expect(problemsOf({ above: '100', approvals: '4' })).toEqual([{ approvals: 'too_few_people' }])
  })

  test('are refused without an amount', () => {
    expect(problemsOf({ above: '', approvals: '2' })).toEqual([{ above: 'empty' }])
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
