/** The superuser of a PostgreSQL that was started here. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

/** From now on, for every connection. */
export async function setForAll(
  { url, folder }: { url: string; folder: string },
  settings: Record<string, string | number>,
): Promise<void> {
  const server = new URL(url)
  server.username = 'postgres'
  server.password = (await readFile(join(folder, 'postgres-password'), 'utf8')).trim()
  server.pathname = 'postgres'
  const client = new pg.Client(server.href)
  await client.connect()
  try {
    for (const [name, value] of Object.entries(settings)) {
      await client.query(`alter system set ${name} = ${value}`)
    }
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}
