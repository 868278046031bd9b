/** Whether the ports are free, before anything that takes its time is started for nothing. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { StartupError } from '#platform/errors.ts'

export type WantedPort = { name: string; host: string; port: number }

/** One clear line for the first that is not. It may still be taken later: that says so as well. */
export async function requireFreePorts(wanted: readonly WantedPort[]): Promise<void> {
  for (const { name, host, port } of wanted) {
    const server = createServer()
    try {
      server.listen({ host, port })
      await once(server, 'listening')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`
      throw new StartupError(
        `${name} ${port} ${reason}. Stop what uses it, or set ${name} to another.`,
      )
    } finally {
      server.close()
    }
  }
}
