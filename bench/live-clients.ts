/** Thousands of clients of streams, in a process of their own: they cost no server's time. */
import { connect, type Socket } from 'node:net'

export type OpenRequest = {
  port: number
  /** One connection for each. */
  streams: { path: string; token: string }[]
  /** Takes one byte a second. */
  isSlow?: boolean
}
/** When each event, by its number, reached a client. */
export type Arrivals = { numbers: number[]; times: number[]; closed: number }

const END = Buffer.from('\n\n')
const NUMBER = Buffer.from('"aggregateId":"')
const sockets = new Set<Socket>()
const slow = new Set<Socket>()
let arrivals: Arrivals = { numbers: [], times: [], closed: 0 }

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Hands whole messages on; what is left waits for the next chunk. */
function reader(onBegin: () => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let hasBegun = false
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const now = nowMs()
    let from = 0
    for (let at = bytes.indexOf(END); at >= 0; at = bytes.indexOf(END, from)) {
      const number = bytes.subarray(from, at).indexOf(NUMBER)
      if (number >= 0) {
        arrivals.numbers.push(Number.parseInt(bytes.toString('latin1', from + number + 15, at), 10))
        arrivals.times.push(now)
      } else if (!hasBegun && bytes.subarray(from, at).indexOf('id: ') === 0) {
        hasBegun = true
        onBegin()
      }
      from = at + 2
    }
    rest = bytes.subarray(from)
  }
}

function open(port: number, { path, token }: OpenRequest['streams'][number]): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', reject)
  socket.once('close', () => {
    arrivals.closed += 1
    sockets.delete(socket)
    slow.delete(socket)
    reject(new Error('closed'))
  })
  socket.on(
    'data',
    reader(() => resolve(socket)),
  )
  socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  sockets.add(socket)
  return promise
}

async function openAll({ port, streams, isSlow = false }: OpenRequest): Promise<void> {
  const AT_ONCE = 25
  for (let n = 0; n < streams.length; n += AT_ONCE) {
    const opened = await Promise.all(
      streams.slice(n, n + AT_ONCE).map((stream) => open(port, stream)),
    )
    if (!isSlow) continue
    for (const socket of opened) {
      socket.removeAllListeners('data')
      socket.pause()
      slow.add(socket)
    }
  }
}

setInterval(() => {
  for (const socket of slow) socket.read(1)
}, 1_000)

process.on('message', async (message: { asked: number } & Record<string, unknown>) => {
  const { asked, open: request } = message
  if (request) await openAll(request as OpenRequest)
  if (message.closeAll) for (const socket of sockets) socket.destroy()
  const count = arrivals.numbers.length
  const answer = message.take ? arrivals : { count, closed: arrivals.closed, open: sockets.size }
  if (message.take) arrivals = { numbers: [], times: [], closed: 0 }
  process.send?.({ ...answer, asked })
})
process.send?.({ port: 0 })
