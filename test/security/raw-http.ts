/** HTTP as bytes on a socket, which `inject` and `fetch` would normalise. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestApp } from '#test/support/app.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape they then check
export type RawAnswer = { status: number; headers: Record<string, string>; text: string; body: any }

export async function listen({ app }: TestApp): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('It does not listen')
  return address.port
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  // The server may close the connection while the request is still being written.
  socket.on('error', () => {})
  return socket
}

/** Not `events.once`, which rejects when the connection is cut. */
export const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })

/** Everything the server sends until it closes the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await untilClosed(socket)
  return Buffer.concat(chunks).toString()
}

export function parseAnswer(received: string): RawAnswer {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
  const text = rest.join('\r\n\r\n')
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: parse(text) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function sendRaw(port: number, request: string | Buffer): Promise<RawAnswer> {
  const socket = await openSocket(port)
  const received = readToEnd(socket)
  socket.write(request)
  const answer = parseAnswer(await received)
  socket.destroy()
  return answer
}

export type RawRequest = { method?: string; path: string; lines?: string[]; body?: string | Buffer }

/** Sends one request on a connection of its own; `lines` are header lines, byte for byte. */
export function rawRequest({ method = 'POST', path, lines = [], body = '' }: RawRequest): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...lines,
    ...(body.length === 0 ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
}
