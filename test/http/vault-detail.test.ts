/** One vault with its figures, its policy and how the policy differs from the organization. */
import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '#access/permissions.ts'
import { createOrganization, joinOrganization, type TestApp } from '#test/support/app.ts'
import { beforeQuestion } from '#test/support/between-questions.ts'
import { writeVaults } from '#test/support/books.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  addressesOf,
  joinSigner,
  openSigningHouse,
  type SigningHouse,
  signAs,
  writePolicyVersion,
} from '#test/support/signing.ts'
import { addRecipient, liftOwnersRowSecurity, outcome, randomAddress } from '#test/support/steps.ts'
import { readVault } from '#treasury/read-vault.ts'

let service: TestApp
let house: SigningHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service, { reserveFloor: 100n })
})

type Asked = { vaultId?: string; token?: string; of?: SigningHouse }

const get = ({
  of = house,
  vaultId = of.vaultId,
  token = of.organization.owner.token,
}: Asked = {}) => service.call('GET', `${of.organization.path}/vaults/${vaultId}`, { token })

const overview = async () => {
  const { path, owner } = house.organization
  return (await service.call('GET', `${path}/overview`, { token: owner.token })).body
}

describe('GET vaults/{vaultId}', () => {
  test('agrees with the overview about the default vault', async () => {
    const { status, body } = await get()
    const { vault, policy, ...figures } = await overview()
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...vault, policy })
    expect(body.balanceBaseUnits).toBe(figures.balanceBaseUnits)
    expect(body.remainingAllowanceBaseUnits).toBe(figures.remainingAllowanceBaseUnits)
    expect([body.asOfBlock, body.asOfTime]).toEqual([figures.asOfBlock, figures.asOfTime])
    expect(body.policy.approverAddresses).toEqual(
      addressesOf(house.signer).map((a) => getAddress(a)),
    )
    expect(body.policy.recipientAddresses).toHaveLength(1)
  })

  test('subtracts what payments hold, and the reserve floor, from what is available', async () => {
    const before = (await get()).body
    const expense = await expenseIn(service, house, 'awaiting_approval')
    expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
    const after = (await get()).body
    const amount = BigInt(after.reservedBaseUnits) - BigInt(before.reservedBaseUnits)
    expect(amount).toBeGreaterThan(0n)
    expect(after.balanceBaseUnits).toBe(before.balanceBaseUnits)
    const balance = BigInt(after.balanceBaseUnits)
    expect(BigInt(after.availableBaseUnits)).toBe(balance - BigInt(after.reservedBaseUnits) - 100n)
    const { remainingAllowanceBaseUnits } = await overview()
    expect(after.remainingAllowanceBaseUnits).toBe(remainingAllowanceBaseUnits)
  })

  test('has nothing available when the reserve floor is above the balance', async () => {
    const poor = await openSigningHouse(service, { balance: 50n, reserveFloor: 60n })
    expect((await get({ of: poor })).body).toMatchObject({
      balanceBaseUnits: '50',
      availableBaseUnits: '0',
    })
  })

  test('shows a vault without a policy', async () => {
    const { ids } = await writeVaults(service, house.organization.id, 1)
    expect((await get({ vaultId: ids[0] ?? '' })).body).toMatchObject({
      id: ids[0],
      isDefault: false,
      balanceBaseUnits: '0',
      reservedBaseUnits: '0',
      availableBaseUnits: null,
      remainingAllowanceBaseUnits: null,
      policy: null,
      differences: null,
    })
  })

  test('is visible to every member and nobody else', async () => {
    const employee = await joinOrganization(service, house.organization, { role: 'employee' })
    expect((await get({ token: employee.token })).status).toBe(200)
    const stranger = await createOrganization(service)
    expect(outcome(await get({ token: stranger.owner.token }))).toBe('403 forbidden')
    const { ids } = await writeVaults(service, stranger.id, 1)
    for (const vaultId of [ids[0] ?? '', randomUUID()]) {
      expect(outcome(await get({ vaultId }))).toBe('404 not_found')
    }
    expect(outcome(await get({ vaultId: 'main' }))).toBe('400 validation_failed')
  })
})

describe('the differences of a policy', () => {
  test('are none when it lists exactly the active recipients and approvers', async () => {
    const own = await openSigningHouse(service)
    expect((await get({ of: own })).body.differences).toEqual({
      missingRecipients: [],
      extraRecipients: [],
      missingApprovers: [],
      extraApprovers: [],
      executorDiffers: false,
    })
  })

  test('name what is missing and what is extra, in both lists', async () => {
    const own = await openSigningHouse(service)
    const { organization, signer, recipientId } = own
    const { token } = organization.owner
    const added = await addRecipient(service, organization)
    const { body: gone } = await service.call(
      'POST',
      `${organization.path}/recipients/${recipientId}/deactivate`,
      { token },
    )
    const joined = await joinSigner(service, own)
    const [walletRoleId] = signer.walletRoleIds
    await service.call('POST', `${organization.path}/wallet-roles/${walletRoleId}/revoke`, {
      token,
    })
    const { differences, policy } = (await get({ of: own })).body
    expect(differences).toEqual({
      missingRecipients: [added.body.address],
      extraRecipients: [gone.address],
      missingApprovers: joined.accounts.map(({ address }) => address),
      extraApprovers: signer.accounts.map(({ address }) => address),
      executorDiffers: false,
    })
    expect(policy.recipientAddresses).toEqual([gone.address])
  })

  test('are what a policy prepared now would change', async () => {
    const own = await openSigningHouse(service)
    await addRecipient(service, own.organization)
    await joinSigner(service, own)
    const { vaultId, organization } = own
    const prepared = await service.call(
      'POST',
      `${organization.path}/vaults/${vaultId}/policy-intents/prepare`,
      {
        token: organization.owner.token,
        headers: { 'idempotency-key': randomUUID() },
        body: {
          ...{ approvedCap: '1000', automaticCap: '100', lifetimeCap: '1000000000000' },
          ...{ reserveFloor: '0', expiresAt: '2099-01-01T00:00:00Z' },
          ...{ automaticEnabled: true, paused: false },
        },
      },
    )
    expect(prepared.status).toBe(201)
    const { recipients, approvers } = prepared.body.changes
    const { differences } = (await get({ of: own })).body
    expect(recipients).toEqual({
      added: differences.missingRecipients,
      removed: differences.extraRecipients,
    })
    expect(approvers).toEqual({
      added: differences.missingApprovers,
      removed: differences.extraApprovers,
    })
    expect(recipients.added).toHaveLength(1)
    expect(approvers.added).toHaveLength(1)
  })

  test('say when the policy names another executor', async () => {
    const own = await openSigningHouse(service)
    await writePolicyVersion(service, own, { executorAddress: randomAddress() })
    expect((await get({ of: own })).body.differences.executorDiffers).toBe(true)
  })
})

/** As the engine does before it signs. */
const send = (expenseId: string) =>
  service.database.asOwner(`update payments set state = 'broadcast' where expense_id = $1`, [
    expenseId,
  ])

/** Records the vault's payment as the follower does. */
const count = (expenseId: string) =>
  service.database.asOwner(
    `with paid as (
       insert into vault_payments (organization_id, vault_id, chain_payment_id, recipient_address,
         mode, amount, transaction_hash, block_number, block_time)
       select organization_id, vault_id, chain_payment_id, recipient_address, mode, amount, '0x',
         1, now()
       from payments where expense_id = $1 returning organization_id, vault_id, amount)
     update vaults v
     set spent_total = v.spent_total + paid.amount, balance = v.balance - paid.amount
     from paid where v.organization_id = paid.organization_id and v.id = paid.vault_id`,
    [expenseId],
  )

test.each([1, 2, 3, 4, 5, 6, 7])(
  'available and allowance are unchanged when the vault pays before query %i',
  async (place) => {
    const expense = await expenseIn(service, house, 'awaiting_approval')
    expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
    await send(expense.id)
    const { organization, vaultId } = house
    const { id: organizationId, owner } = organization
    const member = { organizationId, accountId: owner.accountId } as Member
    const before = await readVault(service.ctx, { member, vaultId })
    const { db, hasHappened } = beforeQuestion(service.ctx.db, place, () => count(expense.id))
    const after = await readVault({ ...service.ctx, db }, { member, vaultId })
    expect(hasHappened()).toBe(true)
    expect(after.availableBaseUnits).toBe(before.availableBaseUnits)
    expect(after.remainingAllowanceBaseUnits).toBe(before.remainingAllowanceBaseUnits)
  },
)
