/** Unrecorded payments follow the vault's log: found, reorganised away, found again. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '#journal/actor.ts'
import { matchExecutions, sweepExecutions } from '#payments/match-executions.ts'
import { moveUnrecorded } from '#payments/move-unrecorded-payment.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { createLog } from '#platform/log.ts'
import { auditTrail } from '#test/support/steps.ts'
import {
  configured,
  created,
  createFakeChain,
  type FakeChain,
  paid,
  received,
} from './fake-chain.ts'
import { type Ledger, openLedger, organizationOf, vaultIdOf } from './ledger.ts'

let chain: FakeChain
let ledger: Ledger
let observerDb: Db
let counter = 0

beforeAll(async () => {
  chain = createFakeChain()
  ledger = await openLedger(chain)
  observerDb = openDatabase({ url: ledger.database.url, poolSize: 1, as: 'observer' })
  await ledger.step()
})
afterAll(async () => {
  await observerDb.close()
  await ledger.close()
})

let address: string

/** A vault for each test, with money and a policy. */
beforeEach(async () => {
  counter += 1
  address = `0x${String(counter).padStart(40, 'b')}`
  await ledger.addVault({ address })
  const { number: fromBlock } = chain.mine([created(address)])
  chain.mine([received(address, 1_000n), configured(address, 1)])
  await ledger.watch({ address, fromBlock })
  await ledger.follow()
  await work()
})

const context = () => ({ db: ledger.db, clock: systemClock, ids: createIds() })
const key = () => ({ organizationId: organizationOf(address), vaultId: vaultIdOf(address) })

const pay = (id: number, amount = 10n) =>
  chain.mine(paid(address, { id: counter * 100 + id, amount, version: 1, spentTotal: amount }))

type Job = { id: string; payload: { organizationId: string; vaultId: string } }

const waiting = () =>
  ledger.database.asOwner<Job>(
    `select j.id, p.payload from graphile_worker.jobs j
     join graphile_worker._private_jobs p on p.id = j.id
     where task_identifier = 'match_executions' order by j.id`,
  )

/** Runs the waiting jobs, as a worker would. */
async function work(): Promise<number> {
  const jobs = await waiting()
  for (const { id, payload } of jobs) {
    await ledger.database.asOwner('select graphile_worker.complete_jobs(array[$1::bigint])', [id])
    await matchExecutions(context(), payload)
  }
  return jobs.length
}

type Row = {
  id: string
  state: string
  amount: string
  block_number: number
  acknowledgement_reason: string | null
}

const rows = (): Promise<Row[]> =>
  ledger.db.transaction({ organizationId: key().organizationId }, (tx) =>
    tx.query<Row>(sql`
      select id, state, amount::text, block_number::integer, acknowledgement_reason
      from unrecorded_payments where vault_id = ${vaultIdOf(address)} order by id`),
  )

const actions = async () =>
  (await auditTrail(ledger.database, key().organizationId))
    .map(({ action }) => action)
    .filter((action) => action.startsWith('unrecorded_payment.'))

const acknowledge = (id: string) =>
  ledger.db.transaction({ organizationId: key().organizationId }, async (tx) => {
    const [row] = await tx.query<{ accountId: string }>(sql`
      select created_by_account_id as "accountId" from organizations
      where id = ${key().organizationId}`)
    const acknowledgement = { accountId: row?.accountId ?? '', reason: 'Known' }
    const { organizationId } = key()
    const move = { organizationId, unrecordedPaymentId: id, actor: SYSTEM }
    await moveUnrecorded(context(), tx, { ...move, event: 'acknowledge', acknowledgement })
  })

describe('a payment in the log without a payment row', () => {
  test('is recorded once, as logged', async () => {
    const { number } = pay(1, 25n)
    await ledger.follow()
    expect(await work()).toBe(1)
    expect(await rows()).toEqual([
      expect.objectContaining({ state: 'open', amount: '25', block_number: number }),
    ])
    await matchExecutions(context(), key())
    expect(await rows()).toHaveLength(1)
    expect(await actions()).toEqual(['unrecorded_payment.found'])
  })

  test('is withdrawn when a reorganisation removes its log, and open when it returns', async () => {
    pay(1, 10n)
    await ledger.follow()
    await work()
    const [found] = await rows()
    await acknowledge(found?.id ?? '')
    chain.cut(1)
    chain.mineEmpty(2)
    await ledger.follow()
    await work()
    expect(await rows()).toMatchObject([{ id: found?.id, state: 'withdrawn' }])
    const { number } = pay(1, 40n)
    await ledger.follow()
    await work()
    // Another amount, which nobody has acknowledged.
    expect(await rows()).toEqual([
      {
        id: found?.id,
        state: 'open',
        amount: '40',
        block_number: number,
        acknowledgement_reason: null,
      },
    ])
    expect(await actions()).toEqual([
      'unrecorded_payment.found',
      'unrecorded_payment.acknowledged',
      'unrecorded_payment.withdrawn',
      'unrecorded_payment.found',
    ])
  })

  test('is unchanged by a reorganisation that keeps its log', async () => {
    pay(1)
    chain.mineEmpty(1)
    pay(2)
    await ledger.follow()
    await work()
    const [first, second] = await rows()
    await acknowledge(first?.id ?? '')
    chain.cut(1)
    chain.mineEmpty(2)
    await ledger.follow()
    await work()
    expect(await rows()).toMatchObject([
      { id: first?.id, state: 'acknowledged', acknowledgement_reason: 'Known' },
      { id: second?.id, state: 'withdrawn' },
    ])
  })

  test('is found by the sweep when its job is missing', async () => {
    pay(1)
    await ledger.follow()
    const [job] = await waiting()
    const drop = 'select graphile_worker.complete_jobs(array[$1::bigint])'
    await ledger.database.asOwner(drop, [job?.id])
    const log = createLog({ level: 'silent' })
    await sweepExecutions({ db: ledger.db, observerDb, log })
    expect((await waiting()).map(({ payload }) => payload)).toContainEqual(key())
    await work()
    expect(await rows()).toMatchObject([{ state: 'open' }])
    await sweepExecutions({ db: ledger.db, observerDb, log })
    expect((await waiting()).map(({ payload }) => payload)).not.toContainEqual(key())
  })

  test('is found with many others, a hundred in each transaction', async () => {
    for (let id = 0; id < 25; id += 1) {
      const four = [0, 1, 2, 3].flatMap((n) =>
        paid(address, { id: counter * 1000 + id * 4 + n, amount: 1n, version: 1, spentTotal: 1n }),
      )
      chain.mine(four)
    }
    pay(99)
    await ledger.follow()
    await work()
    expect(await rows()).toHaveLength(100)
    expect(await work()).toBe(1)
    expect(await rows()).toHaveLength(101)
  })
})
