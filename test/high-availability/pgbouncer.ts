/** PgBouncer with the file of deploy/ha, at other ports. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, type Program } from '#test/support/debian.ts'
import { freePort } from './ports.ts'

const FILE = join(import.meta.dirname, '..', '..', 'deploy', 'ha', 'pgbouncer.ini')

/** Replaces what the file sets. A name that it does not set is a mistake of the caller. */
export function withValues(text: string, values: Record<string, string | number>): string {
  let changed = text
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^${name} =.*$`, 'm')
    if (!line.test(changed)) throw new Error(`deploy/ha/pgbouncer.ini does not set ${name}`)
    changed = changed.replace(line, () => `${name} = ${value}`)
  }
  return changed
}

export type PgbouncerOptions = {
  folder: string
  /** The port of PostgreSQL, or of HAProxy. */
  to: number
  database?: string
  /** Passwords by name. */
  logins: Record<string, string>
  values?: Record<string, string | number>
}

export async function configurePgbouncer({
  folder,
  to,
  database = 'countersign',
  logins,
  values = {},
}: PgbouncerOptions): Promise<{ program: Program; args: string[]; port: number }> {
  const program = await findProgram('pgbouncer')
  const port = await freePort()
  const users = join(folder, `userlist-${port}.txt`)
  const lines = Object.entries(logins).map(([name, password]) => `"${name}" "${password}"\n`)
  await writeFile(users, lines.join(''))
  const file = join(folder, `pgbouncer-${port}.ini`)
  const text = withValues(await readFile(FILE, 'utf8'), {
    countersign: `host=127.0.0.1 port=${to} dbname=${database}`,
    listen_port: port,
    auth_file: users,
    ...values,
  })
  await writeFile(file, text)
  return { program, args: [file], port }
}
