import { canonicalJson } from '@countersign/proof/digest.ts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { AnalystOpinion } from '#ports/analyst.ts'
import { makeFacts, past, USDC } from '#test/support/facts.ts'
import { hostilePurposes } from '#test/support/hostile-purposes.ts'
import { readSource } from '#test/tidy/source.ts'
import { checkIds } from './check.ts'
import { DUPLICATE_DAYS, SAMPLE_MIN, VELOCITY_FAIL, VELOCITY_WARN } from './history-checks.ts'
import {
  isClean,
  MODEL_SCORE_WARNS,
  points,
  reportOutput,
  withOpinion,
  withoutOpinion,
} from './report-output.ts'

const model = { name: 'some-model', version: '2026-05' }
const calm: AnalystOpinion = {
  summary: 'An ordinary invoice.',
  riskScore: 5,
  recommendation: 'approve',
  concerns: [],
}

describe('a report of the checks alone', () => {
  test('of an ordinary expense is clean', () => {
    const output = reportOutput(makeFacts())
    expect(output).toMatchObject({
      recommendation: 'approve',
      riskScore: 0,
      policy: { version: 4, fits: true, reasons: [] },
      analyst: { kind: 'rules', name: 'countersign-rules', version: '2' },
    })
    expect(output.checks).toHaveLength(checkIds.length)
    expect(output.summary).toBe(
      '20.00 USDC to 0x0000000000000000000000000000000000000003: ' +
        'of 38 checks 0 failed and 0 warned.',
    )
    expect(isClean(output)).toBe(true)
  })

  test('is not clean when the policy does not fit, whatever the checks say', () => {
    const output = reportOutput(makeFacts())
    expect(isClean({ ...output, policy: { ...output.policy, fits: false } })).toBe(false)
  })

  test('stays clean for a new recipient who is a member', () => {
    const recipient = { paidBefore: 0, addedAt: makeFacts().now, belongsTo: 'submitter' as const }
    expect(isClean(reportOutput(makeFacts({ recipient })))).toBe(true)
  })

  test('adds up the points of the warnings', () => {
    const output = reportOutput(
      makeFacts({ history: { sameRecipientAndAmount: [past(0)], samePurpose: [past(0)] } }),
    )
    expect(output.riskScore).toBe(45)
    expect(output.recommendation).toBe('review')
    expect(output.policy.fits).toBe(true)
    expect(isClean(output)).toBe(false)
    expect(output.summary).toContain('0 failed and 2 (duplicate_payment, duplicate_purpose) warned')
  })

  test('recommends review where the organization can fix the cause', () => {
    const output = reportOutput(makeFacts({ policy: { paused: true } }))
    expect(output).toMatchObject({
      recommendation: 'review',
      riskScore: 40,
      policy: { fits: false, reasons: ['policy_in_force'] },
    })
  })

  test('recommends rejection where the expense would have to change', () => {
    const output = reportOutput(makeFacts({ recipient: { isActive: false } }))
    expect(output).toMatchObject({ recommendation: 'reject', riskScore: 60 })
  })

  test('requires a signature above the automatic cap', () => {
    const output = reportOutput(makeFacts({ expense: { amount: 101n * USDC } }))
    expect(output).toMatchObject({
      recommendation: 'review',
      policy: { fits: false, reasons: ['automatic_cap'] },
    })
  })

  test('has no version, the highest score and no fit without a policy', () => {
    const output = reportOutput(makeFacts({ policy: null }))
    expect(output).toMatchObject({ recommendation: 'review', riskScore: 100 })
    expect(output.policy.version).toBeNull()
    expect(output.policy.reasons).toContain('policy_present')
  })
})

describe('an opinion', () => {
  const clean = reportOutput(makeFacts())

  test('without a concern leaves a clean report clean and is added to it', () => {
    const output = withOpinion(clean, calm, model)
    expect(isClean(output)).toBe(true)
    expect(output).toMatchObject({ recommendation: 'approve', riskScore: 5 })
    expect(output.analyst).toEqual({ kind: 'rules_and_model', ...model })
    expect(output.summary).toBe(`${clean.summary} The model some-model says: An ordinary invoice.`)
    expect(output.checks.at(-1)).toEqual({
      id: 'model_opinion',
      outcome: 'pass',
      detail: 'The model some-model recommends approve at a risk of 5 and names no concern.',
    })
  })

  test.each<[string, Partial<AnalystOpinion>, string, number]>([
    ['a concern', { concerns: ['The purpose is vague.'] }, 'review', 5],
    ['a recommendation to review', { recommendation: 'review' }, 'review', 5],
    ['a recommendation to reject', { recommendation: 'reject' }, 'reject', 5],
    ['a high score', { riskScore: MODEL_SCORE_WARNS }, 'review', MODEL_SCORE_WARNS],
    ['a score that is not a number', { riskScore: Number.NaN }, 'review', 100],
    ['a score above the maximum', { riskScore: 1e9 }, 'review', 100],
  ])('with %s makes a clean report unclean', (_name, change, recommendation, riskScore) => {
    const output = withOpinion(clean, { ...calm, ...change }, model)
    expect(isClean(output)).toBe(false)
    expect(output).toMatchObject({ recommendation, riskScore })
    expect(output.checks.at(-1)?.outcome).toBe('warn')
  })

  test.each([
    [-5, 0],
    [0.2, 1],
    [MODEL_SCORE_WARNS - 1, MODEL_SCORE_WARNS - 1],
  ])('a score of %d counts as %d and is not a concern', (riskScore, counted) => {
    const output = withOpinion(clean, { ...calm, riskScore }, model)
    expect(output.riskScore).toBe(counted)
    expect(isClean(output)).toBe(true)
  })

  test('lists at most ten concerns on one line, shortened and without invisible characters', () => {
    const concerns = ['a\n\u202eb\ud800', 'x'.repeat(5000), ...Array<string>(12).fill('more')]
    const output = withOpinion(clean, { ...calm, concerns }, model)
    const detail = output.checks.at(-1)?.detail ?? ''
    expect(detail).toContain('has 14 concerns: (1) a b\ufffd (2) xxx')
    expect(detail).toContain('(10) more and 4 more')
    expect(detail.length).toBeLessThan(600)
  })

  test('that is missing makes a clean report unclean and recommends review', () => {
    const output = withoutOpinion(clean, model)
    const said = 'The model some-model gave no usable answer, so a person must review.'
    expect(output).toEqual({
      ...clean,
      summary: `${clean.summary} ${said}`,
      recommendation: 'review',
      checks: [...clean.checks, { id: 'model_opinion', outcome: 'warn', detail: said }],
    })
    expect(isClean(output)).toBe(false)
  })

  test.each([
    '',
    'OK.',
    'N/A',
    'I cannot assess this request.',
    "I'm sorry, but I can't help with that.",
    'As an AI language model I have no view on this.',
    'There is insufficient information to judge.',
    'Unable to determine anything from the data.',
  ])('that approves with the evasive summary "%s" makes a clean report unclean', (summary) => {
    const output = withOpinion(clean, { ...calm, summary }, model)
    expect(isClean(output)).toBe(false)
    expect(output).toMatchObject({ recommendation: 'review', riskScore: 5 })
    expect(output.checks.at(-1)?.detail).toContain('without giving an opinion')
  })
})

const levels = ['approve', 'review', 'reject']

const anyOpinion = fc.record<AnalystOpinion>({
  summary: fc.string({ unit: 'binary' }),
  riskScore: fc.oneof(fc.integer({ min: -10, max: 110 }), fc.double()),
  recommendation: fc.constantFrom('approve', 'review', 'reject'),
  concerns: fc.array(fc.string({ unit: 'binary' }), { maxLength: 15 }),
})

const anyRules = fc
  .tuple(
    fc.constantFrom('Invoice 2026-0042, office chairs', ...hostilePurposes),
    fc.bigInt({ min: 1n, max: 2000n * USDC }),
    fc.boolean(),
  )
  .map(([purpose, amount, hasPolicy]) =>
    reportOutput(makeFacts({ expense: { purpose, amount }, policy: hasPolicy ? {} : null })),
  )

property.prop([anyRules, anyOpinion], { numRuns: 1000 })(
  'a model never lowers the score, softens the recommendation or removes a check',
  (rules, opinion) => {
    const before = canonicalJson(rules)
    for (const output of [withOpinion(rules, opinion, model), withoutOpinion(rules, model)]) {
      expect(output.riskScore).toBeGreaterThanOrEqual(rules.riskScore)
      expect(output.riskScore).toBeLessThanOrEqual(100)
      expect(Number.isInteger(output.riskScore)).toBe(true)
      expect(levels.indexOf(output.recommendation)).toBeGreaterThanOrEqual(
        levels.indexOf(rules.recommendation),
      )
      expect(output.checks.slice(0, -1)).toEqual(rules.checks)
      expect(output.policy).toEqual(rules.policy)
      expect(output.summary.startsWith(rules.summary)).toBe(true)
      expect(isClean(output) && !isClean(rules)).toBe(false)
      expect(canonicalJson(JSON.parse(canonicalJson(output)))).toBe(canonicalJson(output))
    }
    expect(canonicalJson(rules)).toBe(before)
  },
)

describe('docs/ANALYSIS.md', () => {
  const document = readSource('docs/ANALYSIS.md').text
  const section = (title: string) =>
    document.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  const rowsOf = (text: string) =>
    text
      .split('\n')
      .filter((row) => row.startsWith('| `'))
      .map((row) => row.split('|').slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim().replaceAll('`', '')))

  test('lists the points of exactly the existing checks', () => {
    const written = rowsOf(section('Points'))
    const real = checkIds.map((id) => {
      const { warn, fail, rejects, isPolicy } = points[id]
      const yes = (is: boolean) => (is ? 'yes' : '')
      return [id, warn, fail, yes(rejects), yes(isPolicy)].map((cell) => String(cell || ''))
    })
    expect(written).toEqual(real)
  })

  test('describes exactly the existing checks', () => {
    const described = rowsOf(section('The checks'))
    expect(described.map(([id]) => id)).toEqual([...checkIds])
    expect(described.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([])
  })

  test('states the thresholds of the code', () => {
    const text = section('The checks')
    expect(text).toContain(`${DUPLICATE_DAYS} days`)
    expect(text).toContain(`more than ${VELOCITY_WARN}`)
    expect(text).toContain(`more than ${VELOCITY_FAIL}`)
    expect(text).toContain(`${SAMPLE_MIN} earlier amounts`)
    expect(document).toContain(`a score of ${MODEL_SCORE_WARNS} or more`)
  })
})
