/** A proxy between a process and PostgreSQL that parses the requests and can interrupt. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { overTcp } from '#test/support/database.ts'

/** What is sent to the server as one unit. */
export type Asked = {
  /** The texts of its statements. */
  texts: readonly string[]
  /** Of the transaction that it belongs to, including this unit. */
  transaction: { texts: readonly string[]; values: string }
}

/** `asked`: the server never receives it. `answered`: it is executed, but the answer is lost. */
export type Cut = 'asked' | 'answered'

export type PostgresTap = { url: string; stop(): Promise<void> }

/** `hear` decides where to interrupt, `cut` does it. */
export type Ear = { hear(asked: Asked): Cut | undefined; cut(): void }

/** Calls back with each complete message; a client's first message has no type. */
function messageReader(hasType: boolean, onMessage: (type: string, whole: Buffer) => void) {
  let rest = Buffer.alloc(0)
  let typeBytes = hasType ? 1 : 0
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readUInt32BE(typeBytes)
      if (rest.length < length) return
      const whole = rest.subarray(0, length)
      rest = rest.subarray(length)
      onMessage(typeBytes === 0 ? '' : String.fromCharCode(whole[0] ?? 0), whole)
      typeBytes = 1
    }
  }
}

const PREPARES = 'P'
const BINDS = 'B'
const ASKS = 'Q'
const READY = 'Z'
/** Parse, Bind, Describe, Execute and Close wait for the Sync after them. */
const IN_A_PIECE = [PREPARES, BINDS, 'D', 'E', 'C']

/** The client's messages, grouped into units that the server answers as one. */
function pieceReader(onPiece: (bytes: Buffer, asked: Asked) => void) {
  const prepared = new Map<string, string>()
  let transaction = { texts: [] as string[], values: '' }
  let piece: Buffer[] = []
  let texts: string[] = []
  const say = (text: string) => {
    if (text.startsWith('begin')) transaction = { texts: [], values: '' }
    transaction.texts.push(text)
    texts.push(text)
  }
  return messageReader(false, (type, whole) => {
    const [first = '', second = ''] = whole.subarray(5).toString('utf8').split('\0', 2)
    if (type === PREPARES) prepared.set(first, second)
    if (type === ASKS) say(first)
    if (type === BINDS) {
      say(prepared.get(second) ?? '')
      transaction.values += whole.toString('latin1')
    }
    piece.push(whole)
    if (IN_A_PIECE.includes(type)) return
    onPiece(Buffer.concat(piece), { texts, transaction })
    piece = []
    texts = []
  })
}

function join(client: Socket, server: Socket, { hear, cut }: Ear): void {
  let isWithheld = false
  const toServer = pieceReader((bytes, asked) => {
    const where = hear(asked)
    if (where === 'asked') return cut()
    isWithheld = where === 'answered'
    server.write(bytes)
  })
  const fromServer = messageReader(true, (type) => {
    if (type === READY) cut()
  })
  client.on('data', toServer)
  server.on('data', (chunk: Buffer) => {
    if (isWithheld) fromServer(chunk)
    else client.write(chunk)
  })
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => {})
    one.on('close', () => other.destroy())
  }
}

export async function startPostgresTap(target: string, ear: Ear): Promise<PostgresTap> {
  const url = overTcp(target)
  const { hostname, port } = url
  const clients = new Set<Socket>()
  const listener = createServer((client) => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
    join(client, connect({ host: hostname, port: Number(port) }), ear)
  })
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve)
  })
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: url.href,
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        for (const client of clients) client.destroy()
      }),
  }
}
