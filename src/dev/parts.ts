/** API and worker in one process, on the development chain or another one. */
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import { createLocalFunding } from '#adapters/local/local-funding.ts'
import { compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { startApi } from '#main.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config/config.ts'
import { openDatabase } from '#platform/database/database.ts'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { deriveSecrets, masterKeysOf } from '#platform/secrets.ts'
import { startWorker } from '#worker.ts'
import type { DevChain } from './dev-chain.ts'

const GAS_GIFT_WEI = 10n ** 18n

/** Stops the started parts in reverse order. */
export function createStack() {
  const stops: (() => Promise<unknown>)[] = []
  return {
    add: (stop: () => Promise<unknown>) => void stops.push(stop),
    async stop() {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}

export type Stack = ReturnType<typeof createStack>

/** On the development chain, executors and funding wallets get their gas from the faucet. */
export function composeWith(
  config: Config,
  chain: DevChain | undefined,
  clock: Clock = systemClock,
): Context {
  if (!chain) return compose(config, { clock }, 'worker')
  const keys = masterKeysOf(deriveSecrets(config))
  const { current: masterKey, previous: previousKey } = keys
  const fundGas = async ({ address }: { address: string }) => {
    await chain.faucet.give({ address: address as `0x${string}`, wei: GAS_GIFT_WEI, baseUnits: 0n })
  }
  const limits = { chainId: config.chain.id, ...config.funding }
  const replace = {
    clock,
    ...(config.executor.provider === 'local' && {
      executor: createLocalExecutor({ masterKey, previousKey, fundGas }),
    }),
    ...(config.wallets.provider === 'local' && {
      fundingProvider: createLocalFunding({ keys, clock, limits, fundGas }),
    }),
  }
  return compose(config, replace, 'worker')
}

export type PausableWorker = {
  failed: Promise<never>
  /** No job is taken during the work. */
  pausedFor<T>(work: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

async function startPausableWorker(ctx: Context): Promise<PausableWorker> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {})
  const { registry } = ctx.metrics
  const metricNames = () => registry.getMetricsAsArray().map(({ name }) => name)
  const begin = async (): Promise<JobRunner> => {
    const others = new Set(metricNames())
    const started = await startWorker(ctx)
    started.failed.catch(reject)
    const stop = async () => {
      await started.stop()
      // The next one registers its own by the same names.
      for (const name of metricNames()) if (!others.has(name)) registry.removeSingleMetric(name)
    }
    return { ...started, stop }
  }
  let runner: JobRunner | undefined = await begin()
  let isStopping = false
  const end = async () => {
    const ending = runner
    runner = undefined
    await ending?.stop()
  }
  return {
    failed,
    async pausedFor(work) {
      await end()
      try {
        return await work()
      } finally {
        if (!isStopping) runner = await begin()
      }
    },
    async stop() {
      isStopping = true
      await end()
    },
  }
}

export async function startParts(stack: Stack, ctx: Context) {
  const { config } = ctx
  // One process, two database roles: requests must not have the rights of jobs.
  const { databaseUrl: url, databasePoolSize: poolSize } = config
  const db = openDatabase({ url, poolSize, as: 'application' })
  stack.add(() => db.close())
  // Before the worker, so that a start with a port in use touches no job.
  const api = await startApi({ ...ctx, db })
  let worker: PausableWorker | undefined
  stack.add(async () => {
    await api.stop()
    await worker?.stop()
  })
  worker = await startPausableWorker(ctx)
  return { api, worker }
}
