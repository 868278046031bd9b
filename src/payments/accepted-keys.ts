/** The MAC keys that a worker accepts: its own, and for seven days the previous one. */
import type { Context } from '#context.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { MacKey, MacKeys, Secrets } from '#platform/secrets.ts'
import { findIsKeyNew, insertWorkerKey } from './worker-keys.store.ts'
import { PREVIOUS_KEY_DAYS } from './worker-mac.ts'

/** Only workers seal and verify: a call in an API process is a bug. */
export function requireMacKeys({ macKeys }: Pick<Secrets, 'macKeys'>): MacKeys {
  if (!macKeys)
    throw new Error('This process has no WORKER_SECRET and cannot compute or verify MACs')
  return macKeys
}

export async function acceptedKeys(
  { secrets }: Pick<Context, 'secrets'>,
  tx: Tx,
): Promise<MacKey[]> {
  const { current, previous } = requireMacKeys(secrets)
  if (!previous) return [current]
  const isAccepted = await findIsKeyNew(tx, current.id, PREVIOUS_KEY_DAYS)
  return isAccepted ? [current, previous] : [current]
}

/** Called when a worker starts: the seven days of the previous key begin with the first start. */
export const recordWorkerKey = (
  { secrets }: Pick<Context, 'secrets'>,
  db: Pick<Db, 'query'>,
): Promise<void> => insertWorkerKey(db, requireMacKeys(secrets).current.id)
