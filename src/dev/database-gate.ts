/**
 * Leads to the embedded PostgreSQL with another `search_path` than the connection asks for. The
 * service itself knows nothing of it.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { SCHEMA } from '#platform/database/settings.ts'

const LOOPBACK = '127.0.0.1'
const LENGTH_BYTES = 4
const HEADER_BYTES = 8

/** The first message of a connection: its length, the version, then names and values. */
function withSearchPath(startup: Buffer, searchPath: string): Buffer {
  const asked = startup.toString('latin1', HEADER_BYTES)
  const given = asked.replace(
    new RegExp(`search_path=${SCHEMA}(?=[ \\0])`),
    `search_path=${searchPath}`,
  )
  const changed = Buffer.concat([startup.subarray(0, HEADER_BYTES), Buffer.from(given, 'latin1')])
  changed.writeUInt32BE(changed.length)
  return changed
}

function lead(client: Socket, server: Socket, searchPath: string): void {
  const end = () => {
    client.destroy()
    server.destroy()
  }
  for (const side of [client, server]) side.on('error', end).on('close', end).setNoDelay(true)
  let received = Buffer.alloc(0)
  const read = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.length < LENGTH_BYTES) return
    const length = received.readUInt32BE()
    if (received.length < length) return
    client.off('data', read)
    server.write(withSearchPath(received.subarray(0, length), searchPath))
    server.write(received.subarray(length))
    client.pipe(server)
    server.pipe(client)
  }
  client.on('data', read)
}

export async function openDatabaseGate(options: {
  url: string
  searchPath: string
}): Promise<{ url: string; close(): Promise<void> }> {
  const { searchPath } = options
  const url = new URL(options.url)
  const target = { host: url.hostname, port: Number(url.port) }
  const open = new Set<Socket>()
  const gate = createServer((client) => {
    open.add(client)
    client.once('close', () => open.delete(client))
    lead(client, connect(target), searchPath)
  })
  gate.listen(0, LOOPBACK)
  await once(gate, 'listening')
  url.port = String((gate.address() as AddressInfo).port)
  return {
    url: url.href,
    async close() {
      const closed = once(gate, 'close')
      gate.close()
      for (const client of open) client.destroy()
      await closed
    },
  }
}
