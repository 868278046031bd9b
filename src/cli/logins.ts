/**
 * `npm run logins` creates the database logins of API and worker processes, and with
 * WEB_LOGIN_PASSWORD that of the web applications' gateways. Run it with the schema owner's login
 * after `npm run migrate`; API_LOGIN_PASSWORD and WORKER_LOGIN_PASSWORD set the other passwords.
 */
import { type Environment, readDirectUrl, readEnvironment } from '#platform/config/config.ts'
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
    `${name} must have at least 16 characters: try \`openssl rand -base64 24\`.`,
  )
}

async function main(env: Environment): Promise<string> {
  const url = readDirectUrl(env)
  const api = readPassword(env, 'API_LOGIN_PASSWORD')
  const worker = readPassword(env, 'WORKER_LOGIN_PASSWORD')
  const web = env.WEB_LOGIN_PASSWORD ? readPassword(env, 'WEB_LOGIN_PASSWORD') : undefined
  if (api === worker) {
    throw new StartupError('API_LOGIN_PASSWORD and WORKER_LOGIN_PASSWORD must differ.')
  }
  if (web === api || web === worker) {
    throw new StartupError('WEB_LOGIN_PASSWORD must differ from the other passwords.')
  }
  await requireMigrated({ url })
  await ensureLogins(url, { api, worker, web }).catch((error: unknown) => {
    throw error instanceof StartupError ? error : databaseProblem(error, url)
  })
  const { api: apiLogin, worker: workerLogin, web: webLogin } = LOGINS
  return web === undefined
    ? `The logins ${apiLogin.name} and ${workerLogin.name} are ready.`
    : `The logins ${apiLogin.name}, ${workerLogin.name} and ${webLogin.name} are ready.`
}

await runCommand(() => main(readEnvironment()))
