import { checkSecret } from './secrets.ts'
import { type Environment, problem } from './values.ts'

/** Seals what only workers may write. Without one of its own, development takes SERVER_SECRET. */
export type WorkerConfig = { secret: string | undefined; previousSecret: string | undefined }

export function readWorker(env: Environment, production: boolean): WorkerConfig {
  const read = (name: 'WORKER_SECRET' | 'WORKER_SECRET_PREVIOUS') => {
    const value = env[name] || undefined
    // A weak secret is allowed as the previous one, so that it can be replaced.
    const isStrict = name === 'WORKER_SECRET' && production
    return value === undefined ? undefined : checkSecret(name, value, isStrict)
  }
  const secret = read('WORKER_SECRET') ?? (production ? undefined : env.SERVER_SECRET)
  const previousSecret = read('WORKER_SECRET_PREVIOUS')
  if (previousSecret && previousSecret === secret) {
    throw problem('WORKER_SECRET_PREVIOUS must differ from WORKER_SECRET.')
  }
  return { secret, previousSecret }
}
