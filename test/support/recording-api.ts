/** An API that opens sessions, records every other request, and answers as a test wants. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answering = (request: IncomingMessage, response: ServerResponse) => void

export type RecordingApi = {
  port: number
  url: string
  received: IncomingMessage[]
  last(): IncomingMessage
  /** Forgets what was received and answers 200 again. */
  reset(): void
  answer(answering: Answering): void
  start(): Promise<void>
  stop(): Promise<void>
}

export const ok: Answering = (_request, response) => void response.end('{}')

const ACCOUNT = '01900000-0000-7000-8000-000000000001'

export async function startRecordingApi(): Promise<RecordingApi> {
  let server: Server | undefined
  let answering = ok
  const respond: Answering = (request, response) => {
    if (request.method === 'PUT' && request.url === '/v1/consumer/session') {
      request.resume()
      return void response.end(JSON.stringify({ account: { id: ACCOUNT } }))
    }
    api.received.push(request)
    answering(request, response)
  }
  const api: RecordingApi = {
    port: 0,
    url: '',
    received: [],
    last: () => api.received.at(-1) as IncomingMessage,
    reset() {
      api.received = []
      answering = ok
    },
    answer(given) {
      answering = given
    },
    async start() {
      server = createServer(respond)
      server.listen(api.port, '127.0.0.1')
      await once(server, 'listening')
      api.port = (server.address() as AddressInfo).port
      api.url = `http://127.0.0.1:${api.port}`
    },
    async stop() {
      server?.closeAllConnections()
      await new Promise((resolve) => server?.close(resolve))
    },
  }
  await api.start()
  return api
}
