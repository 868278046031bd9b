/** Shared by all commands: configuration, a migrated database and a context. */
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import {
  type Environment,
  isProduction,
  readConfig,
  readEnvironment,
} from '#platform/config/config.ts'
import type { ProcessKind } from '#platform/config/process.ts'
import { migrate, requireMigrated } from '#platform/database/migrate.ts'

async function resolveEnvironment(env: Environment) {
  if (env.DATABASE_URL || isProduction(env)) {
    return { env, prepare: requireMigrated, giveBack: async () => {} }
  }
  // Imported dynamically, because production must not load development code.
  const { acquireEnvironment } = await import('#dev/running-database.ts')
  return { ...(await acquireEnvironment(env)), prepare: migrate }
}

/** `process`: a command that opens or seals keys needs a worker's configuration. */
export async function withContext<T>(
  work: (ctx: Context) => Promise<T>,
  {
    process = 'command',
    env: given = readEnvironment(),
  }: { process?: ProcessKind; env?: Environment } = {},
): Promise<T> {
  const { env, prepare, giveBack } = await resolveEnvironment(given)
  try {
    const config = readConfig({ ...env, LOG_LEVEL: 'silent' }, { process })
    await prepare({ url: config.databaseUrl })
    const ctx = compose(config, {}, 'worker')
    try {
      return await work(ctx)
    } finally {
      await closeContext(ctx)
    }
  } finally {
    await giveBack()
  }
}
