/** Thousands of streams in one process, each of which knows what it must be told. */
import { connect, type Socket } from 'node:net'
import { percentile } from '#test/support/figures.ts'

const END = Buffer.from('\n\n')
const NUMBER = Buffer.from('"aggregateId":"')

export type Wanted = { url: string; token: string; topic: number }
type Stream = { socket: Socket; topic: number; last: number }

type Found = { deliveries: number; outOfOrder: number; foreign: number; closed: number }

export type Crowd = {
  /** `slow` ones take a byte a second, once they have begun. */
  open(streams: readonly Wanted[], options?: { slow?: boolean }): Promise<void>
  /** Event `number` was sent now, to one stream after the other of its topic. */
  sent(number: number): void
  readonly size: number
  readonly deliveries: number
  figures(): Found & { p50: number; p99: number }
  close(): Promise<void>
}

/** Hands on the numbers of whole messages; what is left waits for the next chunk. */
function reader(onBegin: () => void, onNumber: (number: number) => void) {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(END); at >= 0; at = bytes.indexOf(END, from)) {
      const message = bytes.subarray(from, at)
      const place = message.indexOf(NUMBER)
      if (place >= 0) onNumber(Number.parseInt(message.toString('latin1', place + 15), 10))
      else if (message.indexOf('id: ') === 0) onBegin()
      from = at + 2
    }
    rest = bytes.subarray(from)
  }
}

type Ears = { onNumber(stream: Stream, number: number): void; onClose(stream: Stream): void }

/** Resolves when it has caught up. */
function openStream({ url, token, topic }: Wanted, { onNumber, onClose }: Ears): Promise<Stream> {
  const { promise, resolve, reject } = Promise.withResolvers<Stream>()
  const { port, pathname } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  const stream = { socket, topic, last: -1 }
  const onBegin = () => resolve(stream)
  socket.on('error', reject)
  socket.on(
    'data',
    reader(onBegin, (number) => onNumber(stream, number)),
  )
  socket.once('close', () => {
    onClose(stream)
    reject(new Error('A stream was closed before it began'))
  })
  const head = `GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}`
  socket.write(`${head}\r\n\r\n`)
  return promise
}

const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve())
    socket.destroy()
  })

/** Events are numbered: those of topic t are t, t + topics, t + 2 topics, … */
export function gatherCrowd(topics: number): Crowd {
  const streams = new Set<Stream>()
  const slow = new Set<Socket>()
  const sentAt = new Map<number, number>()
  const delays: number[] = []
  const found: Found = { deliveries: 0, outOfOrder: 0, foreign: 0, closed: 0 }
  let isClosing = false
  const drip = setInterval(() => {
    for (const socket of slow) socket.read(1)
  }, 1_000)

  const ears: Ears = {
    onNumber(stream, number) {
      found.deliveries += 1
      if (number % topics !== stream.topic) found.foreign += 1
      // A gap that is filled later is out of order, and one that is not is missed.
      if (number <= stream.last) found.outOfOrder += 1
      stream.last = number
      const from = sentAt.get(number)
      if (from !== undefined) delays.push(performance.now() - from)
    },
    onClose(stream) {
      streams.delete(stream)
      if (!slow.delete(stream.socket) && !isClosing) found.closed += 1
    },
  }

  return {
    async open(wanted, { slow: isSlow = false } = {}) {
      for (let n = 0; n < wanted.length; n += 25) {
        const some = wanted.slice(n, n + 25).map((one) => openStream(one, ears))
        for (const stream of await Promise.all(some)) {
          streams.add(stream)
          if (!isSlow) continue
          stream.socket.removeAllListeners('data').pause()
          slow.add(stream.socket)
        }
      }
    },
    sent: (number) => void sentAt.set(number, performance.now()),
    get size() {
      return streams.size
    },
    get deliveries() {
      return found.deliveries
    },
    figures: () => ({ ...found, p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) }),
    async close() {
      isClosing = true
      clearInterval(drip)
      await Promise.all([...streams].map(({ socket }) => ended(socket)))
    },
  }
}
