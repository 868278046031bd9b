/** Checks that the ports are free before anything slow is started. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { StartupError } from '#platform/errors.ts'

export type WantedPort = { name: string; host: string; port: number }

/**
 * Reports the first port that is in use. A port may still be taken later, which is reported then.
 */
export async function requireFreePorts(wanted: readonly WantedPort[]): Promise<void> {
  for (const { name, host, port } of wanted) {
    const server = createServer()
    try {
      server.listen({ host, port })
      await once(server, 'listening')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
      throw new StartupError(
        `${name} ${port} ${reason}. Stop the process that uses it, or set ${name} to another port.`,
      )
    } finally {
      server.close()
    }
  }
}

/** For a port that must be known before its server starts: its address is written elsewhere. */
export async function pickPort(host: string): Promise<number> {
  const server = createServer()
  server.listen({ host, port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
