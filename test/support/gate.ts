/** A proxy in front of the database that can be open, closed or silent. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { overTcp } from './database.ts'

export type Gate = {
  port: number
  shut(): Promise<void>
  open(): Promise<void>
  /** Connections stay open, and nothing passes. */
  silence(): void
  speak(): void
  close(): Promise<void>
}

export async function openGate({ hostname, port: behind }: URL): Promise<Gate> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server: Server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(behind) })
    keep(near)
    keep(far)
    near.on('data', (bytes) => isSilent || far.write(bytes))
    far.on('data', (bytes) => isSilent || near.write(bytes))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  const listenOn = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listenOn(0)
  const { port } = server.address() as AddressInfo
  const shut = async () => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    port,
    shut,
    close: shut,
    open: async () => void (server.listening || (await listenOn(port))),
    silence: () => {
      isSilent = true
    },
    speak: () => {
      isSilent = false
    },
  }
}

/** The same database, reached through the proxy. */
export function throughGate(url: string, { port }: Gate): string {
  const changed = overTcp(url)
  changed.host = `127.0.0.1:${port}`
  return changed.href
}
