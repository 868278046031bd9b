/** What every connection sets, or every transaction where a pooler shares connections. */
import sql, { join } from 'sql-template-tag'
import { NOTIFY_AFTER_COMMIT } from '#platform/jobs/wake-ups.ts'
import { type PreparedStatement, STATEMENT_TIMEOUT_MS } from './pipeline.ts'
import { quick } from './transaction.ts'

export const APP_ROLE = 'countersign_app'
/** Like `countersign_app`; may also queue payments, write reports and store chain events. */
export const WORKER_ROLE = 'countersign_worker'
/** Reads rows of every tenant except secrets. Read-only. */
export const OBSERVER_ROLE = 'countersign_observer'
/** The gateway of the web applications. Reaches `web_sessions` and nothing else. */
export const WEB_ROLE = 'countersign_web'
export const SCHEMA = 'countersign'

const LOCK_TIMEOUT_MS = 5_000

/**
 * A parameter of a connection URL that only the demo sets, for functions of its own. It is not the
 * usual name, which has no effect in a URL of the service.
 */
export const SEARCH_PATH = 'countersign_demo_schemas'

/** Read as text, because the URL of a Unix socket may have no host. */
export const searchPathOf = (url: string): string => {
  const [, named] = new RegExp(`[?&]${SEARCH_PATH}=([^&]+)`).exec(url) ?? []
  return named === undefined ? SCHEMA : decodeURIComponent(named)
}

type SettingValues = Record<string, string | number>

export const settings = (entries: SettingValues): string =>
  Object.entries(entries)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

const roles = {
  application: { role: APP_ROLE },
  worker: { role: WORKER_ROLE },
  observer: { role: OBSERVER_ROLE, default_transaction_read_only: 'on' },
  web: { role: WEB_ROLE },
  owner: {},
}

export type SettingOptions = {
  url: string
  /** `owner` is the login itself, for operations that no role may do. */
  as?: keyof typeof roles
  /** The URL leads to a pooler in transaction mode, which keeps no setting of a connection. */
  isPooled?: boolean
}

export const settingsOf = ({ url, as = 'application' }: SettingOptions): SettingValues => ({
  ...roles[as],
  ...NOTIFY_AFTER_COMMIT,
  search_path: searchPathOf(url),
  timezone: 'UTC',
  lock_timeout: LOCK_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: 15_000,
})

/**
 * Through a pooler, each transaction makes its own settings: the next one may have another server
 * connection, and the pooler refuses settings in the connection's options.
 */
export function setupOf(options: SettingOptions): PreparedStatement[] {
  if (!options.isPooled) return []
  const { default_transaction_read_only: readOnly, ...others } = settingsOf(options)
  const entries = Object.entries({
    ...others,
    ...(readOnly && { transaction_read_only: readOnly }),
  })
  const calls = entries.map(([name, value]) => sql`set_config(${name}, ${String(value)}, true)`)
  return [quick(sql`select ${join(calls)}`)]
}
