/** Configuration of webhooks. Used by `config.ts`. */
import { StartupError } from '#platform/errors.ts'
import { type Environment, flag } from './values.ts'

/** Development only: allows endpoints on loopback, with http and at any port. */
export type WebhooksConfig = { allowsLoopback: boolean }

export function readWebhooks(env: Environment, production: boolean): WebhooksConfig {
  const allowsLoopback = flag(env, 'WEBHOOK_LOOPBACK', false)
  if (allowsLoopback && production) {
    throw new StartupError(
      'WEBHOOK_LOOPBACK is for development. Remove it when NODE_ENV=production.',
    )
  }
  return { allowsLoopback }
}
