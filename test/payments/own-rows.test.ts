/** Each payment is read with its own rows, beside others of the same organization. */
import { beforeAll, describe, expect, test } from 'vitest'
import { findAuthority, listAuthorities } from '#payments/evidence/authority.store.ts'
import { findEvidence } from '#payments/evidence/evidence.store.ts'
import { findPayment, type PaymentRow } from '#payments/payments.store.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'
import { writePolicy, writeVaults } from '#test/support/books.ts'
import { expenseIn, readExpense, review, revise, submit } from '#test/support/expense-states.ts'
import { analyse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  addressesOf,
  joinSigner,
  openSigningHouse,
  type Signer,
  type SigningHouse,
  signAs,
  writePolicyVersion,
} from '#test/support/signing.ts'
import { addRecipient, liftOwnersRowSecurity } from '#test/support/steps.ts'
import { insertVaultPayment } from '#treasury/vaults.store.ts'

const OTHER_EXECUTOR = `0x${'ee'.repeat(20)}`

let service: TestApp
let first: Paid
let second: Paid

/** A payment with the house and the approver of its own vault. */
type Paid = { house: SigningHouse; signer: Signer; payment: PaymentRow; expense: Answer['body'] }

async function paidBy(house: SigningHouse, signer: Signer, expense: Answer['body']): Promise<Paid> {
  expect((await signAs(service, house, expense, signer)).status).toBe(202)
  const { id: organizationId } = house.organization
  const payment = await service.ctx.db.transaction({ organizationId }, (tx) =>
    findPayment(tx, { organizationId, paymentId: expense.paymentId, onlyOf: null }),
  )
  if (!payment) throw new Error('The signature has reserved nothing')
  return { house, signer, payment, expense: (await readExpense(service, house, expense.id)).body }
}

/** A second vault of the organization, with an approver and a recipient of its own. */
async function besides(house: SigningHouse): Promise<SigningHouse> {
  const { id: organizationId } = house.organization
  const { ids, addresses } = await writeVaults(service, organizationId, 1)
  const [vaultId = '', vaultAddress = ''] = [ids[0], addresses[0]]
  const { body: recipient } = await addRecipient(service, house.organization)
  const recipientAddress = recipient.address.toLowerCase()
  await writePolicy(service, { organizationId, vaultId, recipientAddress })
  await service.database.asOwner('update vaults set balance = 5000000000 where id = $1', [vaultId])
  const signer = await joinSigner(service, house)
  const named = { vaultId, vaultAddress, recipientId: recipient.id, recipientAddress, signer }
  const other = { ...house, ...named }
  const caps = { approvedCap: 1_000_000_000n, lifetimeCap: 10_000_000_000n, reserveFloor: 0n }
  const approverAddresses = addressesOf(signer)
  // The same version as the first vault's, written after it.
  await writePolicyVersion(service, other, { approverAddresses, ...caps })
  return other
}

async function revised(house: SigningHouse, person: Person): Promise<Answer['body']> {
  const { id } = await expenseIn(service, house, 'draft')
  const terms = { amountBaseUnits: '31000000', purpose: 'Rent of the hall' }
  expect((await revise(service, house, { id, person, terms })).status).toBe(201)
  const { body: run } = await submit(service, house, { id, person, expectedVersion: 2 })
  await analyse(service, house, run.taskId)
  expect((await review(service, house, { id, expectedVersion: 2 })).status).toBe(200)
  return (await readExpense(service, house, id)).body
}

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  const house = await openSigningHouse(service)
  const other = await besides(house)
  first = await paidBy(house, house.signer, await expenseIn(service, house, 'awaiting_approval'))
  second = await paidBy(other, other.signer, await revised(other, other.employee))
  // Everything of the second that can end has ended, and its vault has paid.
  await writePolicyVersion(service, other, {
    executorAddress: OTHER_EXECUTOR,
    approverAddresses: [`0x${'aa'.repeat(20)}`],
  })
  const { asOwner } = service.database
  await asOwner(`update wallet_roles set state = 'revoked' where id = $1`, [
    other.signer.walletRoleIds[0],
  ])
  await asOwner(`update recipients set state = 'deactivated' where id = $1`, [other.recipientId])
  await asOwner('update vaults set archived_at = now() where id = $1', [other.vaultId])
  await asOwner('update approvals set cancelled_at = now() where id = $1', [
    second.payment.approvalId,
  ])
  const { organizationId, chainPaymentId, amount, recipientAddress } = second.payment
  await service.ctx.db.transaction({ organizationId }, async (tx) =>
    insertVaultPayment(tx, {
      ...{ organizationId, vaultId: other.vaultId, chainPaymentId, amount, recipientAddress },
      mode: 'approved',
      ...{ transactionHash: `0x${'77'.repeat(32)}`, blockNumber: 2, timeSeconds: 1_700_000_000 },
    }),
  )
})

const ownRows = ({ house, payment, expense }: Paid) => ({
  revision: expense.currentRevision,
  purpose: expense.revision.purpose,
  requestedMode: 'approved',
  versionHash: payment.expenseVersionHash,
  vaultAddress: house.vaultAddress.toLowerCase(),
})

const authorities = () => ({
  first: {
    ...ownRows(first),
    paymentId: first.payment.id,
    currentRevision: 1,
    amount: 25_000_000n,
    recipientAddress: first.house.recipientAddress.toLowerCase(),
    isRecipientActive: true,
    isVaultUsable: true,
    policyVersion: 2,
    approvals: first.payment.signatures.map((one) => ({
      ...one,
      ...{ state: 'signed', isCancelled: false, isRoleActive: true, isAllowed: true },
    })),
    tiers: [],
    paidByVaultId: null,
  },
  second: {
    ...ownRows(second),
    paymentId: second.payment.id,
    currentRevision: 2,
    amount: 31_000_000n,
    recipientAddress: second.house.recipientAddress.toLowerCase(),
    isRecipientActive: false,
    isVaultUsable: false,
    policyVersion: 3,
    policyExecutor: OTHER_EXECUTOR,
    approvals: second.payment.signatures.map((one) => ({
      ...one,
      ...{ state: 'signed', isCancelled: true, isRoleActive: false, isAllowed: false },
    })),
    tiers: [],
    paidByVaultId: second.house.vaultId,
  },
})

const byId = (a: { paymentId: string }, b: { paymentId: string }) =>
  a.paymentId < b.paymentId ? -1 : 1

describe('what authorises a payment', () => {
  test.each(['first', 'second'] as const)('the %s, read alone', async (which) => {
    const expected = authorities()[which]
    const { organizationId } = first.payment
    const found = await service.ctx.db.transaction({ organizationId }, (tx) =>
      findAuthority(tx, { organizationId, paymentId: expected.paymentId }),
    )
    expect(found).toMatchObject(expected)
  })

  test('both, read together, once each', async () => {
    const { organizationId } = first.payment
    const paymentIds = [first.payment.id, second.payment.id]
    const found = await service.ctx.db.transaction({ organizationId }, (tx) =>
      listAuthorities(tx, { organizationId, paymentIds }),
    )
    const expected = Object.values(authorities()).sort(byId)
    expect(found.sort(byId)).toMatchObject(expected)
  })
})

test.each(['first', 'second'] as const)(
  'the evidence of the %s has its own rows',
  async (which) => {
    const paid = which === 'first' ? first : second
    const { organizationId, id: paymentId, reportId, approvalId } = paid.payment
    const evidence = await service.ctx.db.transaction({ organizationId }, (tx) =>
      findEvidence(tx, { organizationId, paymentId }),
    )
    const [stored] = await service.database.asOwner(
      `select t.output as "reportOutput", json_build_object(a.id, a.typed_data) as "typedData"
     from reports t, approvals a where t.id = $1 and a.id = $2`,
      [reportId, approvalId],
    )
    expect(evidence).toMatchObject({
      ...ownRows(paid),
      ...stored,
      // Of the policy under which it was reserved, not of the newest one.
      policy: { approverAddresses: addressesOf(paid.signer) },
      recipient: { recipientsVersion: 1, transactionHash: `0x${'12'.repeat(32)}` },
    })
  },
)
