/** The model analyst with an endpoint that is slow, broken, redirected or unavailable. */
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

describe('the time limit', () => {
  test.each<ModelAnswer>(['silence', 'stall'])('ends an answer of %s', async (answer) => {
    answers(answer)
    const began = performance.now()
    const reason = await reasonOf(analyst({ timeoutMs: 300 }).review(question))
    expect(reason).toBe('The model endpoint did not answer in time')
    expect(performance.now() - began).toBeGreaterThan(290)
    expect(endpoint.requests).toHaveLength(1)
    // Nothing remains that would keep the process or the endpoint busy.
    await expect.poll(() => endpoint.open()).toBe(0)
  })

  test('covers both attempts', async () => {
    answers({ status: 500 }, 'silence')
    const reason = await reasonOf(analyst({ timeoutMs: 300 }).review(question))
    expect(reason).toBe('The model endpoint did not answer in time')
    expect(endpoint.requests).toHaveLength(2)
  })

  test('is not spent on a longer Retry-After', async () => {
    answers({ status: 429, headers: { 'retry-after': '3600' } }, says(soundOpinion))
    expect(await reasonOf(analyst().review(question))).toBe('The model endpoint answered 429')
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe('the second attempt', () => {
  test.each<[string, ModelAnswer]>([
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
    ['500', { status: 500, body: 'garbage' }],
    ['503', { status: 503, body: '{"error":{"message":"overloaded"}}' }],
    ['a lost connection', 'hang up'],
    ['a connection lost halfway', 'break off'],
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

  test('fails where nothing listens', async () => {
    await endpoint.stop()
    expect(await reasonOf(analyst().review(question))).toBe('The model endpoint cannot be reached')
  })

  test('is not made with a key that no header can carry, which is not revealed', async () => {
    const reason = await reasonOf(analyst({ apiKey: `${KEY}\n${KEY}` }).review(question))
    expect(reason).toMatch(/^The model endpoint /)
    expect(endpoint.requests).toHaveLength(0)
  })
})

describe('an endpoint that rejects the response format', () => {
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

  test('must return the same shape', async () => {
    refusesFormat()
    const model = analyst()
    await model.review(question)
    answers(says({ ...soundOpinion, approved: true }))
    expect(await reasonOf(model.review(question))).toMatch(/the wrong shape$/)
  })

  test('is asked with the format again when it rejected the question itself', async () => {
    answers({ status: 400 }, { status: 400 }, says(soundOpinion))
    const model = analyst()
    expect(await reasonOf(model.review(question))).toBe('The model endpoint answered 400')
    expect(endpoint.requests).toHaveLength(2)
    await model.review(question)
    expect(endpoint.requests[2]?.body.response_format).toBeDefined()
  })
})

describe('an unavailable endpoint', () => {
  test('is skipped after three failed questions and tried again later', async () => {
    answers({ status: 503 })
    const model = analyst({ restMs: 200 })
    for (let i = 0; i < 3; i += 1) await reasonOf(model.review(question))
    expect(endpoint.requests).toHaveLength(6)
    answers(says(soundOpinion))
    expect(await reasonOf(model.review(question))).toBe(
      'The model endpoint is paused after several failures',
    )
    expect(endpoint.requests).toHaveLength(6)
    await expect.poll(() => model.review(question).catch(() => 'resting')).toEqual(soundOpinion)
  })

  test('does not include one with unusable answers, which a purpose could cause', async () => {
    answers({ content: 'I was told not to answer in JSON.' })
    const model = analyst()
    for (let i = 0; i < 5; i += 1) await reasonOf(model.review(question))
    expect(endpoint.requests).toHaveLength(5)
  })
})
