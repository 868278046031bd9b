import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnalystQuestion } from '#ports/analyst.ts'
import { buildPrompt, instructions, opinionSchema, parseOpinion } from './model-prompt.ts'

const question = (purpose: string, more: Partial<AnalystQuestion> = {}): AnalystQuestion => ({
  purpose,
  recipientLabel: 'Hosting Ltd',
  amountBaseUnits: '25000000',
  requestedMode: 'approved',
  rules: { riskScore: 0, recommendation: 'approve', checks: [] },
  ...more,
})

/** The content of the block, which has one start and one end whatever the data says. */
function blockOf(prompt: string): string {
  const parts = /^<data>\n([^<>]*)\n<\/data>\nThat was the data\. Answer as you were instructed\.$/
  const block = parts.exec(prompt)?.[1]
  if (block === undefined) expect.fail(`no single block in ${prompt}`)
  return block
}

const opinion = {
  summary: 'Fine.',
  riskScore: 5,
  recommendation: 'approve',
  concerns: ['One.'],
}
const opinionOf = (more: object) => parseOpinion(JSON.stringify({ ...opinion, ...more }))

describe('the data block', () => {
  test('returns any text unchanged and cannot be closed by it', () => {
    const nasty = fc.constantFrom(
      ...[
        '</data>',
        '<',
        '>',
        '"',
        '\\',
        '\n',
        '\\u003c',
        '<|im_end|>',
        '[INST]',
        '\u2028',
        '\u202e',
      ],
    )
    const text = fc
      .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 12 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, text, (purpose, recipientLabel, detail) => {
        const checks = [{ id: 'weak_purpose', outcome: 'warn' as const, detail }]
        const rules = { riskScore: 30, recommendation: 'review' as const, checks }
        const asked = question(purpose, { recipientLabel, rules })
        expect(JSON.parse(blockOf(buildPrompt(asked)))).toEqual(asked)
      }),
      { numRuns: 500 },
    )
  })

  test('escapes reserved markup and hidden characters, and leaves words unchanged', () => {
    const hidden = '\u200b\u202e\u2066\ufeff\u{e0041}\u00ad\u2028\u0085\u0000\ud800'
    const block = blockOf(buildPrompt(question(`Café für 世界 😀 <|im_start|> [INST] ${hidden}`)))
    expect(block).toContain(
      'Café für 世界 😀 \\u003c\\u007cim_start\\u007c\\u003e \\u005bINST\\u005d',
    )
    expect(block).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
    expect(JSON.parse(block).purpose).toContain(hidden)
  })

  test('is limited in size for any input', () => {
    const checks = Array.from({ length: 100 }, (_, n) => ({
      id: `check_${n}`,
      outcome: 'fail' as const,
      detail: 'd'.repeat(5_000),
    }))
    const rules = { riskScore: 100, recommendation: 'reject' as const, checks }
    const recipientLabel = 'l'.repeat(5_000)
    const asked = question('😀'.repeat(2_001), { recipientLabel, rules })
    const data = JSON.parse(blockOf(buildPrompt(asked)))
    expect(data.purpose).toBe(`${'😀'.repeat(1_999)}…`)
    expect(data.recipientLabel).toHaveLength(200)
    expect(data.rules.checks).toHaveLength(40)
    expect(data.rules.checks[0].detail).toHaveLength(500)
    expect(JSON.parse(blockOf(buildPrompt(question('x'.repeat(2_000))))).purpose).toHaveLength(
      2_000,
    )
  })
})

describe('the instructions', () => {
  test('are the same for every question and hold the schema for endpoints that ignore it', () => {
    expect(instructions).toContain(JSON.stringify(opinionSchema))
    expect(JSON.stringify(opinionSchema)).not.toMatch(/"(?:minimum|maximum|m(?:in|ax)\w+)":/)
  })
})

describe('the texts of an opinion', () => {
  test('become one line without control, direction and invisible characters', () => {
    const dirty = ' One\u0000\r\n\ttwo\u202e\u200bthree\u2028four\u{e0041}\ud800 '
    expect(opinionOf({ summary: dirty, concerns: [dirty] })).toMatchObject({
      summary: 'One two three four',
      concerns: ['One two three four'],
    })
  })

  test('are truncated, not refused, so that no warning is lost for its length', () => {
    const concerns = Array.from({ length: 30 }, (_, n) => `${n} ${'c'.repeat(1_000)}`)
    const found = opinionOf({ summary: 's'.repeat(5_000), riskScore: 90, concerns })
    expect(found).toMatchObject({ riskScore: 90, recommendation: 'approve' })
    expect(found?.summary).toBe(`${'s'.repeat(599)}…`)
    expect(found?.concerns).toHaveLength(10)
    expect(found?.concerns.map((concern) => concern.length)).toEqual(Array(10).fill(300))
  })

  test('are dropped from the concerns if they are invisible', () => {
    expect(opinionOf({ concerns: ['', ' \u200b', 'Real.'] })?.concerns).toEqual(['Real.'])
  })
})

describe('any other text', () => {
  test('is not an opinion', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        expect(parseOpinion(text)).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  test('with a __proto__ key is refused', () => {
    const text = JSON.stringify(opinion).replace('{', '{"__proto__":{"riskScore":0},')
    expect(parseOpinion(text)).toBeUndefined()
  })
})
