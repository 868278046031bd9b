/** Time-outs and signals end a request also after a garbage collection, when Node forgets them. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Client, createClient } from '@countersign/client/client.ts'
import { readStream } from '@countersign/client/live-stream.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await setImmediate()
    collect()
  }
}

const path = { organizationId: '0198a3c4-0000-7000-8000-000000000000' }
let server: Server
let client: Client

beforeEach(async () => {
  // Streams begin and go on; anything else is never answered.
  server = createServer((request, response) => {
    if (request.url?.includes('/stream')) response.writeHead(200).write(': keepalive\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  client = createClient({ baseUrl, timeoutMs: 500, retry: { attemptsMax: 1 } })
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

test('a call without an answer ends at its time-out', async () => {
  const calling = client.call('getAccount')
  await once(server, 'request')
  await collectGarbage()
  expect(await calling).toMatchObject({ failure: { code: 'timeout' } })
})

test('a call whose answer stops halfway ends at its time-out', async () => {
  server.once('request', (_request, response) => response.writeHead(200).write('{"account":'))
  const calling = client.call('getAccount')
  await once(server, 'request')
  await collectGarbage()
  expect(await calling).toMatchObject({ failure: { code: 'timeout' } })
})

test('a signal ends a stream, and closes its connection', async () => {
  const [leaving, closed] = [new AbortController(), Promise.withResolvers<void>()]
  server.once('request', ({ socket }) => socket.once('close', closed.resolve))
  const opened = await client.call('streamLive', { path, as: 'stream', signal: leaving.signal })
  if (!opened.ok) throw new Error(opened.failure.message)
  const reading = readStream(opened.data, { onEvent: () => undefined })
  await collectGarbage()
  leaving.abort()
  expect(await reading).toBe('lost')
  await closed.promise
})
