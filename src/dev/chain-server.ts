/** JSON-RPC over HTTP on loopback, as any node offers it. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartupError } from '#platform/errors.ts'
import { BodyTooLarge, readBody } from '#platform/http-client/read-body.ts'
import { http } from '#platform/node-http.ts'
import { RpcError } from './chain-engine.ts'
import type { RpcRequest } from './chain-node.ts'
import { codeOf } from './data-folder.ts'

export type ChainServer = { port: number; close(): Promise<void> }
type Answer = (request: RpcRequest) => Promise<unknown>

const bodyLimitBytes = 2 * 1024 * 1024
const batchLimit = 1000
const closeLimitMs = 1000

export async function listenForRpc(o: { port: number; answer: Answer }): Promise<ChainServer> {
  const { port, answer } = o
  const server = http.createServer((request, response) => {
    serve({ request, response, answer }).catch(() => response.destroy())
  })
  // Longer than clients keep idle connections: closing one under a request looks like an outage.
  server.keepAliveTimeout = 65_000
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.on('error', reject)
  server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve)
  try {
    await promise
  } catch (error) {
    throw new StartupError(
      `Cannot listen on DEV_CHAIN_PORT ${port} (${codeOf(error)}). ` +
        'Stop the process that uses it, or set DEV_CHAIN_PORT to another port.',
    )
  }
  return { port: (server.address() as AddressInfo).port, close: () => close(server) }
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((settle) => server.close(() => settle()))
  const limit = setTimeout(() => server.closeAllConnections(), closeLimitMs)
  await closed
  clearTimeout(limit)
}

async function serve(o: {
  request: IncomingMessage
  response: ServerResponse
  answer: Answer
}): Promise<void> {
  const { request, response, answer } = o
  if (request.url !== '/' || request.method !== 'POST') {
    const status = request.url === '/' ? 405 : 404
    const message = 'send JSON-RPC requests with POST /'
    return send({ response, status, body: failure(null, { code: -32_600, message }) })
  }
  const text = await readBody(request, bodyLimitBytes).catch((error) => {
    if (error instanceof BodyTooLarge) return undefined
    throw error
  })
  if (text === undefined) {
    // The rest of the body is discarded.
    response.setHeader('connection', 'close')
    const message = 'the request is larger than 2 MiB'
    return send({ response, status: 413, body: failure(null, { code: -32_600, message }) })
  }
  send({ response, status: 200, body: await answerText({ text, answer }) })
}

function send(o: { response: ServerResponse; status: number; body: unknown }): void {
  const text = JSON.stringify(o.body)
  o.response.writeHead(o.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  o.response.end(text)
}

async function answerText({ text, answer }: { text: string; answer: Answer }): Promise<unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return failure(null, { code: -32_700, message: 'the body is not JSON' })
  }
  if (!Array.isArray(body)) return answerOne({ body, answer })
  if (body.length === 0 || body.length > batchLimit) {
    const message = `a batch has 1 to ${batchLimit} requests`
    return failure(null, { code: -32_600, message })
  }
  // They take turns in this order and share what they wait for.
  return Promise.all(body.map((one) => answerOne({ body: one, answer })))
}

async function answerOne({ body, answer }: { body: unknown; answer: Answer }): Promise<unknown> {
  const { id = null, method, params } = Object(body) as Record<string, unknown>
  if (typeof method !== 'string' || (params !== undefined && !Array.isArray(params))) {
    const message = 'a request must be an object with a method and an array of params'
    return failure(id, { code: -32_600, message })
  }
  try {
    return { jsonrpc: '2.0', id, result: (await answer({ method, params })) ?? null }
  } catch (error) {
    if (!(error instanceof RpcError)) {
      return failure(id, { code: -32_603, message: 'internal error of the local chain' })
    }
    const { code, message, data } = error
    return failure(id, { code, message, data })
  }
}

const failure = (id: unknown, error: { code: number; message: string; data?: unknown }) => ({
  jsonrpc: '2.0',
  id,
  error,
})
