/** Live streams and uploads through the gateway: nothing is held back. */
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type RecordingApi, startRecordingApi } from '#test/support/recording-api.ts'
import type { WebBrowser } from '#test/support/web-browser.ts'

let service: TestApp
let api: RecordingApi
let gateway: TestGateway
let browser: WebBrowser

beforeAll(async () => {
  service = await startTestApp()
  api = await startRecordingApi()
  gateway = await startGateway({
    apiUrl: api.url,
    databaseUrl: service.database.url,
    identity: service.identity,
  })
  browser = gateway.browser()
  await browser.signIn('Ana Ruiz')
})
afterAll(async () => {
  await gateway.stop()
  await api.stop()
  await service.stop()
})
beforeEach(() => api.reset())

describe('streams', () => {
  const cookieOf = ({ jar }: WebBrowser) =>
    [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const cookie = () => cookieOf(browser)
  const own = () => ({ cookie: cookie(), 'x-countersign': '1', 'sec-fetch-site': 'same-origin' })

  test('arrive event by event, and end at the API when the page leaves', async () => {
    let events: ServerResponse | undefined
    api.answer((_request, response) => {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' })
      events.write('retry: 3000\n\n')
    })
    const leaving = new AbortController()
    const { headers, body } = await fetch(`${gateway.origin}/v1/consumer/live/stream`, {
      headers: { ...own(), 'accept-encoding': 'gzip, br' },
      signal: leaving.signal,
    })
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('content-encoding')).toBeNull()
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    const next = async () => Buffer.from((await reader.read()).value ?? []).toString()
    expect(await next()).toBe('retry: 3000\n\n')
    for (const text of ['id: 1\ndata: a\n\n', ': keep-alive\n\n']) {
      events?.write(text)
      expect(await next()).toBe(text)
    }
    const ended = once(events as ServerResponse, 'close')
    leaving.abort()
    await ended
    expect(events?.writableFinished).toBe(false)
  })

  test('end when their session does, and those of other sessions go on', async () => {
    const here = gateway.browser()
    await here.signIn('Ben Adeyemi')
    api.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
    })
    const headers = { ...own(), cookie: cookieOf(here) }
    const { body } = await fetch(`${gateway.origin}/v1/consumer/live/stream`, { headers })
    const other = await fetch(`${gateway.origin}/v1/consumer/live/stream`, { headers: own() })
    const ended = expect(new Response(body).text()).rejects.toThrow()
    const signedOut = await fetch(`${gateway.origin}/session/sign-out`, { method: 'POST', headers })
    expect(signedOut.status).toBe(204)
    await ended
    const reader = (other.body as ReadableStream<Uint8Array>).getReader()
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
  })

  test('that the API breaks off end for the page, too', async () => {
    api.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
      setImmediate(() => response.destroy())
    })
    const { body } = await fetch(`${gateway.origin}/v1/consumer/live/stream`, { headers: own() })
    await expect(new Response(body).text()).rejects.toThrow()
  })

  test('of an upload reach the API while the page still sends', async () => {
    const arrived = Promise.withResolvers<string>()
    api.answer((incoming, response) => {
      incoming.once('data', (chunk: Buffer) => arrived.resolve(chunk.toString()))
      incoming.on('end', () => response.writeHead(201).end('{}'))
    })
    const upload = request(`${gateway.origin}/v1/consumer/attachments`, {
      method: 'POST',
      headers: { ...own(), 'content-type': 'application/pdf', 'content-length': '10' },
    })
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>
    upload.write('first')
    expect(await arrived.promise).toBe('first')
    expect(api.last().headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '10',
    })
    upload.end('-last')
    const [answer] = await answered
    answer.resume()
    expect(answer.statusCode).toBe(201)
  })

  test('of an upload that the API refuses early are answered', async () => {
    api.answer((_request, response) => void response.writeHead(413).end('{}'))
    const body = Buffer.alloc(5_000_000)
    const headers = { ...own(), 'content-type': 'application/pdf' }
    const sent = await fetch(`${gateway.origin}/v1/consumer/attachments`, {
      method: 'POST',
      headers,
      body,
    }).catch((error: Error) => error)
    // Node's client may see the closed connection before the answer; it must not hang.
    expect(sent instanceof Error || sent.status === 413).toBe(true)
  })
})
