/** Thousands of streams in one process, each of which knows the events it must receive. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from '#test/support/figures.ts'

const END = Buffer.from('\n\n')
const COME_BACK_AFTER_MS = 100

export type Wanted = { url: string; token: string; topic: number }
type Stream = { wanted: Wanted; socket: Socket; cursor: string; last: number }

type Found = { deliveries: number; outOfOrder: number; foreign: number; resumed: number }

/** Reconnects with its cursor when the server ends the stream, as an EventSource does. */
export type Crowd = {
  /** `slow` streams read a byte a second once they have started. */
  open(streams: readonly Wanted[], options?: { slow?: boolean }): Promise<void>
  /** Records when event `number` was sent to the streams of its topic. */
  sent(number: number): void
  readonly size: number
  readonly deliveries: number
  figures(): Found & { p50: number; p99: number }
  close(): Promise<void>
}

type Message = { cursor: string; number: number | undefined }

/** Parses complete messages with a cursor; the remainder waits for the next chunk. */
function reader(onMessage: (message: Message) => void) {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(END); at >= 0; at = bytes.indexOf(END, from)) {
      const message = bytes.toString('latin1', from, at)
      from = at + 2
      // The first message follows the response head and the length of its chunk.
      const id = /(?:^|\n)id: (.*)/.exec(message)?.[1]
      if (id === undefined) continue
      const number = /"aggregateId":"(\d+)"/.exec(message)?.[1]
      onMessage({ cursor: id, number: number === undefined ? undefined : Number(number) })
    }
    rest = bytes.subarray(from)
  }
}

type Ears = { onNumber(stream: Stream, number: number): void; onClose(stream: Stream): void }

/** Resolves when it has caught up. */
function listen(stream: Stream, { onNumber, onClose }: Ears): Promise<Stream> {
  const { promise, resolve, reject } = Promise.withResolvers<Stream>()
  const { socket, wanted, cursor } = stream
  socket.on('error', reject)
  socket.on(
    'data',
    reader(({ cursor, number }) => {
      stream.cursor = cursor
      resolve(stream)
      if (number !== undefined) onNumber(stream, number)
    }),
  )
  socket.once('close', () => {
    onClose(stream)
    reject(new Error('A stream was closed before it began'))
  })
  const lines = [
    `GET ${new URL(wanted.url).pathname} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${wanted.token}`,
    ...(cursor === '' ? [] : [`Last-Event-ID: ${cursor}`]),
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return promise
}

const socketTo = ({ url }: Wanted): Socket =>
  connect({ port: Number(new URL(url).port), host: '127.0.0.1' })

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
  const found: Found = { deliveries: 0, outOfOrder: 0, foreign: 0, resumed: 0 }
  let isClosing = false
  const drip = setInterval(() => {
    for (const socket of slow) socket.read(1)
  }, 1_000)

  const ears: Ears = {
    onNumber(stream, number) {
      found.deliveries += 1
      if (number % topics !== stream.wanted.topic) found.foreign += 1
      // An event that arrives late is out of order; one that never arrives is missed.
      if (number <= stream.last) found.outOfOrder += 1
      stream.last = number
      const from = sentAt.get(number)
      if (from !== undefined) delays.push(performance.now() - from)
    },
    onClose(stream) {
      streams.delete(stream)
      if (slow.delete(stream.socket) || isClosing) return
      found.resumed += 1
      const comeBack = async () => {
        if (!isClosing) await open({ ...stream, socket: socketTo(stream.wanted) })
      }
      void wait(COME_BACK_AFTER_MS)
        .then(comeBack)
        .catch(() => {})
    },
  }

  const open = async (stream: Stream): Promise<Stream> => {
    streams.add(stream)
    return listen(stream, ears)
  }

  return {
    async open(wanted, { slow: isSlow = false } = {}) {
      for (let n = 0; n < wanted.length; n += 25) {
        const some = wanted
          .slice(n, n + 25)
          .map((one) => open({ wanted: one, socket: socketTo(one), cursor: '', last: -1 }))
        for (const stream of await Promise.all(some)) {
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
