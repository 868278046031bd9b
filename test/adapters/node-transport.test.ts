/**
 * One JSON-RPC request to a node: its result, the node's error, or a failure within the time-out.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type BaseError,
  createPublicClient,
  HttpRequestError,
  ResponseBodyTooLargeError,
  RpcRequestError,
  TimeoutError,
} from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type NodeObserver, nodeTransport } from '#adapters/chain/node-transport.ts'
import { createPaymentNodes } from '#adapters/chain/viem-payment-nodes.ts'

// biome-ignore lint/suspicious/noExplicitAny: what was asked is looked at as it came
type Asked = { request: IncomingMessage; body: any }
type Reply = (asked: Asked, response: ServerResponse) => void

/** Uses the id of the request unless another is given. */
const said =
  (value: object, status = 200): Reply =>
  ({ body }, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: body.id, ...value }))
const result = (value: unknown, status = 200): Reply => said({ result: value }, status)
const text =
  (words: string, status = 200): Reply =>
  (_asked, response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(words)

let reply: Reply
let asked: Asked[]
let connections: number
let server: ReturnType<typeof createServer>
let url: string

beforeEach(async () => {
  asked = []
  connections = 0
  server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const question = { request, body: JSON.parse(Buffer.concat(parts).toString()) }
    asked.push(question)
    reply(question, response)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const LONG_MS = 20_000

function ask(
  method: string,
  params: unknown[] = [],
  { to = url, timeoutMs = LONG_MS, retryCount = 0 } = {},
) {
  const transport = nodeTransport(to, { timeoutMs, retryCount })
  const client = createPublicClient({ transport })
  return client.request({ method, params } as never) as Promise<unknown>
}

/** The root cause of the error. */
const troubleOf = (question: Promise<unknown>): Promise<unknown> =>
  question.then(
    (value) => expect.fail(`answered ${JSON.stringify(value)}`),
    (error: BaseError) =>
      error.walk((one) =>
        [TimeoutError, HttpRequestError, RpcRequestError, ResponseBodyTooLargeError].some(
          (kind) => one instanceof kind,
        ),
      ),
  )

describe('an observer', () => {
  const seen = async (to: string, timeoutMs = LONG_MS) => {
    const outcomes: string[] = []
    const onAnswer: NodeObserver = ({ outcome }) => void outcomes.push(outcome)
    const transport = nodeTransport(to, { timeoutMs, retryCount: 0, onAnswer })
    await createPublicClient({ transport })
      .getBlockNumber()
      .catch(() => {})
    return outcomes
  }

  test.each([
    ['answered', result('0x7')],
    ['error', said({ error: { code: 3, message: 'execution reverted' } })],
    ['unusable', text('Too many requests', 429)],
    ['unusable', text('hello')],
    ['unreachable', (_asked: Asked, response: ServerResponse) => void response.destroy()],
  ])('is told once how a request ended: %s', async (outcome, answer) => {
    reply = answer
    expect(await seen(url)).toEqual([outcome])
  })

  test('is told of a time-out', async () => {
    reply = () => {}
    expect(await seen(url, 50)).toEqual(['timeout'])
  })
})

describe('a request', () => {
  test('is a POST of JSON-RPC, and its answer is the result', async () => {
    reply = result('0x7')
    expect(await ask('eth_call', [{ to: '0x1' }, 'latest'])).toBe('0x7')
    const [{ request, body } = expect.fail('nothing was asked')] = asked
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'eth_call',
      params: [{ to: '0x1' }, 'latest'],
    })
    expect(request.method).toBe('POST')
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'countersign',
    })
  })

  test('for something missing returns null', async () => {
    reply = said({ result: null, error: null })
    expect(await ask('eth_getTransactionReceipt')).toBe(null)
  })

  test('reuses a kept-alive connection, and opens a new one when it was closed', async () => {
    reply = result('0x1')
    for (let n = 0; n < 20; n += 1) await ask('eth_blockNumber')
    expect(connections).toBe(1)
    const [{ request } = expect.fail('nothing was asked')] = asked
    const gone = new Promise((resolve) => request.socket.once('close', resolve))
    server.closeAllConnections()
    await gone
    await expect.poll(() => ask('eth_blockNumber').catch(() => 'reset')).toBe('0x1')
    expect(connections).toBe(2)
  })

  test('among many concurrent ones gets its own answer', async () => {
    reply = (question, response) => {
      const [n] = question.body.params
      setTimeout(() => result(n)(question, response), (n * 7) % 5)
    }
    const numbers = Array.from({ length: 100 }, (_, n) => n)
    const answers = await Promise.all(numbers.map((n) => ask('eth_call', [n])))
    expect(answers).toEqual(numbers)
  })

  test('carries the user and password of the URL', async () => {
    reply = result('0x1')
    await ask('eth_blockNumber', [], { to: url.replace('//', '//some%40body:pass%3Aword@') })
    const basic = Buffer.from('some@body:pass:word').toString('base64')
    expect(asked[0]?.request.headers.authorization).toBe(`Basic ${basic}`)
  })

  test('may be answered in chunks that split a character', async () => {
    reply = ({ body }, response) => {
      const whole = Buffer.from(JSON.stringify({ id: body.id, result: '€' }))
      const middle = whole.indexOf('€') + 1
      response.write(whole.subarray(0, middle))
      setImmediate(() => response.end(whole.subarray(middle)))
    }
    expect(await ask('web3_clientVersion')).toBe('€')
  })
})

describe('an error from the node', () => {
  const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' }

  test.each([200, 400, 500])(
    'is returned under status %s, with the revert data',
    async (status) => {
      reply = said({ error }, status)
      const trouble = await troubleOf(ask('eth_call'))
      expect(trouble).toBeInstanceOf(RpcRequestError)
      expect(trouble).toMatchObject({ code: 3, data: '0x08c379a0', details: 'execution reverted' })
    },
  )

  test.each([undefined, '-32005', null])('is returned without a numeric code: %s', async (code) => {
    reply = said({ error: { code, message: 'query returned too much' } })
    const trouble = await troubleOf(ask('eth_getLogs'))
    expect(trouble).toBeInstanceOf(RpcRequestError)
    expect(trouble).toMatchObject({ details: 'query returned too much' })
  })

  test('is returned without a message', async () => {
    reply = said({ error: { code: -32_000 } })
    expect(await troubleOf(ask('eth_call'))).toMatchObject({ code: -32_000 })
  })

  test('is returned when the node could not parse the request', async () => {
    reply = said({ id: null, error: { code: -32_600, message: 'invalid request' } })
    expect(await troubleOf(ask('eth_call'))).toBeInstanceOf(RpcRequestError)
  })
})

describe('a failure', () => {
  const hangUpMidway: Reply = (_asked, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"jsonrpc":"2.0",', () => response.destroy())
  }

  test.each<[string, Reply]>([
    ['plain text instead of JSON', text('<h1>welcome</h1>')],
    ['nothing', text('')],
    ['null', text('null')],
    ['a number', text('7')],
    ['the answer to another request', said({ id: 0, result: '0x1' })],
    ['the error of another request', said({ id: 0, error: { code: 3, message: 'no' } })],
    ["a gateway's error", said({ error: { code: 'away', message: 'away' } }, 502)],
    ['JSON without a result', said({})],
    ['an error as text beside a result', said({ error: 'rate limit', result: '0x1' })],
    ['a result under status 502', result('0x1', 502)],
    ['an HTML page under status 503', text('<h1>away</h1>', 503)],
    ['a connection that ends halfway', hangUpMidway],
    ['a connection that ends immediately', (_asked, response) => void response.destroy()],
  ])('is %s', async (_what, given) => {
    reply = given
    expect(await troubleOf(ask('eth_blockNumber'))).toBeInstanceOf(HttpRequestError)
  })

  test('is another protocol in the answer', async () => {
    reply = ({ request }) => {
      const upgrade = ['HTTP/1.1 101 Switching Protocols', 'connection: upgrade', 'upgrade: other']
      request.socket.write(`${upgrade.join('\r\n')}\r\n\r\n`)
    }
    expect(await troubleOf(ask('eth_blockNumber'))).toBeInstanceOf(HttpRequestError)
  })

  test('that is temporary is retried where configured', async () => {
    const replies = [text('<h1>welcome</h1>'), result('0x1')]
    reply = (question, response) => replies.shift()?.(question, response)
    expect(await ask('eth_blockNumber', [], { retryCount: 1 })).toBe('0x1')
  })

  test('does not reveal the password of the URL', async () => {
    reply = text('away', 503)
    const trouble = await troubleOf(ask('eth_call', [], { to: url.replace('//', '//me:hunter2@') }))
    expect(String(trouble)).toContain('Status: 503')
    expect(JSON.stringify(trouble) + String(trouble)).not.toContain('hunter2')
  })

  test('is a refused connection', async () => {
    const nobody = ask('eth_blockNumber', [], { to: 'http://127.0.0.1:1' })
    expect(await troubleOf(nobody)).toBeInstanceOf(HttpRequestError)
  })

  test('is a redirect, which is not followed', async () => {
    reply = (_asked, response) => void response.writeHead(307, { location: `${url}/other` }).end()
    expect(await troubleOf(ask('eth_blockNumber'))).toMatchObject({ status: 307 })
    expect(asked).toHaveLength(1)
  })

  test('is an endless answer, which is not read to the end', async () => {
    const part = Buffer.alloc(1024 * 1024, ' ')
    let isOver = false
    reply = ({ request }, response) => {
      request.socket.once('close', () => {
        isOver = true
      })
      const more = (): void => void (isOver || response.write(part, more))
      more()
    }
    expect(await troubleOf(ask('eth_getLogs'))).toBeInstanceOf(ResponseBodyTooLargeError)
    await expect.poll(() => isOver).toBe(true)
  })

  const stall: Reply = (_asked, response) => void response.write('{"jsonrpc":"2.0",')

  test.each<[string, Reply]>([
    ['silence', () => {}],
    ['an answer that stops halfway', stall],
  ])('is %s, reported within the time-out', async (_what, given) => {
    reply = given
    const trouble = await troubleOf(ask('eth_blockNumber', [], { timeoutMs: 50 }))
    expect(trouble).toBeInstanceOf(TimeoutError)
  })

  test('of a node that stops halfway does not delay a payment', async () => {
    reply = stall
    const options = { chainId: 1, confirmations: 1, timeoutMs: 50 }
    const [node] = createPaymentNodes({ rpcUrls: [url], ...options })
    await expect(node?.head({ address: `0x${'ab'.repeat(20)}` })).rejects.toThrow(TimeoutError)
  })
})
