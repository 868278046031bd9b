/**
 * A standby that lacks acknowledged changes is promoted, as after asynchronous replication: live
 * streams start anew, and what the chain has beyond the database is paid no second time.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startRelay } from '#test/high-availability/relay.ts'
import { type Cluster, startCluster } from '#test/processes/cluster.ts'
import { databaseAt } from '#test/processes/killable-postgres.ts'
import { cleanUp, onCleanUp } from '#test/processes/processes.ts'
import { startTestChain } from '#test/support/chain.ts'
import { type LiveClient, openLiveAt } from '#test/support/live.ts'
import { expectPaidOnce } from '#test/support/paid-once.ts'
import { executions } from '#test/support/past-the-service.ts'
import {
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  tokenBalance,
} from '#test/support/payments.ts'
import {
  actionsAfter,
  chainPaymentIdOf,
  signedExpense,
  untilPaid,
  untilUnrecorded,
} from '#test/support/restored-payments.ts'
import { auditTrail, liftOwnersRowSecurity } from '#test/support/steps.ts'
import { type StandbyPair, startStandbyPair } from './standby-pair.ts'

vi.setConfig({ testTimeout: 240_000 })

const NEW_HISTORY = 'The database has a new history'

let pair: StandbyPair
let cluster: Cluster
let house: PayingHouse
let takeOver: () => Promise<void>

beforeAll(async () => {
  pair = await startStandbyPair()
  let leader = pair.primary
  // One address for all clients, as behind HAProxy.
  const clients = await startRelay(() => leader.port)
  onCleanUp(() => clients.close())
  takeOver = async () => {
    await pair.primary.crash()
    await pair.promote()
    leader = pair.standby
  }
  const url = new URL(pair.primary.ownerUrl)
  url.port = String(clients.port)
  const database = databaseAt(url.href)
  await liftOwnersRowSecurity(database)
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const env = { ...chain.env, FOLLOW_EVERY_MS: '200', PAYMENT_RELEASE: 'manual' }
  cluster = await startCluster({ apis: 1, workers: 1, database, env })
  house = await openPayingHouse({ service: cluster.service, chain, stop: async () => {} })
})
afterAll(cleanUp)

/** A stream of the API process that has begun as expected; until then it is opened again. */
async function follow(
  hasBegun: (client: LiveClient) => boolean,
  lastEventId?: string,
): Promise<LiveClient> {
  const url = `${cluster.urls[0]}${house.path}/live/stream`
  const { token } = house.owner
  const options = lastEventId === undefined ? { token } : { token, lastEventId }
  for (;;) {
    const client = await openLiveAt(url, options)
    await expect.poll(() => client.isEnded || hasBegun(client)).toBe(true)
    if (!client.isEnded) return client
  }
}

const shows = (id: string) => (client: LiveClient) =>
  client.messages.some(({ data }) => data.aggregateId === id)

/** The worker process queues it afterwards. */
async function released(): Promise<ReadExpense> {
  const expense = await signedExpense(house)
  expect((await release(house, expense)).status).toBe(202)
  return expense
}

test('a promoted standby that lacks changes voids cursors and pays nothing twice', async () => {
  const { service, apis, workers } = cluster
  const settled = await released()
  await untilPaid(house, settled)
  const reserved = await signedExpense(house)
  const [last] = (await auditTrail(service.database, house.id)).toReversed()
  const client = await follow(({ text }) => /^id: [^\n]+\n\n/m.test(text))
  await pair.untilReplayed()
  pair.cutReplication()

  // The standby receives none of this.
  expect((await release(house, reserved)).status).toBe(202)
  await untilPaid(house, reserved)
  const unknown = await released()
  await untilPaid(house, unknown)
  const lost = await chainPaymentIdOf(house, unknown)
  await expect.poll(() => shows(unknown.id)(client)).toBe(true)
  const logs = await executions(house)
  expect(new Set(logs).size).toBe(3)
  const balance = await tokenBalance(house, house.recipient)

  const warn = vi.spyOn(service.ctx.log, 'warn')
  await takeOver()
  await client.ended()
  expect(client.comments.at(-1)).toBe('end: restored')
  const again = await follow(({ messages }) => messages.length > 0, client.lastId)
  expect(again.messages[0]?.event).toBe('stream.reset')
  // Whichever process was first.
  const outputs = () => [
    ...[...apis, ...workers].map((slot) => slot.current().stderr()),
    JSON.stringify(warn.mock.calls),
  ]
  await expect.poll(() => outputs().join()).toContain(NEW_HISTORY)

  await untilPaid(house, reserved)
  expect((await readPayment(house, reserved.paymentId)).evidence.matches).toBe(true)
  await untilUnrecorded(house, { [lost]: 'open' })
  const next = await released()
  await expectPaidOnce(house, next, balance)
  const afterSeq = last?.seq ?? 0
  const held = ['executor.held', 'executor.released', 'payment.submitted']
  const actions = await actionsAfter(house, afterSeq)
  expect(actions.filter((action) => held.includes(action))).toEqual(held)
  expect(actions).not.toContain('payment.failed')
  const nextId = await chainPaymentIdOf(house, next)
  expect((await executions(house)).toSorted()).toEqual([...logs, nextId].toSorted())
  expect((await readExpense(house, settled.id)).state).toBe('paid')
  await expect.poll(() => shows(next.id)(again)).toBe(true)
})
