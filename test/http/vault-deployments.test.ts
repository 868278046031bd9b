import { vaultArtifactHash } from '@countersign/proof/vault-artifact.ts'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createOrganization, joinOrganization } from '#test/support/app.ts'
import { outcome } from '#test/support/steps.ts'
import {
  confirmDeployment,
  deployVault,
  type House,
  key,
  openHouse,
  prepareDeployment,
  randomHash,
  startTreasury,
  type Treasury,
  vaultsOf,
} from '#test/support/treasury.ts'

let treasury: Treasury
let house: House

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openHouse(treasury)
})
afterAll(() => treasury.stop())

const prepare = (body: unknown, { token = house.owner.token, headers = key() } = {}) =>
  treasury.service.call('POST', `${house.path}/vault-deployments/prepare`, {
    token,
    body,
    headers,
  })

describe('POST vault-deployments/prepare', () => {
  test("returns a transaction ready to be sent from the owner's wallet", async () => {
    const { status, body } = await prepare({ label: 'Ops' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      organizationId: house.id,
      label: 'Ops',
      chainId: 31_337,
      tokenAddress: treasury.chain.tokenAddress,
      ownerAddress: house.ownerWallet.address,
      artifactHash: vaultArtifactHash,
      state: 'prepared',
      transactionHash: null,
      vault: null,
      failureCode: null,
    })
    const { data, gas, ...rest } = body.transaction
    expect(rest).toEqual({
      chainId: 31_337,
      from: house.ownerWallet.address,
      to: null,
      value: '0x0',
    })
    expect(keccak256(data)).toBe(body.constructorDataHash)
    expect(BigInt(gas)).toBeGreaterThan(1_000_000n)
  })

  test('uses an organization hash that is unique and does not reveal the id', async () => {
    const other = await openHouse(treasury)
    const [mine, theirs] = [
      await prepareDeployment(treasury, house),
      await prepareDeployment(treasury, other),
    ]
    expect(mine.organizationHash).not.toBe(theirs.organizationHash)
    expect(mine.organizationHash).not.toContain(house.id.replaceAll('-', ''))
    const again = await prepareDeployment(treasury, house)
    expect(again.organizationHash).toBe(mine.organizationHash)
  })

  test('replays for the same key and is 409 for another body', async () => {
    const headers = key()
    const first = await prepare({ label: 'Once' }, { headers })
    const again = await prepare({ label: 'Once' }, { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(outcome(await prepare({ label: 'Twice' }, { headers }))).toBe(
      '409 idempotency_key_reused',
    )
  })

  test('is refused without a key', async () => {
    expect(outcome(await prepare({ label: 'Ops' }, { headers: {} as never }))).toBe(
      '400 idempotency_key_required',
    )
  })

  test.each([
    ['no label', {}],
    ['an empty label', { label: '' }],
    ['a label of spaces', { label: '   ' }],
    ['a label of invisible characters', { label: '\u200b\u200b' }],
    ['a label of 101 characters', { label: 'x'.repeat(101) }],
    ['a label of two lines', { label: 'a\nb' }],
    ['a label that is not a string', { label: 7 }],
    ['an unknown field', { label: 'a', ownerAddress: `0x${'ab'.repeat(20)}` }],
  ])('rejects %s with 400', async (_name, body) => {
    expect(outcome(await prepare(body))).toBe('400 validation_failed')
  })

  test('accepts a label of 100 characters, counted in code points', async () => {
    expect((await prepare({ label: '💶'.repeat(100) })).status).toBe(201)
  })

  test('is 409 for a caller without a treasury owner wallet', async () => {
    const { service } = treasury
    const { token } = house.owner
    const bare = await createOrganization(service)
    const ask = () =>
      service.call('POST', `${bare.path}/vault-deployments/prepare`, {
        token: bare.owner.token,
        body: { label: 'Ops' },
        headers: key(),
      })
    expect(outcome(await ask())).toBe('409 treasury_owner_required')
    expect(token).not.toBe(bare.owner.token)
  })

  test('ignores a wallet whose role was revoked', async () => {
    const { service } = treasury
    const other = await openHouse(treasury)
    const { path, owner } = other
    const { body } = await service.call('GET', `${path}/members`, { token: owner.token })
    const roles: { id: string; role: string }[] = body.members[0].walletRoles
    const role = roles.find((given) => given.role === 'treasury_owner')
    await service.call('POST', `${path}/wallet-roles/${role?.id}/revoke`, { token: owner.token })
    const refused = await service.call('POST', `${path}/vault-deployments/prepare`, {
      token: owner.token,
      body: { label: 'Ops' },
      headers: key(),
    })
    expect(outcome(refused)).toBe('409 treasury_owner_required')
  })

  test('requires an owner', async () => {
    const { service } = treasury
    const body = { label: 'Ops' }
    for (const role of ['manager', 'employee'] as const) {
      const { token } = await joinOrganization(service, house, { role })
      expect(outcome(await prepare(body, { token }))).toBe('403 role_required')
    }
    const { token } = await service.signIn()
    expect(outcome(await prepare(body, { token }))).toBe('403 forbidden')
    const url = `${house.path}/vault-deployments/prepare`
    expect(outcome(await service.call('POST', url, { body }))).toBe('401 unauthenticated')
  })
})

describe('POST vault-deployments/{intentId}/confirm', () => {
  test('confirms a mined deployment with its vault', async () => {
    const intent = await prepareDeployment(treasury, house)
    const transactionHash = await house.ownerWallet.send(intent.transaction)
    const { status, body } = await confirmDeployment(treasury, house, {
      id: intent.id,
      transactionHash: `0x${transactionHash.slice(2).toUpperCase()}`,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: intent.id, state: 'confirmed', transactionHash })
    expect(body.vault).toMatchObject({
      organizationId: house.id,
      label: 'Main',
      createdByAccountId: house.owner.accountId,
      deploymentTransactionHash: transactionHash,
      artifactHash: vaultArtifactHash,
      status: 'verified',
      archivedAt: null,
    })
    expect(await vaultsOf(treasury, house)).toContainEqual(body.vault)
  })

  test('repeats the answer for the same hash and is 409 for another', async () => {
    const intent = await prepareDeployment(treasury, house)
    const transactionHash = await house.ownerWallet.send(intent.transaction)
    await treasury.chain.mined(transactionHash)
    const first = await confirmDeployment(treasury, house, { id: intent.id, transactionHash })
    const again = await confirmDeployment(treasury, house, { id: intent.id, transactionHash })
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
    const other = { id: intent.id, transactionHash: randomHash() }
    expect(outcome(await confirmDeployment(treasury, house, other))).toBe('409 state_conflict')
  })

  test('registers one vault for ten concurrent confirmations', async () => {
    const other = await openHouse(treasury)
    const intent = await prepareDeployment(treasury, other)
    const transactionHash = await other.ownerWallet.send(intent.transaction)
    await treasury.chain.mined(transactionHash)
    const confirm = () => confirmDeployment(treasury, other, { id: intent.id, transactionHash })
    // On a busy machine the ten may time out, and the worker registers the vault.
    await vi.waitFor(async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, confirm))
      expect(answers.map(({ body }) => body.state)).toEqual(Array(10).fill('confirmed'))
    }, 30_000)
    expect(await vaultsOf(treasury, other)).toHaveLength(1)
  })

  test('registers one vault for two intents with one transaction', async () => {
    const other = await openHouse(treasury)
    const [first, second] = [
      await prepareDeployment(treasury, other),
      await prepareDeployment(treasury, other),
    ]
    const transactionHash = await other.ownerWallet.send(first.transaction)
    await treasury.chain.mined(transactionHash)
    const one = await confirmDeployment(treasury, other, { id: first.id, transactionHash })
    const two = await confirmDeployment(treasury, other, { id: second.id, transactionHash })
    expect([one.body.state, two.body.state]).toEqual(['confirmed', 'confirmed'])
    expect(two.body.vault).toEqual(one.body.vault)
    expect(await vaultsOf(treasury, other)).toHaveLength(1)
  })

  test('makes the first vault the default, but not the second', async () => {
    const other = await openHouse(treasury)
    expect((await deployVault(treasury, other)).isDefault).toBe(true)
    expect((await deployVault(treasury, other, 'Second')).isDefault).toBe(false)
  })

  test.each([
    ['no hash', {}],
    ['a short hash', { transactionHash: '0x12' }],
    ['a hash without 0x', { transactionHash: 'ab'.repeat(32) }],
    ['an unknown field', { transactionHash: randomHash(), state: 'confirmed' }],
  ])('rejects %s with 400', async (_name, body) => {
    const intent = await prepareDeployment(treasury, house)
    const url = `${house.path}/vault-deployments/${intent.id}/confirm`
    const answer = await treasury.service.call('POST', url, { token: house.owner.token, body })
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('is 404 for an unknown intent or one of another organization', async () => {
    const other = await openHouse(treasury)
    const theirs = await prepareDeployment(treasury, other)
    for (const id of [theirs.id, '00000000-0000-7000-8000-000000000000']) {
      const transactionHash = randomHash()
      const answer = await confirmDeployment(treasury, house, { id, transactionHash })
      expect(outcome(answer)).toBe('404 not_found')
    }
  })
})
