/** What ends an authorization before anything is sent, and that nothing is sent afterwards. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireApproval } from '#approvals/end-approval.ts'
import { closeManualHouse, manualHouse } from '#test/http/manual-house.ts'
import { approvalInRows, executions } from '#test/support/past-the-service.ts'
import {
  approve,
  automaticReady,
  awaitingApproval,
  joinApprover,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  renewPolicy,
  step,
  submitSignature,
  untilState,
} from '#test/support/payments.ts'
import { membershipOf, outcome } from '#test/support/steps.ts'
import { key, type Treasury } from '#test/support/treasury.ts'
// With the same organization, in this order.
import '#test/http/payments-waiting.ts'
import '#test/http/payments-approval-ended.ts'

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
})
afterAll(closeManualHouse)

type Approver = Parameters<typeof prepareAndSign>[2]

/** One expense that is only prepared, and one whose payment is reserved. */
async function outstanding(approver?: Approver) {
  const [waiting, ready] = [await awaitingApproval(house), await awaitingApproval(house)]
  const prepared = await prepareAndSign(house, waiting, approver)
  const signed = await prepareAndSign(house, ready, approver)
  const { body } = await submitSignature(house, ready, signed, approver?.person)
  expect(body.state).toBe('reserved')
  return { waiting, prepared, ready, signed }
}

async function expectNothingSent({ paymentId }: ReadExpense): Promise<void> {
  const { payment, attempts, receipt } = await readPayment(house, paymentId)
  expect([attempts, receipt, payment.transactionHash]).toEqual([[], null, null])
  expect(await executions(house)).not.toContain(payment.chainPaymentId)
}

/** Expects that both are blocked for that reason and that neither signature is accepted. */
async function expectVoid(
  { waiting, prepared, ready, signed }: Awaited<ReturnType<typeof outstanding>>,
  { code, state, approver }: { code: string; state: string; approver?: Approver },
): Promise<void> {
  expect(await approvalInRows(house, prepared.approvalId)).toMatchObject({ state, end_code: code })
  expect(await approvalInRows(house, signed.approvalId)).toMatchObject({ state, end_code: code })
  expect((await readExpense(house, ready.id)).state).toBe('awaiting_approval')
  const { payment } = await readPayment(house, ready.paymentId)
  expect(payment).toMatchObject({ state: 'blocked', blockCode: code })
  expect(outcome(await release(house, ready))).toBe('409 state_conflict')
  const late = await submitSignature(house, waiting, prepared, approver?.person)
  expect(late.status).toBeGreaterThanOrEqual(403)
  await expectNothingSent(ready)
}

describe('a signature ends before anything is sent', () => {
  test('with the membership of its approver', async () => {
    const approver = await joinApprover(house)
    await renewPolicy(house)
    const all = await outstanding(approver)
    const { membershipId } = await membershipOf(treasury.service, house, approver.person)
    const revoked = await step(house, `members/${membershipId}/revoke`, undefined)
    expect(revoked.status).toBe(200)
    await expectVoid(all, { code: 'approver_revoked', state: 'superseded', approver })
  })

  test("with its approver's wallet role", async () => {
    const approver = await joinApprover(house)
    await renewPolicy(house)
    const all = await outstanding(approver)
    const { walletRoles } = await membershipOf(treasury.service, house, approver.person)
    const revoked = await step(house, `wallet-roles/${walletRoles[0]?.id}/revoke`, undefined)
    expect(revoked.status).toBe(200)
    await expectVoid(all, { code: 'approver_revoked', state: 'superseded', approver })
    // Another approver signs, and it is paid once.
    expect((await approve(house, all.ready)).status).toBe(202)
    expect((await release(house, all.ready)).status).toBe(202)
    await untilState(house, all.ready.id, 'paid')
    const { payment } = await readPayment(house, all.ready.paymentId)
    const paid = (await executions(house)).filter((id) => id === payment.chainPaymentId)
    expect(paid).toHaveLength(1)
  })

  test('with a new version of the policy', async () => {
    const all = await outstanding()
    await renewPolicy(house)
    await untilState(house, all.ready.id, 'awaiting_approval')
    await expectVoid(all, { code: 'approval_superseded', state: 'superseded' })
  })

  test('with its deadline', async () => {
    const all = await outstanding()
    const { ctx, database } = treasury.service
    for (const { approvalId } of [all.prepared, all.signed]) {
      // Not before the deadline, by the database's clock.
      await expireApproval(ctx, { organizationId: house.id, approvalId })
      expect((await approvalInRows(house, approvalId)).end_code).toBeNull()
      await database.asOwner(
        `update approvals set deadline = now() - interval '1 second' where id = $1`,
        [approvalId],
      )
      await expireApproval(ctx, { organizationId: house.id, approvalId })
    }
    await expectVoid(all, { code: 'approval_expired', state: 'expired' })
  })

  test('with a new revision, whose payment needs a signature of its own', async () => {
    const { waiting, prepared } = await outstanding()
    const terms = {
      vaultId: house.vault.id,
      recipientId: house.recipientId,
      purpose: 'The same invoice of the printers, with the discount they forgot to subtract',
      amountBaseUnits: '777777',
      requestedMode: 'approved',
    }
    const body = { ...terms, expectedVersion: 1, reason: 'The discount was missing' }
    const revised = await step(house, `expenses/${waiting.id}/revisions`, body, house.employee)
    expect(revised.status).toBe(201)
    expect((await approvalInRows(house, prepared.approvalId)).state).toBe('superseded')
    expect(outcome(await submitSignature(house, waiting, prepared))).toBe('409 version_conflict')
    const second = { ...waiting, currentRevision: 2 }
    expect(outcome(await submitSignature(house, second, prepared))).toBe('409 state_conflict')
    expect(outcome(await release(house, second))).toBe('409 state_conflict')
    expect((await readPayment(house, waiting.paymentId)).error.code).toBe('not_found')
  })
})

describe('a deactivated recipient', () => {
  test('blocks every unsent payment, which cannot be released', async () => {
    const address = `0x${'5e'.repeat(20)}`
    const added = await treasury.service.call('POST', `${house.path}/recipients`, {
      token: house.owner.token,
      headers: key(),
      body: { label: 'Short-lived', address, chainId: 31_337 },
    })
    await renewPolicy(house)
    const terms = { recipientId: added.body.id }
    const signed = await awaitingApproval(house, terms)
    expect((await approve(house, signed)).status).toBe(202)
    const automatic = await automaticReady(house, terms)
    const off = await step(house, `recipients/${added.body.id}/deactivate`, undefined)
    expect(off.status).toBe(200)
    for (const expense of [signed, automatic]) {
      expect(await readExpense(house, expense.id)).toMatchObject({
        state: 'blocked',
        blockCode: 'recipient_deactivated',
      })
      expect(outcome(await release(house, expense))).toBe('409 state_conflict')
      await expectNothingSent(expense)
    }
  })
})

describe('an automatic payment under a new policy', () => {
  test('goes on with the new version when it still fits', async () => {
    const expense = await automaticReady(house)
    const { payment: before } = await readPayment(house, expense.paymentId)
    const { policyVersion } = await renewPolicy(house, { lifetimeCap: '89000000' })
    expect(policyVersion).toBe(before.policyVersion + 1)
    await expect
      .poll(async () => (await readPayment(house, expense.paymentId)).payment)
      .toMatchObject({ state: 'reserved', policyVersion })
    expect((await release(house, expense)).status).toBe(202)
    await untilState(house, expense.id, 'paid')
    const { evidence } = await readPayment(house, expense.paymentId)
    expect([evidence.matches, evidence.event.policyVersion]).toEqual([true, policyVersion])
  })

  test.each([
    ['a cap below it', { automaticCap: '1' }],
    ['no automatic payments', { automaticEnabled: false }],
    ['a pause', { paused: true }],
  ])(
    '%s blocks it, and a policy that allows it lets it be released again',
    async (_name, terms) => {
      const expense = await automaticReady(house)
      await renewPolicy(house, terms)
      const blocked = await untilState(house, expense.id, 'blocked')
      expect(blocked.blockCode).toBe('policy_violation')
      await expectNothingSent(expense)
      expect(outcome(await release(house, expense))).toBe('409 policy_violation')
      await renewPolicy(house)
      expect((await release(house, expense)).body.state).toBe('queued')
      await untilState(house, expense.id, 'paid')
      const { payment, attempts } = await readPayment(house, expense.paymentId)
      expect(attempts).toHaveLength(1)
      const paid = (await executions(house)).filter((id) => id === payment.chainPaymentId)
      expect(paid).toHaveLength(1)
    },
  )
})
