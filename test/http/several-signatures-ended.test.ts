/** What ends a reservation that some approvers have signed, and what remains of it. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyInvalidation, applyPolicyChange } from '#approvals/end-approval.ts'
import type { TestApp } from '#test/support/app.ts'
import { cancel, review, revise } from '#test/support/expense-states.ts'
import {
  type Awaiting,
  approvalStates,
  awaiting,
  expenseOf,
  openSeveralHouse,
  paymentOf,
  preparedBy,
  type SeveralHouse,
  signedBy,
  signerOf,
  submit,
} from '#test/support/several-signers.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addressesOf, prepareAs, writePolicyVersion } from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { insertRecipientBlock, insertRecipientsChange } from '#treasury/vault-recipients.store.ts'
import { findHeld } from '#treasury/vaults.store.ts'

let service: TestApp
let house: SeveralHouse
let expense: Awaiting

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})
beforeEach(async () => {
  house = await openSeveralHouse(service)
  expense = await awaiting(service, house)
})

const sign = async (...indexes: number[]): Promise<void> => {
  for (const index of indexes) {
    const { status } = await signedBy(service, house, expense, signerOf(house, index))
    expect(status).toBe(202)
  }
}

const inVault = () => ({ organizationId: house.organization.id, vaultId: house.vaultId })

const heldNow = () =>
  service.ctx.db.transaction(inVault(), async (tx) => (await findHeld(tx, inVault())).held)

/** The payment is blocked with that code, its money is free, and approvers must sign again. */
async function expectEnded(code: string, states: readonly string[]): Promise<void> {
  const { payment } = await paymentOf(service, house, expense)
  expect([payment.state, payment.blockCode]).toEqual(['blocked', code])
  expect((await expenseOf(service, house, expense)).state).toBe('awaiting_approval')
  expect(await approvalStates(service, house, expense)).toEqual(states)
  expect(await heldNow()).toBe(0n)
}

describe('after the first of two signatures', () => {
  beforeEach(() => sign(0))

  const steps = {
    'a new revision': () => revise(service, house, { id: expense.id }),
    'a rejection': () => review(service, house, { id: expense.id, action: 'reject' }),
    'a request for a revision': () =>
      review(service, house, { id: expense.id, action: 'request_revision' }),
    'a cancellation': () => cancel(service, house, { id: expense.id }),
  }

  test.each([
    ['a new revision', 'draft'],
    ['a rejection', 'rejected'],
    ['a request for a revision', 'revision_requested'],
    ['a cancellation', 'cancelled'],
  ] as const)('%s ends the reservation and its signature', async (name, state) => {
    expect(await heldNow()).toBe(25_000_000n)
    expect((await steps[name]()).status).toBeOneOf([200, 201])
    expect((await expenseOf(service, house, expense)).state).toBe(state)
    expect(await approvalStates(service, house, expense)).toEqual(['superseded'])
    const { payment } = await paymentOf(service, house, expense)
    expect([payment.state, payment.blockCode]).toEqual(['blocked', 'approval_superseded'])
    expect(await heldNow()).toBe(0n)
  })

  test('a signature for the revision before is 409', async () => {
    const late = await preparedBy(service, house, expense, signerOf(house, 1))
    await steps['a new revision']()
    expect(outcome(await submit(service, house, expense, late))).toBe('409 version_conflict')
  })
})

/** Each takes the approval of signer 0, who has signed. */
const endings = {
  async approver_revoked() {
    const [roleId] = signerOf(house, 0).walletRoleIds
    const url = `${house.organization.path}/wallet-roles/${roleId}/revoke`
    const { status } = await service.call('POST', url, { token: house.organization.owner.token })
    expect(status).toBe(200)
  },
  async approval_invalidated() {
    const [approval] = await service.database.asOwner<{ digest: string; address: string }>(
      `select digest, approver_address as address from approvals
       where expense_id = $1 and account_id = $2 and state = 'signed'`,
      [expense.id, signerOf(house, 0).person.accountId],
    )
    if (!approval) throw new Error('Signer 0 has not signed')
    const { digest, address: invalidator } = approval
    const transactionHash = `0x${'77'.repeat(32)}`
    await applyInvalidation(service.ctx, { ...inVault(), digest, invalidator, transactionHash })
  },
  async approver_not_allowed() {
    const revoked = [{ address: addressesOf(signerOf(house, 0))[0], block: 9 }]
    await service.database.asOwner(
      `update policies set revoked_approvers = $2::jsonb where vault_id = $1`,
      [house.vaultId, JSON.stringify(revoked)],
    )
    await applyPolicyChange(service.ctx, inVault())
  },
} as const

const endedStates = {
  approver_revoked: 'superseded',
  approval_invalidated: 'invalidated',
  approver_not_allowed: 'superseded',
} as const

describe.each(Object.keys(endings) as (keyof typeof endings)[])('with %s', (code) => {
  const ended = endedStates[code]

  test('a reservation with one signature is blocked', async () => {
    await sign(0)
    await endings[code]()
    await expectEnded(code, [ended])
  })

  test('a payment that all have signed is blocked, but the other signature counts', async () => {
    await sign(1, 0)
    expect((await expenseOf(service, house, expense)).state).toBe('approved_ready_for_payment')
    await endings[code]()
    await expectEnded(code, ['signed', ended])
    const { body } = await signedBy(service, house, expense, signerOf(house, 2))
    expect(body).toMatchObject({ state: 'reserved', requiredApprovals: 2, signedApprovals: 2 })
    expect((await expenseOf(service, house, expense)).state).toBe('approved_ready_for_payment')
    const { payment, approvals } = await paymentOf(service, house, expense)
    const accounts = approvals.map(({ accountId }: { accountId: string }) => accountId)
    const [second, third] = [signerOf(house, 1), signerOf(house, 2)]
    expect(new Set(accounts)).toEqual(new Set([second.person.accountId, third.person.accountId]))
    const first = approvals.find(
      ({ accountId }: { accountId: string }) => accountId === second.person.accountId,
    )
    expect(payment.approvalId).toBe(first.approvalId)
  })

  test('whoever has signed and still counts is not asked again', async () => {
    await sign(1, 0)
    await endings[code]()
    const answer = await prepareAs(service, house, expense, signerOf(house, 1))
    expect(outcome(answer)).toBe('409 policy_violation')
  })
})

const recipientLog = () => ({
  ...inVault(),
  blockNumber: 5,
  logIndex: 1,
  transactionHash: `0x${'66'.repeat(32)}`,
  timeSeconds: 1_700_000_000,
})

/** Each voids every signature for the vault. */
const voids = {
  'a new policy': () => writePolicyVersion(service, house, {}),
  'the removal of the recipient': () =>
    service.ctx.db.transaction(inVault(), (tx) =>
      insertRecipientsChange(tx, {
        ...recipientLog(),
        ...{ recipientsVersion: 2, allowedFromSeconds: 0, added: [] },
        removed: [house.recipientAddress.toLowerCase()],
      }),
    ),
  'a block of the recipient': () =>
    service.ctx.db.transaction(inVault(), (tx) =>
      insertRecipientBlock(tx, {
        ...recipientLog(),
        ...{ kind: 'blocked', address: house.recipientAddress.toLowerCase(), by: null },
      }),
    ),
}

describe.each(Object.keys(voids) as (keyof typeof voids)[])('after %s', (name) => {
  test.each([
    ['one has signed', [0], ['superseded']],
    ['all have signed', [0, 1], ['superseded', 'superseded']],
  ])('where %s, every signature is superseded', async (_name, signers, states) => {
    await sign(...signers)
    await voids[name]()
    await applyPolicyChange(service.ctx, inVault())
    await expectEnded('approval_superseded', states)
  })

  test('a signature that was prepared before is refused, and the reservation stays', async () => {
    await sign(0)
    const late = await preparedBy(service, house, expense, signerOf(house, 1))
    await voids[name]()
    expect(outcome(await submit(service, house, expense, late))).toBe('409 policy_violation')
    const { payment } = await paymentOf(service, house, expense)
    expect(payment).toMatchObject({ state: 'reserved', signedApprovals: 1 })
  })
})

test('recipients that are added void nothing', async () => {
  await sign(0)
  await service.ctx.db.transaction(inVault(), (tx) =>
    insertRecipientsChange(tx, {
      ...recipientLog(),
      ...{ recipientsVersion: 2, allowedFromSeconds: 1, added: [`0x${'5b'.repeat(20)}`] },
      removed: [],
    }),
  )
  await applyPolicyChange(service.ctx, inVault())
  expect(await approvalStates(service, house, expense)).toEqual(['signed'])
  await sign(1)
  expect((await expenseOf(service, house, expense)).state).toBe('approved_ready_for_payment')
})

test('a deactivated recipient ends the reservation and every signature', async () => {
  await sign(0)
  const { path, owner } = house.organization
  const url = `${path}/recipients/${house.recipientId}/deactivate`
  expect((await service.call('POST', url, { token: owner.token })).status).toBe(200)
  await expectEnded('recipient_deactivated', ['superseded'])
})

test('a last signature after the budget of the period is gone is 409, and stays open', async () => {
  const limits = { periodSeconds: 86_400, periodCap: 30_000_000n, automaticPeriodCap: 0n }
  house = await openSeveralHouse(service, limits)
  expense = await awaiting(service, house)
  await sign(0)
  const late = await preparedBy(service, house, expense, signerOf(house, 1))
  const spend = (amount: number) =>
    service.database.asOwner(
      `insert into vault_payments (organization_id, vault_id, chain_payment_id, mode,
         recipient_address, amount, transaction_hash, block_number, block_time)
       values ($1, $2, $3, 'approved', $4, $5, $6, 7, now())`,
      [
        ...[house.organization.id, house.vaultId, `0x${'31'.repeat(32)}`],
        ...[house.recipientAddress.toLowerCase(), amount, `0x${'32'.repeat(32)}`],
      ],
    )
  await spend(5_000_001)
  const answer = await submit(service, house, expense, late)
  expect(outcome(answer)).toBe('409 policy_violation')
  expect(answer.body.error.message).toMatch(/Possible again from \d{4}-\d\d-\d\dT00:00:00/)
  expect(await approvalStates(service, house, expense)).toEqual(['signed', 'prepared'])
  await service.database.asOwner('delete from vault_payments where vault_id = $1', [house.vaultId])
  expect((await submit(service, house, expense, late)).body.signedApprovals).toBe(2)
})
