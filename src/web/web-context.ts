/** What the gateway's parts may use. Types only, apart from the keys. */
import { hkdfSync } from 'node:crypto'
import type { Clock, Ids } from '#platform/clock.ts'
import type { WebConfig } from '#platform/config/web.ts'
import type { Db } from '#platform/database/database.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { SignInProvider } from './oidc.ts'

export type WebKeys = {
  /** Seals tokens in `web_sessions`. */
  tokenKey: Uint8Array
  /** Seals the cookie that a browser keeps while a person is at the provider. */
  stateKey: Uint8Array
}

export type WebContext = {
  config: WebConfig
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  metrics: Metrics
  keys: WebKeys
  provider: SignInProvider
}

export function deriveWebKeys(secret: string): WebKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, 'countersign', purpose, 32))
  return { tokenKey: derive('web-tokens.v1'), stateKey: derive('web-sign-in.v1') }
}
