/** A push service on loopback, with the untrusted certificate in `fixtures/`. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'

type Received = {
  path: string
  method: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** The server name in the client's TLS handshake. */
  servername: string | false | null
}

/** Its response to a message; 201 by default. */
type Answering = (response: ServerResponse, received: Received) => void

export type PushServer = {
  port: number
  received: Received[]
  /** The number of connections. */
  connections(): number
  endpoint(path: string, host?: string): string
  answer(answering: Answering | undefined): void
  close(): Promise<void>
}

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

/** For 127.0.0.1, signed by no trusted authority. */
export const CERTIFICATE = fixture('test-only-push-service.cert.pem')

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function startPushServer(): Promise<PushServer> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let answering: Answering | undefined
  const server = createServer(
    {
      key: fixture('test-only-push-service.key.pem'),
      cert: CERTIFICATE,
    },
    (request, response) => {
      response.on('error', () => {})
      bodyOf(request).then(
        (body) => {
          const { url: path = '', method = '', headers } = request
          const { servername } = request.socket as TLSSocket & { servername: string | false }
          const one = { path, method, headers, body, servername }
          received.push(one)
          if (answering) answering(response, one)
          else response.writeHead(201, { location: `https://push.example${path}` }).end()
        },
        () => {},
      )
    },
  )
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    received,
    connections: () => connections,
    endpoint: (path, host = '127.0.0.1') => `https://${host}:${port}/${path}`,
    answer(next) {
      answering = next
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}
