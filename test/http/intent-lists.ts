/** Prepared transactions can be read again: after a reload, and by another owner. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { createOrganization, joinOrganization, type Person } from '#test/support/app.ts'
import { addRecipient, membershipOf, outcome } from '#test/support/steps.ts'
import {
  configurePolicy,
  confirmDeployment,
  deployVault,
  type House,
  openHouse,
  prepareDeployment,
  preparePolicy,
  provisionExecutor,
  randomHash,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'

let treasury: Treasury
let house: House
let vault: VaultRecord
let second: Person

beforeAll(async () => {
  treasury = await oneTreasury()
  const { service } = treasury
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
  await addRecipient(service, house)
  second = await joinOrganization(service, house, { role: 'manager' })
  const { membershipId } = await membershipOf(service, house, second)
  const { asOwner } = service.database
  await asOwner(`update memberships set role = 'owner' where id = $1`, [membershipId])
  await asOwner(
    `insert into profiles (account_id, chosen_name, updated_at) values ($1, 'Ana', now())
     on conflict (account_id) do update set chosen_name = excluded.chosen_name`,
    [house.owner.accountId],
  )
})

const get = (path: string, token = house.owner.token) =>
  treasury.service.call('GET', `${house.path}/${path}`, { token })

const deployments = async (query = '', token?: string) =>
  (await get(`vault-deployments${query}`, token)).body

const policies = async (query = '', token?: string) =>
  (await get(`vaults/${vault.id}/policy-intents${query}`, token)).body

describe('GET vault-deployments', () => {
  test('shows a second owner the confirmed vault and a transaction in flight', async () => {
    const prepared = await prepareDeployment(treasury, house)
    const transactionHash = randomHash()
    const { body: submitted } = await confirmDeployment(treasury, house, {
      id: prepared.id,
      transactionHash,
    })
    expect(submitted.state).toBe('submitted')
    const { vaultDeployments, nextCursor } = await deployments('', second.token)
    expect(nextCursor).toBeNull()
    expect(vaultDeployments).toMatchObject([
      {
        id: prepared.id,
        label: 'Main',
        state: 'submitted',
        transaction: prepared.transaction,
        transactionHash,
        failureCode: null,
        vault: null,
        createdByAccountId: house.owner.accountId,
        displayName: 'Ana',
        submittedAt: expect.any(String),
      },
      { state: 'confirmed', vault: { id: vault.id, address: vault.address } },
    ])
  })

  test('lets the second owner continue with what the first has prepared', async () => {
    const { id } = await prepareDeployment(treasury, house)
    const [newest] = (await deployments('', second.token)).vaultDeployments
    expect(newest).toMatchObject({
      id,
      state: 'prepared',
      submittedAt: null,
      transactionHash: null,
    })
    const transactionHash = await house.ownerWallet.send(newest.transaction)
    const confirmed = await confirmDeployment(
      treasury,
      { ...house, owner: second },
      { id, transactionHash },
    )
    expect(confirmed.status).toBe(200)
    expect((await deployments()).vaultDeployments[0]).toMatchObject({ id, transactionHash })
  })

  test('pages, newest first', async () => {
    const all = (await deployments()).vaultDeployments.map(({ id }: { id: string }) => id)
    const first = await deployments('?limit=2')
    const rest = await deployments(`?limit=2&cursor=${first.nextCursor}`)
    const paged = [...first.vaultDeployments, ...rest.vaultDeployments]
    expect(paged.map(({ id }) => id)).toEqual(all)
    expect(all).toEqual(all.toSorted().reverse())
    expect(rest.nextCursor).toBeNull()
    expect(outcome(await get('vault-deployments?cursor=x'))).toBe('400 validation_failed')
  })
})

describe('GET vaults/{vaultId}/policy-intents', () => {
  test('shows a second owner confirmed, prepared and failed policies', async () => {
    const confirmed = await configurePolicy(treasury, house, { vaultId: vault.id })
    const { body: prepared } = await preparePolicy(treasury, house, { vaultId: vault.id })
    const { service } = treasury
    const { body: failed } = await preparePolicy(treasury, house, { vaultId: vault.id })
    await service.database.asOwner(
      `update policy_intents set state = 'failed', failure_code = 'transaction_not_found',
         transaction_hash = $2, submitted_at = now() where id = $1`,
      [failed.id, randomHash()],
    )
    const { policyIntents } = await policies('', second.token)
    expect(policyIntents).toMatchObject([
      { id: failed.id, state: 'failed', failureCode: 'transaction_not_found' },
      {
        ...prepared,
        createdByAccountId: house.owner.accountId,
        displayName: 'Ana',
        submittedAt: null,
      },
      {
        id: confirmed.id,
        state: 'confirmed',
        policyVersion: 1,
        transactionHash: confirmed.transactionHash,
        submittedAt: expect.any(String),
      },
    ])
  })

  test('pages, and shows no intent of another vault', async () => {
    const other = await deployVault(treasury, house, 'Other')
    expect((await get(`vaults/${other.id}/policy-intents`)).body).toEqual({
      policyIntents: [],
      nextCursor: null,
    })
    const first = await policies('?limit=2')
    expect(first.policyIntents).toHaveLength(2)
    const rest = await policies(`?limit=2&cursor=${first.nextCursor}`)
    expect(rest.policyIntents).toHaveLength(1)
    expect(rest.nextCursor).toBeNull()
  })

  test('answers 404 for an unknown vault and one of another organization', async () => {
    const { service } = treasury
    const stranger = await createOrganization(service)
    const token = stranger.owner.token
    const foreign = await service.call(
      'GET',
      `${stranger.path}/vaults/${vault.id}/policy-intents`,
      {
        token,
      },
    )
    expect(outcome(foreign)).toBe('404 not_found')
    expect(outcome(await get(`vaults/${randomUUID()}/policy-intents`))).toBe('404 not_found')
    expect(outcome(await get(`vaults/${vault.id}/policy-intents`, token))).toBe('403 forbidden')
  })
})

test('both lists are for owners and managers', async () => {
  const { service } = treasury
  const manager = await joinOrganization(service, house, { role: 'manager' })
  const employee = await joinOrganization(service, house, { role: 'employee' })
  for (const path of ['vault-deployments', `vaults/${vault.id}/policy-intents`]) {
    expect((await get(path, manager.token)).status).toBe(200)
    expect(outcome(await get(path, employee.token))).toBe('403 role_required')
  }
})
