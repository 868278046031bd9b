/** What the model analyst sends to an endpoint, and which answers it accepts. */
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
  test('is one chat completion with the key and the model, and no tools', async () => {
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

  test('requests a closed schema without limits, with all fields required', async () => {
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

  test('contains only the question in its data block, and nowhere else', async () => {
    const withMore = { ...question, organizationId: 'org-1', rules: { ...question.rules, by: 'x' } }
    await analyst().review(withMore)
    const [request] = endpoint.requests
    expect(request && dataOf(request)).toEqual(question)
    const [system] = request?.body.messages ?? []
    expect(system?.content).not.toContain('canary')
    expect(JSON.stringify(request?.body).split(PURPOSE)).toHaveLength(2)
  })

  test('has no authorization header without a configured key', async () => {
    await analyst({ apiKey: undefined }).review(question)
    expect(endpoint.requests[0]?.headers).not.toHaveProperty('authorization')
  })
})

describe('an answer', () => {
  test('of the requested shape is the opinion', async () => {
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

  test('is accepted as plain JSON text from an endpoint that ignores the format', async () => {
    answers({ content: `\n ${JSON.stringify(soundOpinion)} \n` })
    expect(await analyst().review(question)).toEqual(soundOpinion)
  })

  test('is attributed to its model and prompt version', () => {
    expect(analyst()).toMatchObject({ name: 'vendor/model-1', version: 'prompt 1' })
  })

  const shape = 'The model endpoint gave an answer of the wrong shape'
  const unread = 'The model endpoint gave an answer that cannot be read'
  const text = JSON.stringify(soundOpinion)

  test.each<[string, ModelAnswer, string]>([
    ['with an extra field', says({ ...soundOpinion, approved: true }), shape],
    ['with a missing field', says({ ...soundOpinion, concerns: undefined }), shape],
    ['with a __proto__ key', { content: text.replace('{', '{"__proto__":{},') }, shape],
    ['with a score above 100', says({ ...soundOpinion, riskScore: 101 }), shape],
    ['with a score below 0', says({ ...soundOpinion, riskScore: -1 }), shape],
    ['with a fractional score', says({ ...soundOpinion, riskScore: 1.5 }), shape],
    ['with a score as text', says({ ...soundOpinion, riskScore: '12' }), shape],
    ['with another recommendation', says({ ...soundOpinion, recommendation: 'pay' }), shape],
    ['with a concern that is not a string', says({ ...soundOpinion, concerns: [{}] }), shape],
    ['with an empty summary', says({ ...soundOpinion, summary: '\u200b \u0007' }), shape],
    ['that is a list', says([soundOpinion]), shape],
    [
      'that is truncated',
      { content: text.slice(0, -10), finish: 'length' },
      'The model endpoint ran out of tokens for its answer',
    ],
    [
      'that is complete, from a model that ran out of tokens',
      { content: text, finish: 'length' },
      'The model endpoint ran out of tokens for its answer',
    ],
    [
      'that is complete, from a model whose answer was filtered',
      { content: text, finish: 'content_filter' },
      'The model endpoint refused to answer',
    ],
    [
      'that refuses',
      { content: '', message: { refusal: 'I will not.' } },
      'The model endpoint refused to answer',
    ],
    ['that is truncated without notice', { content: text.slice(0, -10) }, shape],
    ['in a code fence', { content: `\`\`\`json\n${text}\n\`\`\`` }, shape],
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
    ['that is not JSON', { body: `}{ canary ${KEY} ${PURPOSE}` }, unread],
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
  ])('%s is refused without another attempt', async (_what, answer, reason) => {
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
    ['of 10 MB, compressed into a few', packed(tenMegabytes)],
    ['without end', 'flood'],
  ])('%s is not read to the end', async (_what, answer) => {
    answers(answer)
    expect(await reasonOf(analyst().review(question))).toBe(large)
    expect(endpoint.requests).toHaveLength(1)
    if (answer === 'flood') await expect.poll(() => endpoint.open()).toBe(0)
  })
})
