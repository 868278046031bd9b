/** The model analyst and an endpoint that is slow, broken, elsewhere or away. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModelAnalystOptions } from '#adapters/model/model-analyst.ts'
import {
  type ModelAnswer,
  type ModelEndpoint,
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
    expect(await reasonOf(model.review(question))).toMatch(/the wrong shape$/)
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
