/** A receiver of webhooks on loopback, which records requests and answers as configured. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

type Received = { path: string; headers: IncomingHttpHeaders; body: string }
type ReceiverAnswer = { status: number; headers?: Record<string, string> } | 'silence'

export type Receiver = {
  url: string
  received: Received[]
  /** Used up one by one; 204 when there are none. */
  answers: ReceiverAnswer[]
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: ReceiverAnswer[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    received.push({ path: request.url ?? '', headers: request.headers, body })
    const answer = answers.shift() ?? { status: 204 }
    if (answer === 'silence') return
    response.writeHead(answer.status, answer.headers).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks?of=acme`,
    received,
    answers,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
