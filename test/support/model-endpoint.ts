/** A loopback endpoint for OpenAI's chat completions with injectable failures. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

type ModelMessage = { role: string; content: string }

export type ModelRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown> & { messages: ModelMessage[] }
}

export type ModelAnswer =
  /** A completion whose message has this content. */
  | { content: string; finish?: string; message?: object }
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  | 'silence'
  | 'hang up'
  /** The head and part of the body, then nothing more. */
  | 'stall'
  /** The head and part of the body, then the connection ends. */
  | 'break off'
  /** A body that never ends. */
  | 'flood'

export type ModelEndpoint = {
  /** The value of `ANALYST_URL`. */
  url: string
  requests: ModelRequest[]
  /** Connections that are open now. */
  open(): number
  answer: (request: ModelRequest, number: number) => ModelAnswer
  stop(): Promise<void>
}

export const soundOpinion = {
  summary: 'The purpose fits the recipient and the amount.',
  riskScore: 12,
  recommendation: 'approve',
  concerns: [] as string[],
}

export const says = (opinion: unknown): ModelAnswer => ({ content: JSON.stringify(opinion) })

/** The parsed data block of a request; undefined unless there is exactly one. */
export function dataOf({ body }: ModelRequest): unknown {
  const user = body.messages.filter(({ role }) => role === 'user')
  const text = user.map(({ content }) => content).join('\n')
  const parts = /^<data>\n([^<>]*)\n<\/data>\n[^<>]*$/.exec(text)
  return user.length === 1 && parts?.[1] !== undefined ? JSON.parse(parts[1]) : undefined
}

const completion = (content: string, finish: string, message: object) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'emulated-0001',
    choices: [
      { index: 0, finish_reason: finish, message: { role: 'assistant', content, ...message } },
    ],
    usage: { prompt_tokens: 300, completion_tokens: 40, total_tokens: 340 },
  })

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

function flood(response: ServerResponse): void {
  const write = () => {
    let isTaken = true
    while (isTaken && !response.destroyed) isTaken = response.write(' '.repeat(65_536))
  }
  response.on('drain', write)
  write()
}

function send(response: ServerResponse, answer: ModelAnswer): void {
  if (answer === 'silence') return
  if (answer === 'hang up') return void response.destroy()
  if (typeof answer === 'string') {
    response.writeHead(200, JSON_TYPE)
    if (answer === 'flood') return void flood(response)
    const isStalled = answer === 'stall'
    return void response.write('{"choices":[', () => isStalled || response.destroy())
  }
  if ('content' in answer) {
    const { content, finish = 'stop', message = {} } = answer
    return void response.writeHead(200, JSON_TYPE).end(completion(content, finish, message))
  }
  const { status = 200, headers = JSON_TYPE, body = '' } = answer
  response.writeHead(status, headers).end(body)
}

/** Small on the wire, large when decompressed. */
export const packed = (body: string): ModelAnswer => ({
  headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
  body: gzipSync(body),
})

export async function startModelEndpoint(): Promise<ModelEndpoint> {
  let open = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const received: ModelRequest = { method, path, headers, body }
      endpoint.requests.push(received)
      send(response, endpoint.answer(received, endpoint.requests.length))
    })
  })
  server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const endpoint: ModelEndpoint = {
    url: `http://127.0.0.1:${port}/v1`,
    requests: [],
    open: () => open,
    answer: () => says(soundOpinion),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return endpoint
}
