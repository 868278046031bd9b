/** The jobs that follow what a vault has logged, the end of a payment, or a pass over its lane. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findActiveBinding } from '#executor/executor.store.ts'
import { findPayment, type PaymentRow } from '#payments/payments.store.ts'
import { LANE_SETTINGS, workLane } from '#payments/work-lane.ts'
import type { VaultEvent } from '#ports/chain.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, type SigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: SigningHouse
let payment: PaymentRow
let laneId: string

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  const { id: organizationId } = house.organization
  await service.ctx.db.transaction({ organizationId }, async (tx) => {
    const key = { organizationId, paymentId: expense.paymentId, onlyOf: null }
    payment = (await findPayment(tx, key)) ?? payment
    laneId = (await findActiveBinding(tx, organizationId))?.id ?? ''
  })
})
afterAll(() => service.stop())

beforeEach(() => service.database.asOwner('delete from graphile_worker._private_jobs'))

const keys = async () =>
  (
    await service.database.asOwner<{ key: string }>(
      'select key from graphile_worker.jobs where key is not null order by key',
    )
  ).map(({ key }) => key)

const setPayment = (state: string, lane: string | null, code: string | null = null) =>
  service.database.asOwner(
    `update payments set state = $2, lane_id = $3, block_code = $4, has_open_attempt = $5
     where id = $1`,
    [payment.id, state, lane, code, state === 'broadcast'],
  )

const executed = (chainPaymentId: string): VaultEvent => ({
  ...{ name: 'PaymentExecuted', chainPaymentId, mode: 'approved', amount: payment.amount },
  ...{ recipientAddress: payment.recipientAddress, policyVersion: payment.policyVersion },
  ...{ reportHash: payment.reportHash, expenseVersionHash: payment.expenseVersionHash },
  approvalDigests: payment.signatures.map(({ digest }) => digest),
  approverAddresses: payment.signatures.map(({ approverAddress }) => approverAddress),
  spentTotal: payment.amount,
})

const hash = `0x${'55'.repeat(32)}`

async function logged(...events: VaultEvent[]): Promise<string[]> {
  const { organizationId, vaultId } = payment
  const logs = events.map((event, logIndex) => ({
    ...{ vaultAddress: house.vaultAddress, blockNumber: 3, blockHash: hash, logIndex },
    ...{ transactionHash: hash, event },
  }))
  await service.ctx.db.transaction({ organizationId }, (tx) =>
    service.ctx.reactions.vaultLogged(tx, { organizationId, vaultId, logs }),
  )
  return keys()
}

describe('the log of a payment', () => {
  test('that the engine tracks wakes its lane', async () => {
    await setPayment('broadcast', laneId)
    const { chainPaymentId } = payment
    expect(await logged(executed(chainPaymentId))).toEqual([`work_lane:${laneId}`])
  })

  test('twice in a transaction wakes it as well', async () => {
    await setPayment('broadcast', laneId)
    const twice = [executed(payment.chainPaymentId), executed(payment.chainPaymentId)]
    expect(await logged(...twice)).toEqual([`work_lane:${laneId}`])
  })

  test.each([
    ['unsent', 'reserved', null],
    ['blocked for a cause outside the chain', 'blocked', 'recipient_deactivated'],
  ])('that is %s is matched with its row', async (_name, state, code) => {
    await setPayment(state, null, code)
    const found = await logged(executed(payment.chainPaymentId))
    expect(found).toEqual([`match_executions:${payment.vaultId}`])
  })

  test('without a row is matched, beside one that wakes its lane', async () => {
    await setPayment('broadcast', laneId)
    const found = await logged(executed(payment.chainPaymentId), executed(hash))
    expect(found).toEqual([`match_executions:${payment.vaultId}`, `work_lane:${laneId}`])
  })
})

test('the log of a policy or an invalidation starts its job and no other', async () => {
  const policy = {
    ...{ executorAddress: house.vaultAddress, approverAddresses: [], tiers: [] },
    ...{ periodSeconds: 0, periodCap: 0n, automaticPeriodCap: 0n },
    ...{ approvedCap: 1n, automaticCap: 1n, lifetimeCap: 1n, reserveFloor: 0n },
    ...{ expiresAtSeconds: 4_000_000_000, automaticEnabled: true, paused: false },
  }
  expect(await logged({ name: 'PolicyConfigured', version: 3, policy })).toEqual([
    `apply_policy_change:${payment.vaultId}`,
  ])
  const invalidator = house.vaultAddress
  await logged({ name: 'ApprovalInvalidated', digest: hash, invalidator })
  const [job] = await service.database.asOwner<{ task: string }>(
    'select task_identifier as task from graphile_worker.jobs where key is null',
  )
  expect(job).toEqual({ task: 'apply_invalidation' })
})

describe('a change of recipients or approvers', () => {
  const recipientAddress = `0x${'5c'.repeat(20)}`
  const changed = {
    name: 'RecipientsChanged',
    recipientsVersion: 2,
    allowedFromSeconds: 1,
  } as const

  test.each<[string, VaultEvent]>([
    ['a removal', { ...changed, added: [], removed: [recipientAddress] }],
    ['a block', { name: 'RecipientBlocked', recipientAddress, by: recipientAddress }],
    [
      'a revoked approver',
      { name: 'ApproverRevoked', version: 2, approverAddress: recipientAddress },
    ],
  ])('that voids signatures starts the job: %s', async (_name, event) => {
    expect(await logged(event)).toEqual([`apply_policy_change:${payment.vaultId}`])
  })

  test.each<[string, VaultEvent]>([
    ['an addition', { ...changed, added: [recipientAddress], removed: [] }],
    ['a lifted block', { name: 'RecipientUnblocked', recipientAddress }],
  ])('that voids none starts nothing: %s', async (_name, event) => {
    expect(await logged(event)).toEqual([])
  })
})

test('a vault that was rolled back is rechecked and matched again', async () => {
  const { organizationId, vaultId } = payment
  await service.ctx.db.transaction({ organizationId }, (tx) =>
    service.ctx.reactions.vaultRolledBack(tx, { organizationId, vaultId }),
  )
  expect(await keys()).toEqual([`apply_policy_change:${vaultId}`, `match_executions:${vaultId}`])
})

test('a failed payment has every approval checked; an automatic one has none', async () => {
  const { organizationId } = payment
  const failed = (...approvalIds: string[]) =>
    service.ctx.db.transaction({ organizationId }, (tx) =>
      service.ctx.reactions.paymentFailed(tx, { organizationId, approvalIds }),
    )
  await failed()
  expect(await keys()).toEqual([])
  const ids = [payment.id, payment.expenseId].toSorted()
  await failed(...ids)
  expect(await keys()).toEqual(ids.map((id) => `expire_approval:${id}`))
})

describe('a lane with a queued payment, whose node cannot be reached,', () => {
  /** The time from the end of the job to the next one. */
  async function nextPassAfterMs(workerConcurrency: number): Promise<number> {
    await setPayment('queued', laneId)
    const ctx = { ...service.ctx, config: { ...service.ctx.config, workerConcurrency } }
    const { organizationId } = payment
    await workLane(ctx, { organizationId, laneId }, new AbortController().signal)
    const [job] = await service.database.asOwner<{ ms: number }>(
      `select extract(milliseconds from run_at - created_at)::integer as ms
       from graphile_worker.jobs where key = $1`,
      [`work_lane:${laneId}`],
    )
    return job?.ms ?? -1
  }

  test('is polled at its interval if the worker has no slot to keep for it', async () => {
    expect(await nextPassAfterMs(0)).toBe(LANE_SETTINGS.pollEveryMs)
  })

  test('is kept for a while otherwise, and then returned to the queue at once', async () => {
    expect(await nextPassAfterMs(8)).toBe(0)
  })
})
