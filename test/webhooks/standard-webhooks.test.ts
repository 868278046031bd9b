/** The sender: addresses, time-outs, bounded answers, and secrets that only workers open. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Resolve } from '#adapters/push/push-endpoint.ts'
import { createStandardWebhooks } from '#adapters/webhooks/standard-webhooks.ts'
import { systemClock } from '#platform/clock.ts'
import type { WebhookSender } from '#ports/webhook-sender.ts'
import { type Receiver, startReceiver } from '#test/webhooks/receiver.ts'

const keys = { current: randomBytes(32), previous: undefined }
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

const sender = (options: Partial<Parameters<typeof createStandardWebhooks>[0]> = {}) =>
  createStandardWebhooks({ clock: systemClock, keys, allowsLoopback: true, ...options })

const secretFor = async (worker: WebhookSender, name = 'webhook:1') => {
  const { publicKey } = await worker.sealingKey()
  const { secret, sealed } = await sender({ keys: undefined }).createSecret({ name, publicKey })
  return { secret, sealed: { name, sealed } }
}

const sendTo = async (worker: WebhookSender, url: string) => {
  const { sealed } = await secretFor(worker)
  return worker.send({ url, id: 'event', body: '{}', secrets: [sealed] })
}

describe('secrets', () => {
  test('made without a key of one’s own open only with the worker’s key', async () => {
    const worker = sender()
    const { secret, sealed } = await secretFor(worker)
    await worker.send({ url: receiver.url, id: 'event', body: '{"a":1}', secrets: [sealed] })
    const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: '' }
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({ a: 1 })
    const stranger = sender({ keys: { current: randomBytes(32), previous: undefined } })
    await expect(
      stranger.send({ url: receiver.url, id: 'event', body: '{}', secrets: [sealed] }),
    ).rejects.toThrow()
  })

  test('do not open under another name, as after a move to another row', async () => {
    const worker = sender()
    const { sealed } = await secretFor(worker)
    const moved = { ...sealed, name: 'webhook:2' }
    await expect(
      worker.send({ url: receiver.url, id: 'event', body: '{}', secrets: [moved] }),
    ).rejects.toThrow()
  })

  test('are sealed again under a new key, while the previous one still opens them', async () => {
    const { sealed } = await secretFor(sender())
    const rotated = sender({ keys: { current: randomBytes(32), previous: keys.current } })
    const again = await rotated.reseal(sealed)
    expect(again).toBeDefined()
    expect(await rotated.reseal({ ...sealed, sealed: again ?? Buffer.of() })).toBeUndefined()
    expect(await sender().reseal(sealed)).toBeUndefined()
    expect((await rotated.sealingKey()).keyId).not.toBe((await sender().sealingKey()).keyId)
  })

  test('are neither opened nor published by an API process', async () => {
    const api = sender({ keys: undefined })
    await expect(api.sealingKey()).rejects.toThrow('worker')
    const message = { url: receiver.url, id: 'event', body: '{}', secrets: [] }
    await expect(api.send(message)).rejects.toThrow('worker')
  })
})

describe('an endpoint', () => {
  const answering =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address }))

  test('is checked again before each attempt, so a rebound name is not called', async () => {
    const port = new URL(receiver.url).port
    const url = `http://receiver.example:${port}/`
    const before = receiver.received.length
    const strict = sender({ allowsLoopback: false, resolve: answering('127.0.0.1') })
    const outcome = await sendTo(strict, 'https://receiver.example/')
    expect(outcome).toMatchObject({
      outcome: 'failed',
      statusCode: null,
      reason: 'the URL is not on the public internet',
    })
    const mixed = sender({ resolve: answering('127.0.0.1', '10.0.0.1') })
    expect(await sendTo(mixed, url)).toMatchObject({ reason: expect.stringContaining('public') })
    expect(receiver.received).toHaveLength(before)
  })

  test('is called at the address that was checked, with its own name as Host', async () => {
    const port = new URL(receiver.url).port
    let lookups = 0
    const resolve: Resolve = async () => {
      lookups += 1
      return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2' }]
    }
    const url = `http://receiver.example:${port}/hook`
    expect(await sendTo(sender({ resolve }), url)).toMatchObject({ outcome: 'delivered' })
    expect(lookups).toBe(1)
    expect(receiver.received.at(-1)?.headers.host).toBe(`receiver.example:${port}`)
  })

  test('that accepts and never answers fails within the time-out', async () => {
    receiver.answers.push('silence')
    const startedAt = performance.now()
    const outcome = await sendTo(sender({ timeoutMs: 200 }), receiver.url)
    expect(outcome).toMatchObject({ statusCode: null, reason: 'did not answer in time' })
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test('whose name resolution hangs fails within the time-out', async () => {
    const resolve: Resolve = () => new Promise(() => {})
    const url = 'https://receiver.example/'
    expect(await sendTo(sender({ timeoutMs: 100, resolve }), url)).toMatchObject({
      reason: 'did not answer in time',
    })
    await expect(sender({ timeoutMs: 100, resolve }).checkEndpoint(url)).rejects.toMatchObject({
      code: 'dependency_unavailable',
    })
  })

  test('cannot send endless headers or bodies', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write(`X-Filler: ${'x'.repeat(4_096)}\r\n`), 1)
      socket.on('close', () => clearInterval(timer))
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect(await sendTo(sender(), `http://127.0.0.1:${port}/`)).toMatchObject({
      outcome: 'failed',
      statusCode: null,
    })
  })

  test.each<[number, object]>([
    [200, { outcome: 'delivered', statusCode: 200 }],
    [299, { outcome: 'delivered', statusCode: 299 }],
    [410, { outcome: 'gone', statusCode: 410 }],
    [404, { outcome: 'failed', statusCode: 404, reason: 'answered 404' }],
    [301, { outcome: 'failed', statusCode: 301 }],
    [500, { outcome: 'failed', statusCode: 500 }],
  ])('that answers %i', async (status, expected) => {
    receiver.answers.push({ status, headers: { location: receiver.url } })
    const before = receiver.received.length
    expect(await sendTo(sender(), receiver.url)).toMatchObject(expected)
    expect(receiver.received).toHaveLength(before + 1)
  })
})
