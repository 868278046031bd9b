/** The baseline of live streams: a bare Node server with the same Server-Sent Events. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerUsage, type Published } from './live-wire.ts'

const followers = new Map<string, Set<ServerResponse>>()

const server = createServer((request, response) => {
  const topic = request.url?.slice(1) ?? ''
  const group = followers.get(topic) ?? new Set()
  followers.set(topic, group.add(response))
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
  })
  response.write('retry: 3000\n\nid: begin\n\n')
  response.once('close', () => group.delete(response))
})

process.on('message', (message: { events?: Published[] }) => {
  for (const { topic, event } of message.events ?? []) {
    const id = 'A'.repeat(44)
    const data = JSON.stringify({ ...event, cursor: id })
    const bytes = Buffer.from(`id: ${id}\nevent: ${event.kind}\ndata: ${data}\n\n`)
    for (const response of followers.get(topic) ?? []) response.write(bytes)
  }
})
answerUsage()
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
