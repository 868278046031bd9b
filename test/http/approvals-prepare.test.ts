/** POST expenses/{expenseId}/approvals/prepare: what the service checks before anybody signs. */
import { canonicalHash } from '@countersign/proof/digest.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import type { Person, TestApp } from '#test/support/app.ts'
import { eip712Digest } from '#test/support/eip712.ts'
import { expenseIn, expenseStates, review, revise } from '#test/support/expense-states.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  addressesOf,
  joinSigner,
  openSigningHouse,
  prepareAs,
  type SigningHouse,
  signAs,
  signWith,
  submitAs,
  writePolicyVersion,
} from '#test/support/signing.ts'
import { auditTrail, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: SigningHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openSigningHouse(service)
  await liftOwnersRowSecurity(service.database)
})

const awaiting = (home: SigningHouse = house, terms: object = {}) =>
  expenseIn(service, home, 'awaiting_approval', { terms })

type Known = { id: string; currentRevision: number }

const prepare = (expense: Known, home: SigningHouse = house) =>
  prepareAs(service, home, expense, home.signer)

/** Expects a refusal with that code and no write. */
async function expectRefusal(
  expense: Known,
  refusal: string,
  { home = house, person = home.signer.person }: Refused = {},
) {
  const count = () => service.database.asOwner('select count(*)::int from approvals')
  const before = await count()
  expect(outcome(await prepareAs(service, home, expense, { person }))).toBe(refusal)
  expect(await count()).toEqual(before)
}

type Refused = { home?: SigningHouse; person?: Person }

describe('the typed data', () => {
  test('has every field of the payment and its EIP-712 digest', async () => {
    const expense = await awaiting()
    const { status, body } = await prepare(expense)
    expect(status).toBe(200)
    const { body: report } = await service.call(
      'GET',
      `${house.organization.path}/reports/${expense.currentReportId}`,
      { token: house.organization.owner.token },
    )
    const [vault] = await service.database.asOwner<{ token: string; salt: Buffer }>(
      `select v.token_address as token, o.salt from vaults v
       join organizations o on o.id = v.organization_id where v.id = $1`,
      [house.vaultId],
    )
    const word = (uuid: string) => `0x${uuid.replaceAll('-', '').padStart(64, '0')}`
    expect(body.primaryType).toBe('PaymentApproval')
    expect(body.domain).toMatchObject({ name: 'CountersignVault', version: '1', chainId: 31_337 })
    expect(body.domain.verifyingContract.toLowerCase()).toBe(house.vaultAddress)
    expect(Object.keys(body.types).sort()).toEqual(['EIP712Domain', 'PaymentApproval'])
    expect(body.approverAddress).toBe(house.signer.accounts[0].address)
    const { deadline, organizationHash, paymentId, token, ...message } = body.message
    expect(message).toEqual({
      approvalId: word(body.approvalId),
      approver: house.signer.accounts[0].address,
      recipient: house.recipientAddress,
      amount: expense.revision.amountBaseUnits,
      policyVersion: '2',
      reportHash: canonicalHash(report.output),
      expenseVersionHash: expense.revision.versionHash,
    })
    expect(token.toLowerCase()).toBe(vault?.token)
    expect(organizationHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(paymentId).toMatch(/^0x[0-9a-f]{64}$/)
    const left = Number(deadline) - Math.floor(systemClock.now().getTime() / 1000)
    expect(Math.abs(left - 3600)).toBeLessThan(30)
    expect(body.digest).toBe(eip712Digest(body))
  })

  test('differs between two preparations of the same payment', async () => {
    const expense = await awaiting()
    const [first, second] = [await prepare(expense), await prepare(expense)]
    expect(first.body.digest).not.toBe(second.body.digest)
    expect(first.body.message.paymentId).toBe(second.body.message.paymentId)
  })
})

describe('who may prepare', () => {
  test('is nobody without an approver role, whatever their membership role', async () => {
    const expense = await awaiting()
    for (const person of [house.organization.owner, house.manager, house.employee]) {
      await expectRefusal(expense, '403 approver_wallet_required', { person })
    }
  })

  test('is not somebody whose approver role was revoked', async () => {
    const expense = await awaiting()
    const other = await joinSigner(service, house)
    const { path, owner } = house.organization
    const url = `${path}/wallet-roles/${other.walletRoleIds[0]}/revoke`
    expect((await service.call('POST', url, { token: owner.token })).status).toBe(200)
    const { person } = other
    await expectRefusal(expense, '403 approver_wallet_required', { person })
  })

  test('is not a wallet missing from the policy on chain', async () => {
    const expense = await awaiting()
    const { person } = await joinSigner(service, house)
    await expectRefusal(expense, '409 policy_violation', { person })
  })

  test("is the caller's newest wallet that the policy on chain lists", async () => {
    const home = await openSigningHouse(service)
    const signer = await joinSigner(service, home, { wallets: 3 })
    const [oldest, middle] = addressesOf(signer) as [string, string]
    await writePolicyVersion(service, home, { approverAddresses: [oldest, middle] })
    const { body } = await prepareAs(service, home, await awaiting(home), signer)
    expect(body.approverAddress.toLowerCase()).toBe(middle)
  })

  test('is not the submitter while another approver could sign', async () => {
    const home = await openSigningHouse(service)
    const { person } = home.signer
    const own = await expenseIn(service, home, 'awaiting_approval', { person })
    const other = await joinSigner(service, home)
    const approverAddresses = addressesOf(home.signer, other)
    await writePolicyVersion(service, home, { approverAddresses })
    await expectRefusal(own, '403 self_approval', { home })
    expect((await prepareAs(service, home, own, other)).status).toBe(200)
  })

  test('is the submitter as sole approver, which the audit trail records', async () => {
    const home = await openSigningHouse(service)
    const { person } = home.signer
    const own = await expenseIn(service, home, 'awaiting_approval', { person })
    // A wallet that is not in the policy on chain could not sign instead.
    await joinSigner(service, home)
    expect((await signAs(service, home, own, home.signer)).status).toBe(202)
    const trail = await auditTrail(service.database, home.organization.id)
    const approved = trail.find(({ action }) => action === 'expense.approved')
    expect(approved?.data).toMatchObject({ sole_approver: true })
  })

  test("is not recorded as sole approver for another member's expense", async () => {
    const home = await openSigningHouse(service)
    expect((await signAs(service, home, await awaiting(home), home.signer)).status).toBe(202)
    const trail = await auditTrail(service.database, home.organization.id)
    const approved = trail.find(({ action }) => action === 'expense.approved')
    expect(approved?.data).not.toHaveProperty('sole_approver')
  })
})

describe('the expense', () => {
  test('is refused without a report for its current revision', async () => {
    const expense = await awaiting()
    const forget = 'update expenses set current_report_id = null where id = $1'
    await service.database.asOwner(forget, [expense.id])
    await expectRefusal(expense, '409 report_missing')
  })

  test('is refused at an outdated version', async () => {
    const expense = await awaiting()
    await expectRefusal({ ...expense, currentRevision: 2 }, '409 version_conflict')
  })

  test.each(expenseStates.filter((state) => state !== 'awaiting_approval'))(
    'is refused in state %s',
    async (state) => {
      await expectRefusal(await expenseIn(service, house, state), '409 state_conflict')
    },
  )

  test('is 403 when it is unknown or belongs to another organization', async () => {
    const other = await openSigningHouse(service)
    const id = '00000000-0000-7000-8000-000000000000'
    await expectRefusal({ id, currentRevision: 1 }, '403 forbidden')
    await expectRefusal(await awaiting(other), '403 forbidden')
  })

  test('is refused when its recipient is deactivated', async () => {
    const home = await openSigningHouse(service)
    const expense = await awaiting(home)
    const url = `${home.organization.path}/recipients/${home.recipientId}/deactivate`
    const off = await service.call('POST', url, { token: home.organization.owner.token })
    expect(off.status).toBe(200)
    await expectRefusal(expense, '409 state_conflict', { home })
  })

  test('is refused when its vault is archived', async () => {
    const home = await openSigningHouse(service)
    const expense = await awaiting(home)
    const archive = 'update vaults set archived_at = now(), is_default = false where id = $1'
    await service.database.asOwner(archive, [home.vaultId])
    await expectRefusal(expense, '409 vault_archived', { home })
  })

  test.each([
    ['no version', {}],
    ['a version below one', { expectedVersion: 0 }],
    ['an unknown field', { expectedVersion: 1, approver: 'me' }],
  ])('with %s is 400', async (_name, body) => {
    const { id } = await awaiting()
    const url = `${house.organization.path}/expenses/${id}/approvals/prepare`
    const answer = await service.call('POST', url, { token: house.signer.person.token, body })
    expect(outcome(answer)).toBe('400 validation_failed')
  })
})

describe('another preparation', () => {
  const stateOf = async (id: string) =>
    (
      await service.database.asOwner<{ state: string }>(
        'select state from approvals where id = $1',
        [id],
      )
    )[0]?.state

  test("supersedes the caller's earlier one, which can no longer be signed", async () => {
    const expense = await awaiting()
    const first = await prepare(expense)
    const second = await prepare(expense)
    expect(await stateOf(first.body.approvalId)).toBe('superseded')
    expect(await stateOf(second.body.approvalId)).toBe('prepared')
    const [account] = house.signer.accounts
    const { person } = house.signer
    const hand = async ({ body }: typeof first) =>
      submitAs(service, house, expense, {
        person,
        approvalId: body.approvalId,
        signature: await signWith(account, body),
      })
    expect(outcome(await hand(first))).toBe('409 state_conflict')
    expect((await hand(second)).status).toBe(202)
  })

  test("leaves another approver's preparation unchanged", async () => {
    const home = await openSigningHouse(service)
    const other = await joinSigner(service, home)
    const approverAddresses = addressesOf(home.signer, other)
    await writePolicyVersion(service, home, { approverAddresses })
    const expense = await awaiting(home)
    const theirs = await prepareAs(service, home, expense, other)
    await prepare(expense, home)
    expect(await stateOf(theirs.body.approvalId)).toBe('prepared')
  })

  test('that is refused leaves the earlier one unchanged', async () => {
    const expense = await awaiting()
    const first = await prepare(expense)
    await expectRefusal({ ...expense, currentRevision: 9 }, '409 version_conflict')
    expect(await stateOf(first.body.approvalId)).toBe('prepared')
  })

  test.each([
    ['a new revision', revise],
    [
      'a rejection',
      (...[app, home, { id }]: Parameters<typeof review>) =>
        review(app, home, { id, action: 'reject' }),
    ],
  ])('is superseded by %s', async (_name, act) => {
    const expense = await awaiting()
    const { body } = await prepare(expense)
    expect((await act(service, house, { id: expense.id })).status).toBeLessThan(300)
    expect(await stateOf(body.approvalId)).toBe('superseded')
  })
})
