/**
 * Decides which process gets which secret. API processes hold none that could sign, export a key or
 * act for the service at a provider, so an attacker in one cannot either.
 */
import { type Environment, problem } from './values.ts'

/**
 * `both` is `npm start`, which runs API and worker in one process. `command` is a command without
 * need of a key; commands that need one run as `worker`.
 */
export type ProcessKind = 'api' | 'worker' | 'both' | 'command'

/** Whether the process reads neither provider keys nor the keystore's secret. */
export const isKeyless = (process: ProcessKind): boolean =>
  process === 'api' || process === 'command'

/** Only for workers and commands that run as one. */
export const WORKER_VARIABLES = [
  'KEYSTORE_SECRET',
  'KEYSTORE_SECRET_PREVIOUS',
  'WORKER_SECRET',
  'WORKER_SECRET_PREVIOUS',
  'PRIVY_APP_SECRET',
  'PRIVY_AUTHORIZATION_KEY',
  'PRIVY_FUNDING_SIGNER_KEY',
  'CIRCLE_API_KEY',
  'CIRCLE_ENTITY_SECRET',
  'ANALYST_API_KEY',
  'VAPID_PRIVATE_KEY',
  'SMTP_URL',
] as const

/** In development both are derived from SERVER_SECRET. */
export const requiredOfWorkers = ['KEYSTORE_SECRET', 'WORKER_SECRET'] as const

/** The variables the process may read. In production an API process refuses workers' secrets. */
export function environmentOf(
  env: Environment,
  { process, production }: { process: ProcessKind; production: boolean },
): Environment {
  requireDifferent(env)
  if (!isKeyless(process)) return env
  const held = WORKER_VARIABLES.filter((name) => env[name])
  if (process === 'api' && production && held.length > 0) {
    throw problem(`API processes must not have ${held.join(', ')}: set this for workers only.`)
  }
  const hidden = new Set<string>(WORKER_VARIABLES)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}

/** A shared secret would give API processes the keys that only workers may have. */
function requireDifferent(env: Environment): void {
  const names = ['SERVER_SECRET', 'KEYSTORE_SECRET', 'WORKER_SECRET'] as const
  for (const [at, name] of names.entries()) {
    const same = names.slice(0, at).find((other) => env[name] && env[name] === env[other])
    if (same) throw problem(`${name} must differ from ${same}.`)
  }
}
