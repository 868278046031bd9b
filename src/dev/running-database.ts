/** Lets the command line use the embedded database, whether or not the service is running. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Environment } from '#platform/config/config.ts'
import { readDevConfig } from '#platform/config/config.ts'
import { StartupError } from '#platform/errors.ts'
import { claimDataFolder, isDataFolderInUse } from './data-folder.ts'
import { keepServerSecret, NO_CHAIN, withDefaults } from './defaults.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

const NAME = 'database-url'

export const rememberDatabaseUrl = ({ folder, url }: { folder: string; url: string }) =>
  writeFile(join(folder, NAME), `${url}\n`, { mode: 0o600 })

export const forgetDatabaseUrl = ({ folder }: { folder: string }) =>
  rm(join(folder, NAME), { force: true })

export type BorrowedEnvironment = { env: Environment; giveBack(): Promise<void> }

/** The environment of the running service, or of a database started for this command. */
export async function acquireEnvironment(env: Environment): Promise<BorrowedEnvironment> {
  const { dataDir, devPort } = readDevConfig(env)
  const folder = resolve(dataDir)
  if (await isDataFolderInUse({ folder })) {
    const databaseUrl = await readFile(join(folder, NAME), 'utf8').then(
      (text) => text.trim(),
      () => {
        throw new StartupError('The service is starting or stopping. Try again in a moment.')
      },
    )
    const serverSecret = await keepServerSecret(folder)
    return {
      env: withDefaults(env, { databaseUrl, serverSecret, devPort, chain: NO_CHAIN }),
      giveBack: async () => {},
    }
  }
  const claim = await claimDataFolder({ folder })
  const postgres = await startEmbeddedPostgres({ folder: claim.path })
  const serverSecret = await keepServerSecret(claim.path)
  return {
    env: withDefaults(env, {
      databaseUrl: postgres.url,
      serverSecret,
      devPort,
      chain: NO_CHAIN,
    }),
    async giveBack() {
      await postgres.stop()
      await claim.release()
    },
  }
}
