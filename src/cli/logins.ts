/**
 * `npm run logins`, as the schema's owner and after `npm run migrate`: makes the logins of API and
 * worker processes, with the passwords in API_LOGIN_PASSWORD and WORKER_LOGIN_PASSWORD.
 */
import { type Environment, readDatabaseUrl, readEnvironment } from '#platform/config/config.ts'
import { visible } from '#platform/config/values.ts'
import { databaseProblem } from '#platform/database/database.ts'
import { ensureLogins, LOGINS } from '#platform/database/logins.ts'
import { requireMigrated } from '#platform/database/migrate.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'

function readPassword(env: Environment, name: string): string {
  const password = visible(env, name, 200) ?? ''
  if (password.length >= 16) return password
  throw new StartupError(
    `${name} must have 16 characters or more: try \`openssl rand -base64 24\`.`,
  )
}

async function main(env: Environment): Promise<string> {
  const url = readDatabaseUrl(env)
  const api = readPassword(env, 'API_LOGIN_PASSWORD')
  const worker = readPassword(env, 'WORKER_LOGIN_PASSWORD')
  if (api === worker) {
    throw new StartupError('API_LOGIN_PASSWORD and WORKER_LOGIN_PASSWORD must differ.')
  }
  await requireMigrated({ url })
  await ensureLogins(url, { api, worker }).catch((error: unknown) => {
    throw error instanceof StartupError ? error : databaseProblem(error, url)
  })
  return `The logins ${LOGINS.api.name} and ${LOGINS.worker.name} are ready.`
}

await runCommand(() => main(readEnvironment()))
