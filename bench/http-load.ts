/**
 * A client that costs next to nothing, since it shares the machine with what it measures: sockets
 * that stay open, each with one request under way, and answers read by their Content-Length.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Load = {
  port: number
  connections: number
  /** The bytes of the n-th request. */
  request(n: number): Buffer
  status: number
} & ({ ms: number } | { count: number })

export type Loaded = { answered: number; seconds: number; perSecond: number; p50Ms: number }

type RequestOptions = {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

export function requestBytes({ method = 'GET', path, headers = {}, body }: RequestOptions): Buffer {
  const all: Record<string, string> = { host: '127.0.0.1', ...headers }
  if (body !== undefined) {
    all['content-type'] = 'application/json'
    all['content-length'] = String(Buffer.byteLength(body))
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/** Calls `answered` once for each whole answer on the socket. */
function readAnswers(socket: Socket, status: number, answered: () => void): void {
  let head: Buffer = Buffer.alloc(0)
  let missing = 0
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) {
      missing -= chunk.length
    } else {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      const text = head.toString('latin1', 0, end)
      if (Number(text.slice(9, 12)) !== status) {
        socket.destroy(new Error(`${text.split('\r\n')[0]}: ${head.subarray(end + 4)}`))
        return
      }
      missing = Number(/content-length: (\d+)/i.exec(text)?.[1]) + end + 4 - head.length
      head = Buffer.alloc(0)
    }
    if (missing === 0) answered()
  })
}

export async function putLoad({ port, connections, request, status, ...until }: Load) {
  const began = performance.now()
  const times: number[] = []
  let sent = 0
  const isOver = () => ('ms' in until ? performance.now() - began >= until.ms : sent >= until.count)
  const one = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    await new Promise<void>((resolve, reject) => {
      let sentAt = 0
      const next = () => {
        if (isOver()) return socket.end(resolve)
        sentAt = performance.now()
        socket.write(request(sent))
        sent += 1
      }
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('The server closed a connection')))
      readAnswers(socket, status, () => {
        times.push(performance.now() - sentAt)
        next()
      })
      next()
    })
  }
  await Promise.all(Array.from({ length: connections }, one))
  const seconds = (performance.now() - began) / 1000
  const p50Ms = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  const loaded: Loaded = {
    answered: times.length,
    seconds,
    perSecond: times.length / seconds,
    p50Ms,
  }
  return loaded
}
