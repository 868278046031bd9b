/**
 * A standby whose clock is wrong takes over: processes that start say so, and payments from before
 * and after are made once.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { startRelay } from '#test/high-availability/relay.ts'
import { startCluster, untilUp } from '#test/processes/cluster.ts'
import { databaseAt } from '#test/processes/killable-postgres.ts'
import { cleanUp, onCleanUp } from '#test/processes/processes.ts'
import type { Slot } from '#test/processes/supervised.ts'
import { startTestChain } from '#test/support/chain.ts'
import { movedClock } from '#test/support/moved-clock.ts'
import { expectPaidOnce } from '#test/support/paid-once.ts'
import { executions } from '#test/support/past-the-service.ts'
import { openPayingHouse, release, tokenBalance } from '#test/support/payments.ts'
import { signedExpense } from '#test/support/restored-payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startStandbyPair } from './standby-pair.ts'

vi.setConfig({ testTimeout: 240_000 })
afterEach(cleanUp)

async function restart(slot: Slot): Promise<void> {
  const running = slot.current()
  running.kill('SIGKILL')
  await running.ended
  await untilUp(slot)
}

test.each([
  ['ten minutes ahead', 600, /The database's clock is (?:600|599) s ahead of the clock here/],
  ['ten minutes behind', -600, /The database's clock is (?:600|601) s behind the clock here/],
])('a node that is %s takes over', async (_what, seconds, line) => {
  const pair = await startStandbyPair({ standbyEnv: await movedClock(seconds) })
  let leader = pair.primary
  // One address for all clients, as behind HAProxy.
  const clients = await startRelay(() => leader.port)
  onCleanUp(() => clients.close())
  const url = new URL(pair.primary.ownerUrl)
  url.port = String(clients.port)
  const database = databaseAt(url.href)
  await liftOwnersRowSecurity(database)
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const env = { ...chain.env, FOLLOW_EVERY_MS: '200', PAYMENT_RELEASE: 'manual' }
  const { service, apis, workers } = await startCluster({ apis: 1, workers: 1, database, env })
  const house = await openPayingHouse({ service, chain, stop: async () => {} })
  const before = await signedExpense(house)

  await pair.makeSynchronous()
  await pair.primary.crash()
  await pair.promote()
  leader = pair.standby
  const slots = [...apis, ...workers]
  await Promise.all(slots.map(restart))
  for (const slot of slots) expect(slot.current().stderr()).toMatch(line)

  await vi.waitFor(async () => expect((await release(house, before)).status).toBe(202))
  await expectPaidOnce(house, before, 0n)
  const balance = await tokenBalance(house, house.recipient)
  const after = await signedExpense(house)
  expect((await release(house, after)).status).toBe(202)
  await expectPaidOnce(house, after, balance)
  expect(await executions(house)).toHaveLength(2)
})
