/** A TCP proxy before the service that loses answers and cuts connections. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type BreakingProxy = {
  url: string
  /** The next answer is lost: the service gets the request, the client gets a reset. */
  loseAnswer(): void
  /** How many answers were lost. */
  readonly lost: number
  /** Cuts everything that is open. */
  cut(): void
  /** While false, new connections are cut at once. */
  isOpen: boolean
  close(): Promise<void>
}

export async function startBreakingProxy(target: string): Promise<BreakingProxy> {
  const port = Number(new URL(target).port)
  const sockets = new Set<Socket>()
  let toLose = 0
  let lost = 0
  const server = createServer((client) => {
    if (!proxy.isOpen) return void client.destroy()
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      if (toLose === 0) return void client.write(chunk)
      toLose -= 1
      lost += 1
      client.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: BreakingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswer: () => {
      toLose += 1
    },
    get lost() {
      return lost
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    isOpen: true,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
  return proxy
}
