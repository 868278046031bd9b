import { beforeAll, describe, expect, test } from 'vitest'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { joinOrganization } from '#test/support/app.ts'
import { outcome } from '#test/support/steps.ts'
import {
  configurePolicy,
  deployVault,
  type House,
  openHouse,
  overviewOf,
  preparePolicy,
  provisionExecutor,
  randomHash,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'

let treasury: Treasury
let house: House
let vault: VaultRecord

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
})

const sync = (body: unknown, token = house.owner.token) =>
  treasury.service.call('POST', `${house.path}/policies/sync`, { token, body })

describe('POST policies/sync', () => {
  test('returns the policy of a transaction that was never confirmed through the API', async () => {
    const prepared = await preparePolicy(treasury, house, { vaultId: vault.id })
    const hash = await house.ownerWallet.send(prepared.body.transaction)
    const { status, body } = await sync({
      chainTransactionHash: hash.toUpperCase().replace('X', 'x'),
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      organizationId: house.id,
      version: 1,
      executorAddress: prepared.body.executorAddress,
      approvedCap: '1000000',
      spentTotal: '0',
      expiresAt: '2099-01-01T00:00:00.000Z',
      chainTransactionHash: hash,
    })
    expect((await overviewOf(treasury, house)).policy).toEqual(body)
    expect((await sync({ chainTransactionHash: hash })).body).toEqual(body)
  })

  test('returns an older version as it was', async () => {
    const { policyVersion, transactionHash } = await configurePolicy(treasury, house, {
      vaultId: vault.id,
    })
    await configurePolicy(treasury, house, { vaultId: vault.id, terms: { lifetimeCap: '6000000' } })
    const { body } = await sync({ chainTransactionHash: transactionHash })
    expect(body).toMatchObject({ version: policyVersion, lifetimeCap: '5000000' })
  })

  test('is allowed for managers, and refused for employees and non-members', async () => {
    const { service } = treasury
    const { transactionHash } = await configurePolicy(treasury, house, { vaultId: vault.id })
    const body = { chainTransactionHash: transactionHash }
    const manager = await joinOrganization(service, house, { role: 'manager' })
    expect((await sync(body, manager.token)).status).toBe(200)
    const employee = await joinOrganization(service, house, { role: 'employee' })
    expect(outcome(await sync(body, employee.token))).toBe('403 role_required')
    expect(outcome(await sync(body, (await service.signIn()).token))).toBe('403 forbidden')
    const answer = await service.call('POST', `${house.path}/policies/sync`, { body })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })

  test.each([
    ['no hash', {}],
    ['a malformed hash', { chainTransactionHash: '0x0' }],
    ['an unknown field', { chainTransactionHash: randomHash(), version: 1 }],
  ])('rejects %s with 400', async (_name, body) => {
    expect(outcome(await sync(body))).toBe('400 validation_failed')
  })

  test('is 409 state_conflict for an unknown hash', async () => {
    expect(outcome(await sync({ chainTransactionHash: randomHash() }))).toBe('409 state_conflict')
  })

  test('is 409 transaction_failed for a reverted transaction', async () => {
    const { body } = await preparePolicy(treasury, house, { vaultId: vault.id })
    const hash = await house.ownerWallet.send({ ...body.transaction, gas: '0xea60' })
    expect(await treasury.chain.mined(hash)).toBe('reverted')
    expect(outcome(await sync({ chainTransactionHash: hash }))).toBe('409 transaction_failed')
  })

  test('is 409 transaction_mismatch for a transaction that configures no policy', async () => {
    const hash = await house.ownerWallet.send({
      to: house.approverWallet.address,
      data: '0x',
      gas: '0x5208',
    })
    await treasury.chain.mined(hash)
    expect(outcome(await sync({ chainTransactionHash: hash }))).toBe('409 transaction_mismatch')
  })

  test("reveals nothing of another organization's policy", async () => {
    const other = await openHouse(treasury)
    const theirs = await deployVault(treasury, other)
    await provisionExecutor(treasury, other)
    const { transactionHash } = await configurePolicy(treasury, other, { vaultId: theirs.id })
    const answer = await sync({ chainTransactionHash: transactionHash })
    expect(outcome(answer)).toMatch(/^409 (state_conflict|transaction_mismatch)$/)
    expect(answer.text).not.toContain(theirs.id)
  })
})
