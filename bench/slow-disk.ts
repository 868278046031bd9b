/**
 * `npm run bench:disk`: what it would cost to wake those who wait for live events within the
 * transaction where the disk takes its time. The disk is slow because PostgreSQL waits before it
 * writes (`commit_delay`); commits that wait together share a write, as on any disk.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  acceptOldDigests,
  CONNECTIONS,
  makeTenants,
  OPTIONS_BEFORE,
  preparePgbench,
  ROUNDS,
  recordCreations,
} from './creation-stage.ts'
import { type Figure, handOver } from './figures.ts'
import { oneByOne } from './recording.ts'
import { type Ground, prepareGround } from './service-stage.ts'
import { inTurns, rounded } from './turns.ts'

const DISK_MS = (process.env.DISK_MS ?? '0,2,5').split(',').map(Number)

/** About as often as something is committed, which is more often than a process wakes. */
const WAKE_EVERY_MS = 2

async function waking<T>({ pool }: Ground, work: () => Promise<T>): Promise<T> {
  let isOver = false
  const loop = async () => {
    while (!isOver) {
      await pool.query("select pg_notify('countersign_live', '')")
      await wait(WAKE_EVERY_MS)
    }
  }
  const looping = loop()
  const result = await work()
  isOver = true
  await looping
  return result
}

async function measure(): Promise<Figure[]> {
  const ground = await prepareGround({ durable: true })
  const tenants = await makeTenants(ground)
  const scripts = (await recordCreations(ground, tenants)).map(oneByOne)
  await acceptOldDigests(ground)
  const known = tenants.flatMap(({ data }) => Object.values(data))
  const pgbench = await preparePgbench(ground, scripts, known)
  if (!pgbench) throw new Error('There is no pgbench on this machine')
  const figures: Figure[] = []
  for (const ms of DISK_MS) {
    await ground.setForAll({ commit_siblings: 0, commit_delay: ms * 1_000 })
    const contestants = {
      afterwards: () => waking(ground, () => pgbench.perSecond()),
      within: () => pgbench.perSecond(OPTIONS_BEFORE),
    }
    const { values, ratios } = await inTurns(contestants, ROUNDS)
    figures.push({
      what: `creation by pgbench, a disk ${ms} ms slower, readers woken after the commit`,
      value: rounded(ratios.within),
      unit: '',
      beside: 'readers woken within the transaction',
      more: {
        'a second': rounded(values.afterwards, 0),
        'within, a second': rounded(values.within, 0),
        connections: CONNECTIONS,
      },
    })
  }
  await pgbench.stop()
  await ground.stop()
  return figures
}

await handOver(await measure())
