/** How long a gateway waits for the API. */
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RecordingApi, startRecordingApi } from '#test/support/recording-api.ts'
import { createUpstream, type UpstreamLimits } from '#web/upstream.ts'

const SHORT_MS = 300
const LONG_MS = 60_000

let api: RecordingApi

beforeAll(async () => {
  api = await startRecordingApi()
})
afterAll(() => api.stop())
beforeEach(() => api.reset())

async function post(limits: UpstreamLimits, body: Readable | Buffer): Promise<number | undefined> {
  const upstream = createUpstream(api.url, limits)
  try {
    const answer = await upstream.send({ method: 'POST', path: '/v1/a', headers: {}, body })
    answer.resume()
    return answer.statusCode
  } finally {
    upstream.close()
  }
}

const UNAVAILABLE = { code: 'dependency_unavailable' }

test('an upload may take longer than the answer to it', async () => {
  api.answer((request, response) => {
    request.resume().once('end', () => response.end('{}'))
  })
  async function* slow() {
    yield 'first'
    await wait(3 * SHORT_MS)
    yield 'last'
  }
  const limits = { answerMs: SHORT_MS, bodyMs: LONG_MS }
  expect(await post(limits, Readable.from(slow()))).toBe(200)
  expect(api.received).toHaveLength(1)
})

test('an API that does not answer after the upload is unavailable', async () => {
  api.answer((request) => void request.resume())
  const limits = { answerMs: SHORT_MS, bodyMs: LONG_MS }
  await expect(post(limits, Readable.from(['all of it']))).rejects.toMatchObject(UNAVAILABLE)
  await expect(post(limits, Buffer.from('{}'))).rejects.toMatchObject(UNAVAILABLE)
})

test('an upload that never ends is cut', async () => {
  api.answer((request) => void request.resume())
  const endless = new Readable({ read() {} })
  endless.push('first')
  const limits = { answerMs: LONG_MS, bodyMs: SHORT_MS }
  await expect(post(limits, endless)).rejects.toMatchObject(UNAVAILABLE)
})

test('an answer that begins before its upload has ended may take its time', async () => {
  api.answer((request, response) => {
    response.writeHead(200).write('{')
    request.resume().once('end', () => setTimeout(() => response.end('}'), 2 * SHORT_MS))
  })
  const rest = new Readable({ read() {} })
  rest.push('first')
  const upstream = createUpstream(api.url, { answerMs: SHORT_MS, bodyMs: SHORT_MS })
  const request = { method: 'POST', path: '/v1/a', headers: {}, body: rest }
  const answer = await upstream.send(request)
  rest.push(null)
  expect(Buffer.concat(await answer.toArray()).toString()).toBe('{}')
  upstream.close()
})
