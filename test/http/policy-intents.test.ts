import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import sql from 'sql-template-tag'
import { decodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { joinOrganization } from '#test/support/app.ts'
import { addRecipient, outcome, randomAddress } from '#test/support/steps.ts'
import {
  configurePolicy,
  deployVault,
  type House,
  key,
  openHouse,
  policyBody,
  preparePolicy,
  provisionExecutor,
  startTreasury,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'

let treasury: Treasury
let house: House
let vault: VaultRecord
let executor: string

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  executor = await provisionExecutor(treasury, house)
})
afterAll(() => treasury.stop())

const url = (vaultId = vault.id) => `${house.path}/vaults/${vaultId}/policy-intents/prepare`

const prepare = (body: unknown, { token = house.owner.token, headers = key(), to = url() } = {}) =>
  treasury.service.call('POST', to, { token, body, headers })

const counted = sql`select count(*) as n from policy_intents`
const intentsOf = () =>
  treasury.service.ctx.db.transaction({ organizationId: house.id }, (tx) => tx.query(counted))

describe('POST policy-intents/prepare', () => {
  test('fills in the listed addresses and encodes exactly what it shows', async () => {
    const recipient = await addRecipient(treasury.service, house)
    const { status, body } = await prepare(policyBody({ reserveFloor: '7' }))
    expect(status).toBe(201)
    expect(body).toMatchObject({
      organizationId: house.id,
      vaultId: vault.id,
      executorAddress: executor,
      approverAddresses: [house.approverWallet.address],
      approvedCap: '1000000',
      reserveFloor: '7',
      state: 'prepared',
      policyVersion: null,
    })
    expect(body.recipientAddresses).toContain(recipient.body.address)
    expect(body.transaction).toMatchObject({
      chainId: 31_337,
      from: house.ownerWallet.address,
      to: vault.address,
      value: '0x0',
    })
    const { functionName, args } = decodeFunctionData({
      abi: vaultAbi,
      data: body.transaction.data,
    })
    expect(functionName).toBe('configurePolicyAndRecipients')
    expect(args).toMatchObject([
      0n,
      {
        executor,
        expiresAt: 4_070_908_800n,
        automaticEnabled: true,
        paused: false,
        approvedCap: 1_000_000n,
        automaticCap: 100_000n,
        lifetimeCap: 5_000_000n,
        reserveFloor: 7n,
        periodSeconds: 0,
        periodCap: 0n,
        automaticPeriodCap: 0n,
        tiers: [],
        approvers: body.approverAddresses,
      },
      0n,
      body.recipientAddresses,
      [],
    ])
  })

  test.each([
    ['an automatic cap above the approved one', { automaticCap: '1000001' }],
    ['an approved cap above the lifetime cap', { approvedCap: '5000001' }],
    ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['a cap of 2^128', { lifetimeCap: String(2n ** 128n) }],
    ['a floor of 2^128', { reserveFloor: String(2n ** 128n) }],
    ['a negative cap', { approvedCap: '-1' }],
    ['a cap with a leading zero', { approvedCap: '01' }],
    ['a cap that is a number', { approvedCap: 1 }],
    ['a nonexistent day', { expiresAt: '2099-02-29T00:00:00Z' }],
    ['no value for paused', { paused: undefined }],
    ['a list of addresses', { recipientAddresses: [randomAddress()] }],
  ])('rejects %s with 400 and stores nothing', async (_name, terms) => {
    const before = await intentsOf()
    expect(outcome(await prepare(policyBody(terms)))).toBe('400 validation_failed')
    expect(await intentsOf()).toEqual(before)
  })

  test('truncates the end to whole seconds, as the contract stores it', async () => {
    const { body } = await prepare(policyBody({ expiresAt: '2099-01-01T00:00:00.999Z' }))
    expect(body.expiresAt).toBe('2099-01-01T00:00:00.000Z')
  })

  test('accepts the largest caps', async () => {
    const most = String(2n ** 128n - 1n)
    const terms = { approvedCap: most, automaticCap: most, lifetimeCap: most, reserveFloor: most }
    expect((await prepare(policyBody(terms))).status).toBe(201)
  })

  test('replays for the same key, is 409 for another body and 400 without a key', async () => {
    const headers = key()
    const first = await prepare(policyBody(), { headers })
    const again = await prepare(policyBody(), { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    const other = await prepare(policyBody({ paused: true }), { headers })
    expect(outcome(other)).toBe('409 idempotency_key_reused')
    expect(outcome(await prepare(policyBody(), { headers: {} as never }))).toBe(
      '400 idempotency_key_required',
    )
  })

  test('is 404 for an unknown vault or one of another organization', async () => {
    const theirs = await deployVault(treasury, await openHouse(treasury))
    for (const id of [theirs.id, '00000000-0000-7000-8000-000000000000']) {
      expect(outcome(await prepare(policyBody(), { to: url(id) }))).toBe('404 not_found')
    }
  })

  test('requires an owner', async () => {
    for (const role of ['manager', 'employee'] as const) {
      const { token } = await joinOrganization(treasury.service, house, { role })
      expect(outcome(await prepare(policyBody(), { token }))).toBe('403 role_required')
    }
    const answer = await treasury.service.call('POST', url(), { body: policyBody() })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })

  test('is 409 for an archived vault', async () => {
    const second = await deployVault(treasury, house, 'Second')
    const archive = `${house.path}/vaults/${second.id}/archive`
    await treasury.service.call('POST', archive, { token: house.owner.token })
    expect(outcome(await prepare(policyBody(), { to: url(second.id) }))).toBe('409 vault_archived')
  })
})

describe('a policy that is not possible yet', () => {
  test('is 409 executor_not_ready without an executor', async () => {
    const other = await openHouse(treasury)
    const { id } = await deployVault(treasury, other)
    expect(outcome(await preparePolicy(treasury, other, { vaultId: id }))).toBe(
      '409 executor_not_ready',
    )
  })

  test('is 409 policy_violation without an approver', async () => {
    const { service } = treasury
    const other = await openHouse(treasury)
    const { id } = await deployVault(treasury, other)
    await provisionExecutor(treasury, other)
    const { path, owner } = other
    const { body } = await service.call('GET', `${path}/members`, { token: owner.token })
    const roles: { id: string; role: string }[] = body.members[0].walletRoles
    const approver = roles.find(({ role }) => role === 'approver')
    await service.call('POST', `${path}/wallet-roles/${approver?.id}/revoke`, {
      token: owner.token,
    })
    const refused = await preparePolicy(treasury, other, { vaultId: id })
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toMatch(/approver/)
  })

  test('is 409 policy_violation with 33 approvers, but not with 32', async () => {
    const { service } = treasury
    const wallets = Array.from({ length: 32 }, () => ({
      address: randomAddress(),
      kind: 'external' as const,
    }))
    const other = await openHouse(treasury)
    const person = await service.signIn(undefined, wallets)
    await joinOrganization(service, other, { role: 'manager', person })
    const { body } = await service.call('GET', `${other.path}/members`, {
      token: other.owner.token,
    })
    const { membershipId } = body.members.find(
      ({ accountId }: { accountId: string }) => accountId === person.accountId,
    )
    const assign = (walletId = '') =>
      service.call('POST', `${other.path}/wallet-roles`, {
        token: other.owner.token,
        body: { membershipId, walletId, role: 'approver' },
      })
    for (const walletId of person.walletIds.slice(1)) await assign(walletId)
    const { id } = await deployVault(treasury, other)
    await provisionExecutor(treasury, other)
    const full = await preparePolicy(treasury, other, { vaultId: id })
    expect(full.body.approverAddresses).toHaveLength(32)
    await assign(person.walletIds[0])
    expect(outcome(await preparePolicy(treasury, other, { vaultId: id }))).toBe(
      '409 policy_violation',
    )
  })
})

describe('the changes shown before signing', () => {
  test('include a recipient that a manager added in the meantime', async () => {
    const { service } = treasury
    await configurePolicy(treasury, house, { vaultId: vault.id })
    const manager = await joinOrganization(service, house, { role: 'manager' })
    const added = await addRecipient(service, house, { token: manager.token })
    const { body } = await prepare(policyBody({ approvedCap: '2000000' }))
    expect(body.changes).toEqual({
      recipients: { added: [added.body.address], removed: [] },
      approvers: { added: [], removed: [] },
      executor: null,
      approvedCap: { from: '1000000', to: '2000000' },
      automaticCap: null,
      lifetimeCap: null,
      reserveFloor: null,
      periodSeconds: null,
      periodCap: null,
      automaticPeriodCap: null,
      tiers: null,
      expiresAt: null,
      automaticEnabled: null,
      paused: null,
    })
  })

  test('include a removed recipient and a pause', async () => {
    const { service } = treasury
    const added = await addRecipient(service, house)
    await configurePolicy(treasury, house, { vaultId: vault.id })
    const { path, owner } = house
    await service.call('POST', `${path}/recipients/${added.body.id}/deactivate`, {
      token: owner.token,
    })
    const { body } = await prepare(policyBody({ paused: true }))
    expect(body.changes.recipients).toEqual({ added: [], removed: [added.body.address] })
    expect(body.changes.paused).toEqual({ from: false, to: true })
    expect(body.recipientAddresses).not.toContain(added.body.address)
  })
})
