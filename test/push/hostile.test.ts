import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Resolve } from '#adapters/push/push-endpoint.ts'
import { hostileEndpoints, names } from '#test/push/hostile-endpoints.ts'
import { type PushServer, startPushServer } from '#test/push/push-server.ts'
import { messageTo, pushWith } from '#test/push/sending.ts'

let server: PushServer

beforeAll(async () => {
  server = await startPushServer()
})
afterAll(() => server.close())

describe('hostile endpoints', () => {
  const resolve: Resolve = async (hostname) => {
    const found = names[hostname]
    if (!found) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    return found.map((address) => ({ address }))
  }

  test('cause no connection, when checked or when sent to', async () => {
    const before = server.connections()
    const push = pushWith({ allowsLoopback: false, timeoutMs: 2_000 })
    const named = pushWith({ allowsLoopback: false, resolve })
    const literal = hostileEndpoints(server.port)
    const registered = Object.keys(names).flatMap((name) => [
      `https://${name}/a`,
      `https://${name}:${server.port}/a`,
    ])
    expect(literal.length + registered.length).toBeGreaterThan(40)
    for (const endpoint of literal) {
      expect([endpoint, await push.checkEndpoint(endpoint)]).toEqual([
        endpoint,
        { refused: expect.any(String) },
      ])
      expect(await push.send(messageTo(endpoint))).toHaveProperty('rejected')
    }
    for (const endpoint of registered) {
      expect(await named.checkEndpoint(endpoint)).toHaveProperty('refused')
      expect(await named.send(messageTo(endpoint))).toHaveProperty('rejected')
    }
    expect(server.connections()).toBe(before)
  })

  test('are limited to plain loopback by the embedded default', async () => {
    const push = pushWith({ timeoutMs: 2_000 })
    const before = server.connections()
    const letThrough: string[] = []
    for (const endpoint of hostileEndpoints(server.port)) {
      if ((await push.checkEndpoint(endpoint)) === 'allowed') letThrough.push(endpoint)
    }
    const hosts = letThrough.map((endpoint) => new URL(endpoint).hostname.replace(/\.$/, ''))
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.1', '127.0.0.2', 'localhost', '[::1]']))
    expect(server.connections()).toBe(before)
  })

  test('cannot use a name that is public when checked and loopback when sent to', async () => {
    const answers = ['93.184.215.14', '127.0.0.1']
    const rebinding: Resolve = async () => [{ address: answers.shift() ?? '127.0.0.1' }]
    const before = server.connections()
    const push = pushWith({ allowsLoopback: false, resolve: rebinding })
    expect(await push.checkEndpoint('https://rebinding.example/a')).toBe('allowed')
    expect(await push.send(messageTo('https://rebinding.example/a'))).toEqual({
      rejected: 'endpoint is not on the public internet',
    })
    expect(server.connections()).toBe(before)
  })
})
