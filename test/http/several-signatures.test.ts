/** POST approvals/submit-signature where the policy asks for two approvers. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import {
  type Awaiting,
  approvalStates,
  awaiting,
  expenseOf,
  openSeveralHouse,
  paymentOf,
  preparedBy,
  releaseJobs,
  type SeveralHouse,
  signedBy,
  signerOf,
  submit,
} from '#test/support/several-signers.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { prepareAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: SeveralHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSeveralHouse(service)
})

const sign = (expense: Awaiting, index: number) =>
  signedBy(service, house, expense, signerOf(house, index))

const release = ({ id, currentRevision }: Awaiting) =>
  service.call('POST', `${house.organization.path}/expenses/${id}/payments`, {
    token: house.manager.token,
    body: { expectedVersion: currentRevision },
  })

describe('before anybody signs', () => {
  test('expense and preparation say how many approvers must sign', async () => {
    const expense = await awaiting(service, house)
    const shown = await expenseOf(service, house, expense)
    expect(shown).toMatchObject({ requiredApprovals: 2, signedApprovals: 0 })
    const { body } = await prepareAs(service, house, expense, signerOf(house, 0))
    expect(body).toMatchObject({ requiredApprovals: 2, signedApprovals: 0 })
  })

  test('an amount of exactly the tier needs one approver', async () => {
    const terms = { amountBaseUnits: '20000000' }
    const expense = await awaiting(service, house, { terms })
    expect(await expenseOf(service, house, expense)).toMatchObject({ requiredApprovals: 1 })
    const { status, body } = await sign(expense, 0)
    expect(status).toBe(202)
    expect(body).toMatchObject({ requiredApprovals: 1, signedApprovals: 1 })
    expect((await expenseOf(service, house, expense)).state).toBe('approved_ready_for_payment')
    expect(await releaseJobs(service, expense)).toBe(1)
  })
})

describe('the first signature', () => {
  let expense: Awaiting

  beforeAll(async () => {
    expense = await awaiting(service, house)
  })

  test('reserves the payment and leaves the expense awaiting approval', async () => {
    const waiting = await preparedBy(service, house, expense, signerOf(house, 1))
    const { status, body } = await sign(expense, 0)
    expect(status).toBe(202)
    expect(body).toMatchObject({ state: 'reserved', requiredApprovals: 2, signedApprovals: 1 })
    expect(await expenseOf(service, house, expense)).toMatchObject({
      state: 'awaiting_approval',
      requiredApprovals: 2,
      signedApprovals: 1,
    })
    expect(await releaseJobs(service, expense)).toBe(0)
    // What others have prepared stays open.
    const [prepared] = await service.database.asOwner('select state from approvals where id = $1', [
      waiting.approvalId,
    ])
    expect(prepared).toEqual({ state: 'prepared' })
  })

  test('is in the audit trail and in the live events of the expense', async () => {
    const [event] = await service.database.asOwner(
      `select code, target_state from live_events
       where aggregate_id = $1 and kind = 'expense.changed' order by seq desc limit 1`,
      [expense.id],
    )
    expect(event).toEqual({ code: 'signature_added', target_state: 'awaiting_approval' })
    const [recorded] = await service.database.asOwner<{ data: object }>(
      `select data from audit_events where aggregate_id = $1 and action = 'expense.signed'`,
      [expense.id],
    )
    expect(recorded?.data).toMatchObject({ signed: 1, required: 2 })
  })

  test('does not let the payment be released', async () => {
    const answer = await release(expense)
    expect(outcome(answer)).toBe('409 state_conflict')
    expect(answer.body.error.message).toMatch(/^1 of 2 approvers have signed\./)
  })

  test('repeated, returns the same reservation', async () => {
    const own = await awaiting(service, house)
    const signed = await preparedBy(service, house, own, signerOf(house, 0))
    const first = await submit(service, house, own, signed)
    const again = await submit(service, house, own, signed)
    expect([again.status, again.body]).toEqual([202, first.body])
  })

  test('shows the next approver that one has signed', async () => {
    const { body } = await prepareAs(service, house, expense, signerOf(house, 2))
    expect(body).toMatchObject({ requiredApprovals: 2, signedApprovals: 1 })
  })
})

describe('the last signature', () => {
  let expense: Awaiting
  let firstApprovalId: string

  beforeAll(async () => {
    expense = await awaiting(service, house)
    const third = signerOf(house, 2)
    await preparedBy(service, house, expense, third)
    const first = await preparedBy(service, house, expense, signerOf(house, 1))
    firstApprovalId = first.approvalId
    expect((await submit(service, house, expense, first)).status).toBe(202)
  })

  test('approves the expense and has the payment queued once', async () => {
    const { status, body } = await sign(expense, 0)
    expect(status).toBe(202)
    expect(body).toMatchObject({ state: 'reserved', requiredApprovals: 2, signedApprovals: 2 })
    const approved = await expenseOf(service, house, expense)
    expect(approved).toMatchObject({ state: 'approved_ready_for_payment', signedApprovals: 2 })
    expect(await releaseJobs(service, expense)).toBe(1)
  })

  test('supersedes only what nobody needs any more', async () => {
    expect(await approvalStates(service, house, expense)).toEqual([
      ...['superseded', 'signed', 'signed'],
    ])
  })

  test('leaves the first one in the fields of the interface, and lists both', async () => {
    const { payment, approvals, evidence } = await paymentOf(service, house, expense)
    expect(payment.approvalId).toBe(firstApprovalId)
    const addresses = approvals.map((one: { approverAddress: string }) => one.approverAddress)
    const own = [0, 1].map((index) => signerOf(house, index).accounts[0].address)
    const ascending = own.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    expect(addresses).toEqual(ascending)
    for (const one of approvals) {
      expect(one.signedAt).not.toBeNull()
      expect(one.displayName).not.toBe('')
    }
    expect(evidence.version).toBe(2)
    expect(evidence.approval.id).toBe(firstApprovalId)
    expect(evidence.approvals.map(({ id }: { id: string }) => id)).toEqual(
      approvals.map(({ approvalId }: { approvalId: string }) => approvalId),
    )
    expect(evidence.asked.approverAddresses).toEqual(ascending)
  })

  test('names both approvers in the list of payments', async () => {
    const { body } = await service.call('GET', `${house.organization.path}/activity`, {
      token: house.manager.token,
    })
    const listed = body.payments.find(({ id }: { id: string }) => id === expense.paymentId)
    const accounts = listed.approvers.map(({ accountId }: { accountId: string }) => accountId)
    expect(new Set(accounts)).toEqual(
      new Set([0, 1].map((index) => signerOf(house, index).person.accountId)),
    )
  })

  test('leaves nothing to sign', async () => {
    const late = await prepareAs(service, house, expense, signerOf(house, 2))
    expect(outcome(late)).toBe('409 state_conflict')
  })
})

test('three signatures are counted one by one', async () => {
  const tiers = [{ above: 20_000_000n, approvals: 3 }]
  const strict = await openSeveralHouse(service, { tiers })
  const expense = await awaiting(service, strict)
  for (const [index, state] of ['awaiting_approval', 'awaiting_approval'].entries()) {
    const { body } = await signedBy(service, strict, expense, signerOf(strict, index))
    expect(body).toMatchObject({ requiredApprovals: 3, signedApprovals: index + 1 })
    expect((await expenseOf(service, strict, expense)).state).toBe(state)
  }
  await signedBy(service, strict, expense, signerOf(strict, 2))
  expect((await expenseOf(service, strict, expense)).state).toBe('approved_ready_for_payment')
  const { payment, approvals } = await paymentOf(service, strict, expense)
  expect([payment.signedApprovals, approvals.length]).toEqual([3, 3])
})
