/** Production nodes are reached over https and only with a trusted certificate. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createPublicClient, HttpRequestError } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeTransport } from '#adapters/chain/node-transport.ts'
import { CERTIFICATE, type PushServer, startPushServer } from '#test/push/push-server.ts'

const trusted = getCACertificates('default')
let server: PushServer

beforeEach(async () => {
  server = await startPushServer()
  server.answer((response, { body }) => {
    const { id } = JSON.parse(body.toString())
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x2a' }))
  })
})
afterEach(async () => {
  setDefaultCACertificates(trusted)
  await server.close()
})

const askForTheHead = () => {
  const url = `https://127.0.0.1:${server.port}/key`
  const transport = nodeTransport(url, { timeoutMs: 20_000, retryCount: 0 })
  return createPublicClient({ transport }).getBlockNumber({ cacheTime: 0 })
}

test('a node with a trusted certificate answers', async () => {
  setDefaultCACertificates([...trusted, CERTIFICATE])
  expect(await askForTheHead()).toBe(42n)
  expect(server.received).toMatchObject([{ path: '/key', method: 'POST' }])
})

test('a node with an untrusted certificate receives no request', async () => {
  const error = await askForTheHead().catch((reason) => reason)
  expect(error).toBeInstanceOf(HttpRequestError)
  expect(error.cause).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(server.connections()).toBe(1)
  expect(server.received).toEqual([])
})
