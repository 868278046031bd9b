/** Real worker processes over a chain and a PostgreSQL that may die; the API runs in the test. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '#test/fuzz/random.ts'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import type { Treasury } from '#test/support/treasury.ts'
import { onTestChain } from './environment.ts'
import { type KillablePostgres, startKillablePostgres } from './killable-postgres.ts'
import { type Environment, onCleanUp } from './processes.ts'
import { blow, keepRunning, type Pace, type Slot, type Storm } from './supervised.ts'

type Kills = {
  workers: number
  databaseKilled: number
  databaseStoppedAtOnce: number
}

export type PayingProcesses = {
  treasury: Treasury
  postgres: KillablePostgres
  /** The workers' environment, also for the command line. */
  env: Environment
  kills: Kills
  /** Kills all of them now. */
  killWorkers(): void
  /** Kills workers, and every fifth time the database, at random moments. */
  storm(random: Random, pace: Pace): Storm
}

/** `settle`: what else the workers need on this chain, and the variables for it. */
export async function startPayingProcesses({
  workers = 2,
  settle = async () => ({}),
}: {
  workers?: number
  settle?: (chain: TestChain) => Promise<Environment>
} = {}): Promise<PayingProcesses> {
  const postgres = await startKillablePostgres()
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const settled = await settle(chain)
  const service = await startTestApp({
    database: postgres.database,
    env: { ...chain.env, ...settled },
  })
  onCleanUp(() => service.stop())
  // They mostly wait for the leases of dead workers, and each look at the chain costs time.
  const env = {
    ...onTestChain(postgres.database.url, chain),
    FOLLOW_EVERY_MS: '250',
    ...settled,
  }
  const slots = Array.from({ length: workers }, () => keepRunning('src/worker.ts', env))
  await Promise.all(slots.map((slot) => slot.current().says(/"msg":"worker running"/)))
  onCleanUp(() => Promise.all(slots.map((slot) => slot.stop())))
  const kills = { workers: 0, databaseKilled: 0, databaseStoppedAtOnce: 0 }
  return {
    treasury: { service, chain, stop: async () => {} },
    postgres,
    env,
    kills,
    killWorkers() {
      for (const slot of slots) slot.current().kill('SIGKILL')
      kills.workers += slots.length
    },
    storm: (random, pace) => storm({ random, pace, slots, postgres, kills }),
  }
}

function storm({
  random,
  pace,
  slots,
  postgres,
  kills,
}: {
  random: Random
  pace: Pace
  slots: readonly Slot[]
  postgres: KillablePostgres
  kills: Kills
}): Storm {
  return blow(random, pace, async (count) => {
    if (count % 5 !== 2) {
      random.pick(slots).current().kill('SIGKILL')
      kills.workers += 1
      return
    }
    const isHard = random.chance(0.5)
    await postgres.kill(isHard ? 'SIGKILL' : 'SIGQUIT')
    kills[isHard ? 'databaseKilled' : 'databaseStoppedAtOnce'] += 1
    await wait(random.integer(0, 1_000))
    await postgres.restart()
  })
}
