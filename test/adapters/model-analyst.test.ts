/** The model analyst against an endpoint that does well, and one that does everything else. */
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createModelAnalyst, type ModelAnalystOptions } from '#adapters/model-analyst.ts'
import { AppError } from '#platform/errors.ts'
import type { AnalystQuestion } from '#ports/analyst.ts'
import {
  dataOf,
  type ModelAnswer,
  type ModelEndpoint,
  packed,
  says,
  soundOpinion,
  startModelEndpoint,
} from '#test/support/model-endpoint.ts'

const KEY = 'sk-canary-0123456789'
const PURPOSE = 'Hosting of the purpose-canary servers in May'

const question: AnalystQuestion = {
  purpose: PURPOSE,
  recipientLabel: 'Hosting Ltd',
  amountBaseUnits: '25000000',
  requestedMode: 'automatic',
  rules: {
    riskScore: 20,
    recommendation: 'review',
    checks: [{ id: 'new_recipient', outcome: 'warn', detail: 'Added 2 days ago.' }],
  },
}

let endpoint: ModelEndpoint
beforeEach(async () => {
  endpoint = await startModelEndpoint()
})
afterEach(() => endpoint.stop())

const analyst = (options: Partial<ModelAnalystOptions> = {}) =>
  createModelAnalyst({
    baseUrl: endpoint.url,
    apiKey: KEY,
    model: 'vendor/model-1',
    timeoutMs: 10_000,
    outputTokensMax: 800,
    retryWaitMs: 1,
    ...options,
  })

/** Answers in turn; the last one goes on. */
const answers = (...list: [ModelAnswer, ...ModelAnswer[]]) => {
  endpoint.answer = (_request, number) => list[number - 1] ?? list.at(-1) ?? 'silence'
}

/** Why there is no opinion; everything that could be logged is free of the key and the purpose. */
async function reasonOf(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    (opinion) => expect.fail(`an opinion: ${JSON.stringify(opinion)}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AppError)
  const { code, cause } = error as AppError
  expect(code).toBe('dependency_unavailable')
  expect(cause).toBeInstanceOf(Error)
  const everything = inspect(error, { depth: 20, showHidden: true, getters: true })
  for (const secret of [KEY, 'canary', 'Hosting Ltd', endpoint.url]) {
    expect(everything).not.toContain(secret)
  }
  return (cause as Error).message
}

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

  test('holds the question in its data block and nowhere else, and nothing but the question', async () => {
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
    expect(analyst()).toMatchObject({ name: 'model', version: 'vendor/model-1 (prompt 1)' })
  })

  const shape = 'The model endpoint gave an answer of another shape'
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

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('of status %i is not followed', async (status) => {
    const elsewhere = await startModelEndpoint()
    answers({ status, headers: { location: `${elsewhere.url}/chat/completions` } })
    expect(await reasonOf(analyst().review(question))).toBe(`The model endpoint answered ${status}`)
    expect(endpoint.requests).toHaveLength(1)
    expect(elsewhere.requests).toHaveLength(0)
    await elsewhere.stop()
  })
})

describe('time', () => {
  test.each<ModelAnswer>(['silence', 'stall'])('ends an answer of %s', async (answer) => {
    answers(answer)
    const began = performance.now()
    const reason = await reasonOf(analyst({ timeoutMs: 300 }).review(question))
    expect(reason).toBe('The model endpoint did not answer in time')
    expect(performance.now() - began).toBeGreaterThan(290)
    expect(endpoint.requests).toHaveLength(1)
    // Nothing is left behind that would hold the process or the endpoint.
    await expect.poll(() => endpoint.open()).toBe(0)
  })

  test('is one budget for both tries', async () => {
    answers({ status: 500 }, 'silence')
    const reason = await reasonOf(analyst({ timeoutMs: 300 }).review(question))
    expect(reason).toBe('The model endpoint did not answer in time')
    expect(endpoint.requests).toHaveLength(2)
  })

  test('is not spent on waiting that the endpoint asks for beyond it', async () => {
    answers({ status: 429, headers: { 'retry-after': '3600' } }, says(soundOpinion))
    expect(await reasonOf(analyst().review(question))).toBe('The model endpoint answered 429')
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe('one more try', () => {
  test.each<[string, ModelAnswer]>([
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
    ['500', { status: 500, body: 'garbage' }],
    ['503', { status: 503, body: '{"error":{"message":"overloaded"}}' }],
    ['a lost connection', 'hang up'],
    ['a connection lost half-way', 'break off'],
  ])('follows %s, and its answer counts', async (_what, trouble) => {
    answers(trouble, says(soundOpinion))
    expect(await analyst().review(question)).toEqual(soundOpinion)
    expect(endpoint.requests).toHaveLength(2)
    expect(endpoint.requests[1]?.body).toEqual(endpoint.requests[0]?.body)
  })

  test.each<[ModelAnswer, string]>([
    [{ status: 429, body: `{"error":{"message":"${KEY} ${PURPOSE}"}}` }, 'answered 429'],
    [{ status: 500, body: `${KEY} ${PURPOSE}` }, 'answered 500'],
    ['hang up', 'cannot be reached'],
    ['break off', 'cannot be reached'],
  ])('is the last: %j twice is an outage', async (trouble, reason) => {
    answers(trouble, trouble, says(soundOpinion))
    expect(await reasonOf(analyst().review(question))).toBe(`The model endpoint ${reason}`)
    expect(endpoint.requests).toHaveLength(2)
  })

  test.each([401, 403, 404, 413])('does not follow %i', async (status) => {
    answers({ status, body: `{"error":{"message":"Incorrect key ${KEY}"}}` })
    expect(await reasonOf(analyst().review(question))).toBe(`The model endpoint answered ${status}`)
    expect(endpoint.requests).toHaveLength(1)
  })

  test('finds nobody where nobody listens', async () => {
    await endpoint.stop()
    expect(await reasonOf(analyst().review(question))).toBe('The model endpoint cannot be reached')
  })

  test('is not made with a key that no header can carry, and the key is not told', async () => {
    const reason = await reasonOf(analyst({ apiKey: `${KEY}\n${KEY}` }).review(question))
    expect(reason).toMatch(/^The model endpoint /)
    expect(endpoint.requests).toHaveLength(0)
  })
})

describe('an endpoint that refuses the format', () => {
  const refusesFormat = () => {
    endpoint.answer = ({ body }) =>
      body.response_format ? { status: 400, body: '{"error":{}}' } : says(soundOpinion)
  }

  test('is asked again without it, and from then on without it', async () => {
    refusesFormat()
    const model = analyst()
    expect(await model.review(question)).toEqual(soundOpinion)
    expect(endpoint.requests).toHaveLength(2)
    expect(await model.review(question)).toEqual(soundOpinion)
    expect(endpoint.requests).toHaveLength(3)
    const [first, second] = endpoint.requests.map(({ body: { response_format, ...rest } }) => rest)
    expect(second).toEqual(first)
  })

  test('is held to the same shape', async () => {
    refusesFormat()
    const model = analyst()
    await model.review(question)
    answers(says({ ...soundOpinion, approved: true }))
    expect(await reasonOf(model.review(question))).toMatch(/another shape$/)
  })

  test('is asked with the format again when the question was what it refused', async () => {
    answers({ status: 400 }, { status: 400 }, says(soundOpinion))
    const model = analyst()
    expect(await reasonOf(model.review(question))).toBe('The model endpoint answered 400')
    expect(endpoint.requests).toHaveLength(2)
    await model.review(question)
    expect(endpoint.requests[2]?.body.response_format).toBeDefined()
  })
})

describe('an endpoint that is away', () => {
  test('is left alone after three questions, and asked again later', async () => {
    answers({ status: 503 })
    const model = analyst({ restMs: 200 })
    for (let i = 0; i < 3; i += 1) await reasonOf(model.review(question))
    expect(endpoint.requests).toHaveLength(6)
    answers(says(soundOpinion))
    expect(await reasonOf(model.review(question))).toBe(
      'The model endpoint is left alone after several failures',
    )
    expect(endpoint.requests).toHaveLength(6)
    await expect.poll(() => model.review(question).catch(() => 'resting')).toEqual(soundOpinion)
  })

  test('is not what a purpose can make of it: unusable answers do not count', async () => {
    answers({ content: 'I was told not to answer in JSON.' })
    const model = analyst()
    for (let i = 0; i < 5; i += 1) await reasonOf(model.review(question))
    expect(endpoint.requests).toHaveLength(5)
  })
})
