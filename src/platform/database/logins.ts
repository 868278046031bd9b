/**
 * Creates the database logins of API processes, workers and gateways. They own nothing and are
 * members only of roles that the migrations created. Idempotent: a repeated run sets the passwords
 * again.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { StartupError } from '#platform/errors.ts'
import { openOwnerPool } from './database.ts'
import { APP_ROLE, OBSERVER_ROLE, WEB_ROLE } from './settings.ts'

export const LOGINS = {
  api: { name: 'countersign_api', roles: [APP_ROLE, OBSERVER_ROLE] },
  worker: { name: 'countersign_work', roles: ['countersign_worker', OBSERVER_ROLE] },
  web: { name: 'countersign_gateway', roles: [WEB_ROLE] },
} as const

/** The gateway's login is created only where the web applications are served. */
export type LoginPasswords = { api: string; worker: string; web?: string | undefined }

/** `url` is the owner's login, which has CREATEROLE and created the roles. */
export async function ensureLogins(url: string, passwords: LoginPasswords): Promise<void> {
  const pool = openOwnerPool({ url, max: 1 })
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const kind of ['api', 'worker', 'web'] as const) {
      const { name, roles } = LOGINS[kind]
      const password = passwords[kind]
      if (password === undefined) continue
      const found = await client.query<{ power: boolean }>(sql`
        select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as power
        from pg_roles where rolname = ${name}`)
      if (found.rows[0]?.power) {
        throw new StartupError(
          `The login ${name} has administrator attributes. Drop it and run this again.`,
        )
      }
      const verb = found.rows.length > 0 ? 'alter' : 'create'
      const verifier = scramVerifier(password)
      // Role statements take no parameters, so `format` quotes the values.
      const quoted = await client.query<{ login: string; grants: string }>(sql`
        select format('%s role %I login password %L', ${verb}::text, ${name}::text,
            ${verifier}::text) as login,
          format('grant %s to %I', (select string_agg(quote_ident(r), ', ')
            from unnest(${roles}::text[]) as r), ${name}::text) as grants`)
      for (const { login, grants } of quoted.rows) {
        await client.query(login)
        await client.query(grants)
      }
    }
    await client.query('commit')
  } finally {
    client.release(true)
    await pool.end()
  }
}

const ITERATIONS = 4096

/** The SCRAM verifier that PostgreSQL stores (RFC 5802). Keeps the password out of its log. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64')
  const server = keyed('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`
}
