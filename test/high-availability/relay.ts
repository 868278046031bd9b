/** A TCP relay that a test can cut as a network does: nothing arrives, and nothing closes. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Relay = {
  port: number
  /** What is open stays open and silent; new connections are accepted and silent. */
  cut(): void
  /** New connections pass again. Those from before and during the cut are closed. */
  heal(): void
  close(): Promise<void>
}

export async function startRelay(target: () => number): Promise<Relay> {
  const open = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
  }
  const server = createServer({ allowHalfOpen: false }, (near) => {
    keep(near)
    if (isCut) {
      near.pause()
      return
    }
    const far = connect({ host: '127.0.0.1', port: target() })
    keep(far)
    near.on('close', () => isCut || far.destroy())
    far.on('close', () => isCut || near.destroy())
    near.on('data', (bytes) => isCut || far.write(bytes))
    far.on('data', (bytes) => isCut || near.write(bytes))
  })
  const destroyAll = () => {
    for (const socket of open) socket.destroy()
  }
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
    },
    heal() {
      destroyAll()
      isCut = false
    },
    async close() {
      server.close()
      destroyAll()
      await once(server, 'close')
    },
  }
}
