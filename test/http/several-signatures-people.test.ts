/** Who counts where the policy asks for two approvers: people, not wallets. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import { writeListed } from '#test/support/listed-recipients.ts'
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
  TIERS,
} from '#test/support/several-signers.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addressesOf, joinSigner, prepareAs, writePolicyVersion } from '#test/support/signing.ts'
import { addRecipient, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})

describe('the same person twice', () => {
  let house: SeveralHouse
  let expense: Awaiting

  beforeAll(async () => {
    house = await openSeveralHouse(service)
    expense = await awaiting(service, house)
  })

  test('a signature of an older preparation is 409 policy_violation', async () => {
    const signer = signerOf(house, 0)
    const older = await preparedBy(service, house, expense, signer)
    expect((await signedBy(service, house, expense, signer)).status).toBe(202)
    const answer = await submit(service, house, expense, older)
    expect(outcome(answer)).toBe('409 policy_violation')
    expect(answer.body.error.message).toBe(
      'You have signed this payment already. Another approver must sign it.',
    )
    expect((await paymentOf(service, house, expense)).payment.signedApprovals).toBe(1)
  })

  test('another preparation is 409 policy_violation, and keeps the signature', async () => {
    const answer = await prepareAs(service, house, expense, signerOf(house, 0))
    expect(outcome(answer)).toBe('409 policy_violation')
    expect(await approvalStates(service, house, expense)).toEqual(['superseded', 'signed'])
  })

  test('a second wallet of the same person is no second approver', async () => {
    const rich = await joinSigner(service, house, { wallets: 2 })
    const approverAddresses = addressesOf(rich, signerOf(house, 0))
    await writePolicyVersion(service, house, { approverAddresses, tiers: TIERS })
    const other = await awaiting(service, house)
    expect((await signedBy(service, house, other, rich)).status).toBe(202)
    const answer = await prepareAs(service, house, other, rich)
    expect(outcome(answer)).toBe('409 policy_violation')
    expect((await signedBy(service, house, other, signerOf(house, 0))).body.signedApprovals).toBe(2)
  })
})

describe('the submitter', () => {
  test('does not sign while others could fill the number', async () => {
    const house = await openSeveralHouse(service, { signers: 3 })
    const submitter = signerOf(house, 0)
    const expense = await awaiting(service, house, { person: submitter.person })
    const answer = await prepareAs(service, house, expense, submitter)
    expect(outcome(answer)).toBe('403 self_approval')
    for (const index of [1, 2]) {
      expect((await signedBy(service, house, expense, signerOf(house, index))).status).toBe(202)
    }
    expect((await expenseOf(service, house, expense)).state).toBe('approved_ready_for_payment')
  })

  test('signs where too few others could, which the trail records', async () => {
    const house = await openSeveralHouse(service, { signers: 2 })
    const [submitter, other] = [signerOf(house, 0), signerOf(house, 1)]
    const expense = await awaiting(service, house, { person: submitter.person })
    expect((await signedBy(service, house, expense, other)).body.signedApprovals).toBe(1)
    expect((await signedBy(service, house, expense, submitter)).body.signedApprovals).toBe(2)
    const [approved] = await service.database.asOwner<{ data: object }>(
      `select data from audit_events where aggregate_id = $1 and action = 'expense.approved'`,
      [expense.id],
    )
    expect(approved?.data).toMatchObject({ sole_approver: true })
  })

  test('no longer counts as soon as others can fill the number', async () => {
    const house = await openSeveralHouse(service, { signers: 2 })
    const [submitter, other] = [signerOf(house, 0), signerOf(house, 1)]
    const third = await joinSigner(service, house)
    const roles = third.walletRoleIds
    const approverAddresses = addressesOf(submitter, other, third)
    await service.database.asOwner(
      `update wallet_roles set state = 'revoked' where id = any($1::uuid[])`,
      [roles],
    )
    await writePolicyVersion(service, house, { approverAddresses, tiers: TIERS })
    const expense = await awaiting(service, house, { person: submitter.person })
    expect((await signedBy(service, house, expense, submitter)).status).toBe(202)
    await service.database.asOwner(
      `update wallet_roles set state = 'active' where id = any($1::uuid[])`,
      [roles],
    )
    const { body } = await signedBy(service, house, expense, other)
    expect(body).toMatchObject({ state: 'reserved', requiredApprovals: 2, signedApprovals: 1 })
    expect((await expenseOf(service, house, expense)).state).toBe('awaiting_approval')
    expect(await approvalStates(service, house, expense)).toEqual(['superseded', 'signed'])
    expect((await signedBy(service, house, expense, third)).body.signedApprovals).toBe(2)
  })
})

/** An expense to an address that belongs to nobody yet. */
async function payingStranger(house: SeveralHouse) {
  const { id: organizationId } = house.organization
  const address = `0x${'5a'.repeat(20)}`
  const recipient = await addRecipient(service, house.organization, { address })
  expect(recipient.status).toBe(201)
  await service.ctx.db.transaction({ organizationId }, (tx) =>
    writeListed(tx, { organizationId, vaultId: house.vaultId, addresses: [address] }),
  )
  const expense = await awaiting(service, house, { terms: { recipientId: recipient.body.id } })
  const linkTo = (accountId: string) =>
    service.database.asOwner('insert into wallet_links (address, account_id) values ($1, $2)', [
      ...[address, accountId],
    ])
  return { expense, linkTo, unlink: () => unlink(address) }
}

const unlink = (address: string) =>
  service.database.asOwner('delete from wallet_links where address = $1', [address])

describe('a payee', () => {
  test('never signs, even where too few others could', async () => {
    const house = await openSeveralHouse(service, { signers: 2 })
    const payee = signerOf(house, 0)
    const { expense, linkTo, unlink } = await payingStranger(house)
    await linkTo(payee.person.accountId)
    expect(outcome(await prepareAs(service, house, expense, payee))).toBe('403 self_approval')
    const { body } = await signedBy(service, house, expense, signerOf(house, 1))
    expect(body.signedApprovals).toBe(1)
    await unlink()
  })

  test('who signed before the address was theirs no longer counts', async () => {
    const house = await openSeveralHouse(service, { signers: 3 })
    const payee = signerOf(house, 0)
    const { expense, linkTo, unlink } = await payingStranger(house)
    expect((await signedBy(service, house, expense, payee)).body.signedApprovals).toBe(1)
    await linkTo(payee.person.accountId)
    const { body } = await signedBy(service, house, expense, signerOf(house, 1))
    expect(body).toMatchObject({ state: 'reserved', signedApprovals: 1 })
    expect(await approvalStates(service, house, expense)).toEqual(['superseded', 'signed'])
    const last = await signedBy(service, house, expense, signerOf(house, 2))
    expect(last.body.signedApprovals).toBe(2)
    await unlink()
  })
})

test('a payment waits for an approver who does not exist yet', async () => {
  const house = await openSeveralHouse(service, { signers: 1 })
  const expense = await awaiting(service, house)
  expect((await signedBy(service, house, expense, signerOf(house, 0))).status).toBe(202)
  expect(outcome(await prepareAs(service, house, expense, signerOf(house, 0)))).toBe(
    '409 policy_violation',
  )
  expect((await expenseOf(service, house, expense)).state).toBe('awaiting_approval')
})
