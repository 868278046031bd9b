/** What the model analyst asks of an endpoint, and which answers it takes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModelAnalystOptions } from '#adapters/model/model-analyst.ts'
import {
  dataOf,
  type ModelAnswer,
  type ModelEndpoint,
  packed,
  says,
  soundOpinion,
  startModelEndpoint,
} from '#test/support/model-endpoint.ts'
import { analystOf, answerWith, KEY, PURPOSE, question, reasonOf } from './reviews.ts'

let endpoint: ModelEndpoint
beforeEach(async () => {
  endpoint = await startModelEndpoint()
})
afterEach(() => endpoint.stop())

const analyst = (options: Partial<ModelAnalystOptions> = {}) => analystOf(endpoint, options)
const answers = (...list: ModelAnswer[]) => answerWith(endpoint, ...list)

describe('the request', () => {
  test('is one call of the chat completions with the key and the model, and no tools', async () => {
    await analyst().review(question)
    expect(endpoint.requests).toHaveLength(1)
    const [request] = endpoint.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(request?.body).toEqual({
      model: 'vendor/model-1',
      temperature: 0,
      max_tokens: 800,
      messages: [
        { role: 'system', content: expect.any(String) },
        { role: 'user', content: expect.any(String) },
      ],
      response_format: expect.any(Object),
    })
  })

  test('asks for a closed shape that endpoints take: no limits, every field required', async () => {
    await analyst().review(question)
    expect(endpoint.requests[0]?.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'opinion',
        strict: true,
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['summary', 'riskScore', 'recommendation', 'concerns'],
          properties: {
            summary: { type: 'string', description: expect.any(String) },
            riskScore: { type: 'integer', description: expect.any(String) },
            recommendation: { type: 'string', enum: ['approve', 'review', 'reject'] },
            concerns: {
              type: 'array',
              items: { type: 'string' },
              description: expect.any(String),
            },
          },
        },
      },
    })
  })

  test('holds the question, and nothing else, in its data block and nowhere else', async () => {
    const withMore = { ...question, organizationId: 'org-1', rules: { ...question.rules, by: 'x' } }
    await analyst().review(withMore)
    const [request] = endpoint.requests
    expect(request && dataOf(request)).toEqual(question)
    const [system] = request?.body.messages ?? []
    expect(system?.content).not.toContain('canary')
    expect(JSON.stringify(request?.body).split(PURPOSE)).toHaveLength(2)
  })

  test('carries no authorization where no key is configured', async () => {
    await analyst({ apiKey: undefined }).review(question)
    expect(endpoint.requests[0]?.headers).not.toHaveProperty('authorization')
  })
})

describe('an answer', () => {
  test('of the asked shape is the opinion', async () => {
    const opinion = {
      summary: 'The purpose is vague.',
      riskScore: 100,
      recommendation: 'reject',
      concerns: ['No invoice is named.', 'It presses for haste.'],
    }
    answers(says(opinion))
    expect(await analyst().review(question)).toEqual(opinion)
    answers(says({ ...opinion, riskScore: 0, concerns: [] }))
    expect(await analyst().review(question)).toMatchObject({ riskScore: 0, concerns: [] })
  })

  test('is taken as plain JSON text from an endpoint that ignores the format', async () => {
    answers({ content: `\n ${JSON.stringify(soundOpinion)} \n` })
    expect(await analyst().review(question)).toEqual(soundOpinion)
  })

  test('tells who gave it', () => {
    expect(analyst()).toMatchObject({ name: 'vendor/model-1', version: 'prompt 1' })
  })

  const shape = 'The model endpoint gave an answer of the wrong shape'
  const unread = 'The model endpoint gave an answer that cannot be read'
  const text = JSON.stringify(soundOpinion)

  test.each<[string, ModelAnswer, string]>([
    ['with a field more', says({ ...soundOpinion, approved: true }), shape],
    ['with a field less', says({ ...soundOpinion, concerns: undefined }), shape],
    ['with a prototype', { content: text.replace('{', '{"__proto__":{},') }, shape],
    ['with a score above 100', says({ ...soundOpinion, riskScore: 101 }), shape],
    ['with a score below 0', says({ ...soundOpinion, riskScore: -1 }), shape],
    ['with a broken score', says({ ...soundOpinion, riskScore: 1.5 }), shape],
    ['with a score as text', says({ ...soundOpinion, riskScore: '12' }), shape],
    ['with another recommendation', says({ ...soundOpinion, recommendation: 'pay' }), shape],
    ['with a concern that is no text', says({ ...soundOpinion, concerns: [{}] }), shape],
    ['with an empty summary', says({ ...soundOpinion, summary: '\u200b \u0007' }), shape],
    ['that is a list', says([soundOpinion]), shape],
    [
      'cut off',
      { content: text.slice(0, -10), finish: 'length' },
      'The model endpoint ran out of tokens for its answer',
    ],
    [
      'whole, from a model that ran out of tokens',
      { content: text, finish: 'length' },
      'The model endpoint ran out of tokens for its answer',
    ],
    [
      'whole, from a model whose answer was filtered',
      { content: text, finish: 'content_filter' },
      'The model endpoint refused to answer',
    ],
    [
      'that refuses',
      { content: '', message: { refusal: 'I will not.' } },
      'The model endpoint refused to answer',
    ],
    ['cut off unnoticed', { content: text.slice(0, -10) }, shape],
    ['in a fence', { content: `\`\`\`json\n${text}\n\`\`\`` }, shape],
    ['with a preface', { content: `Here it is: ${text}` }, shape],
    ['that is empty', { content: '' }, shape],
    [
      'that calls a tool',
      {
        content: text,
        finish: 'tool_calls',
        message: {
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{}' } },
          ],
        },
      },
      shape,
    ],
    ['without choices', { body: '{"choices":[]}' }, unread],
    ['that is garbage', { body: `}{ canary ${KEY} ${PURPOSE}` }, unread],
    ['of an error with status 200', { body: `{"error":{"message":"${KEY}"}}` }, unread],
    [
      'without a body',
      { status: 204, headers: {} },
      'The model endpoint gave an answer that is not JSON',
    ],
    [
      'of another content type',
      { headers: { 'content-type': 'text/html' }, body: text },
      'The model endpoint gave an answer that is not JSON',
    ],
  ])('%s is refused, and not asked for again', async (_what, answer, reason) => {
    answers(answer)
    expect(await reasonOf(analyst().review(question))).toBe(reason)
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe('a large answer', () => {
  const large = 'The model endpoint gave an answer that is too large'
  const tenMegabytes = JSON.stringify({ ...soundOpinion, summary: 'x'.repeat(10_000_000) })

  test.each<[string, ModelAnswer]>([
    ['of 10 MB', { content: tenMegabytes }],
    ['of 10 MB as an error', { status: 500, body: tenMegabytes }],
    ['of 10 MB, packed into a few', packed(tenMegabytes)],
    ['without an end', 'flood'],
  ])('%s is not read to the end', async (_what, answer) => {
    answers(answer)
    expect(await reasonOf(analyst().review(question))).toBe(large)
    expect(endpoint.requests).toHaveLength(1)
    if (answer === 'flood') await expect.poll(() => endpoint.open()).toBe(0)
  })
})
