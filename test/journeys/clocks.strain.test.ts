/** Workers whose clock is ten minutes wrong: time-outs use the database's and the chain's time. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import { reportFigures } from '#test/support/figures.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import {
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepare,
  readPayment,
  signTypedData,
  submitSignature,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import type { Treasury } from '#test/support/treasury.ts'
import { startWorker } from '#worker.ts'

const WRONG_BY_SECONDS = 600
/** Half of the clock's error. */
const DEADLINE_SECONDS = 300

let treasury: Treasury
let house: PayingHouse
let worker: { ctx: Context; runner: JobRunner; looks(): number } | undefined

/** Counts its reads of an executor's gas, which should come every half minute. */
async function startWrongWorker(seconds: number): Promise<void> {
  const clock = createMovingClock()
  clock.ahead(seconds)
  const ctx = compose(treasury.service.ctx.config, { clock }, 'worker')
  let looks = 0
  const { nativeBalance } = ctx.chain
  ctx.chain.nativeBalance = (address) => {
    looks += 1
    return nativeBalance(address)
  }
  worker = { ctx, runner: await startWorker(ctx), looks: () => looks }
}

async function stopWorker(): Promise<void> {
  await worker?.runner.stop()
  if (worker) await closeContext(worker.ctx)
  worker = undefined
}

beforeAll(async () => {
  const chain = await startTestChain()
  const service = await startTestApp({ env: chain.env, hasWorker: true })
  await liftOwnersRowSecurity(service.database)
  const stop = async () => {
    await service.stop()
    await chain.stop()
  }
  treasury = { service, chain, stop }
  await startWrongWorker(0)
  house = await openPayingHouse(treasury)
  await stopWorker()
})
afterEach(stopWorker)
afterAll(() => treasury.stop())

/** Makes the next poll of the executor's gas due now. */
const makeWatchDue = () =>
  treasury.service.database.asOwner(
    `select graphile_worker.reschedule_jobs(array_agg(id), run_at => now())
     from graphile_worker.jobs where task_identifier = 'watch_executor'`,
  )

const endedEarly = async (): Promise<number> => {
  const [row] = await treasury.service.database.asOwner<{ count: number }>(
    `select count(*)::integer from audit_events
     where action in
       ('approval.expired', 'payment.blocked', 'payment.failed', 'invitation.expired')`,
  )
  return row?.count ?? -1
}

describe.for([
  ['ahead', WRONG_BY_SECONDS],
  ['behind', -WRONG_BY_SECONDS],
] as const)('a worker that is ten minutes %s', ([_name, seconds]) => {
  test('ends nothing early, pays once and keeps its polling interval', async () => {
    await makeWatchDue()
    await startWrongWorker(seconds)
    const before = await tokenBalance(house, house.recipient)
    const expense = await awaitingApproval(house)
    const prepared = await prepare(house, expense, { deadlineSeconds: DEADLINE_SECONDS })
    expect(prepared.status).toBe(200)
    const { approvalId } = prepared.body
    const signature = await signTypedData(house.approverWallet, prepared.body)
    const signed = await submitSignature(house, expense, { approvalId, signature })
    expect(signed.status).toBe(202)
    const paid = await untilState(house, expense.id, 'paid')
    const amount = BigInt(paid.revision.amountBaseUnits)
    expect(await tokenBalance(house, house.recipient)).toBe(before + amount)
    const { payment } = await readPayment(house, paid.paymentId)
    expect(payment).toMatchObject({ state: 'confirmed', blockCode: null })
    const early = await endedEarly()
    reportFigures({ early })
    expect(early).toBe(0)
    // One poll at the start, and hardly another in a test of seconds.
    expect(worker?.looks()).toBeGreaterThan(0)
    expect(worker?.looks()).toBeLessThan(5)
    const late = await treasury.service.database.asOwner(
      `select task_identifier from graphile_worker.jobs
       where task_identifier = 'watch_executor' and run_at > now() + interval '1 minute'`,
    )
    expect(late).toEqual([])
  })
})
