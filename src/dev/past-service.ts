/**
 * For a short time, a second API and worker run with their clocks set back, on the same database
 * and the same chain. What is done there is signed, mined and recorded as always; only its dates
 * are earlier. Meanwhile the worker of the present is paused.
 */
import type { AddressInfo } from 'node:net'
import { closeContext } from '#compose.ts'
import type { Context } from '#context.ts'
import { createIds } from '#platform/clock.ts'
import type { Config } from '#platform/config/config.ts'
import { earlierUrl, makeEarlier, moveEarlier, removeEarlier } from './database-time.store.ts'
import type { DemoService } from './demo-client.ts'
import type { DevChain } from './dev-chain.ts'
import { startHelperServer } from './helper-server.ts'
import { createDevIdentity } from './identity.ts'
import type { MovableClock } from './movable-clock.ts'
import { composeWith, createStack, type PausableWorker, type Stack, startParts } from './parts.ts'

const LOOPBACK = '127.0.0.1'

/** The time as people of the demo see it. Moving is possible ahead only. */
export type Calendar = { now(): Date; moveTo(at: Date): Promise<void> }

type PastPlace = { helper: string; about: DemoService; calendar: Calendar }

export type PastService = {
  /** Runs the work from this time on, and then returns to the present. */
  during<T>(start: Date, work: (place: PastPlace) => Promise<T>): Promise<T>
  /** Whether nothing has happened on the chain since. */
  reaches(start: Date): Promise<boolean>
  stop(): Promise<void>
}

export type PastOptions = {
  folder: string
  /** Of the present service. */
  config: Config
  ownerDb: Context['ownerDb']
  worker: PausableWorker
  chain: DevChain
  /** The clock of the chain. */
  clock: MovableClock
}

async function startPast(stack: Stack, options: PastOptions): Promise<Omit<PastPlace, 'calendar'>> {
  const { folder, config, chain, clock } = options
  const { rpcUrl: rpc, tokenAddress } = chain
  const databaseUrl = earlierUrl(config.databaseUrl)
  const past = {
    ...config,
    databaseUrl,
    directUrl: databaseUrl,
    host: LOOPBACK,
    port: 0,
    drainMs: 0,
  }
  const ctx = composeWith(past, chain, clock)
  stack.add(() => closeContext(ctx))
  const { api } = await startParts(stack, ctx)
  const about = { api: api.url, rpc, chainId: config.chain.id, tokenAddress, ...config.identity }
  const identity = await createDevIdentity({ folder, realms: config.identity, clock })
  const helper = await startHelperServer({
    port: 0,
    ids: createIds(),
    identity,
    about: () => about,
    faucet: () => chain.faucet,
  })
  stack.add(() => helper.close())
  const { port } = helper.server.address() as AddressInfo
  return { helper: `http://${LOOPBACK}:${port}`, about }
}

export async function openPastService(options: PastOptions): Promise<PastService> {
  const { clock, ownerDb, worker, chain } = options
  // A process that was killed while it furnished has left it behind.
  await removeEarlier(ownerDb)
  let running: Stack | undefined

  const calendar: Calendar = {
    now: () => clock.now(),
    async moveTo(at) {
      if (at <= clock.now()) return
      clock.moveTo(at)
      await moveEarlier(ownerDb, clock.behindSeconds())
    },
  }
  const end = async () => {
    const stack = running
    running = undefined
    await stack?.stop()
  }

  return {
    during: (start, work) =>
      worker.pausedFor(async () => {
        const stack = createStack()
        running = stack
        stack.add(async () => {
          clock.catchUp()
          await removeEarlier(ownerDb)
        })
        try {
          clock.moveTo(start)
          await makeEarlier(ownerDb, clock.behindSeconds())
          return await work({ ...(await startPast(stack, options)), calendar })
        } finally {
          await end()
        }
      }),
    reaches: async (start) => (await chain.newestBlockTime()) <= start,
    stop: end,
  }
}
