import { getContractAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneTreasury, stopOneTreasury } from '#test/http/one-treasury.ts'
import { joinOrganization } from '#test/support/app.ts'
import { hold, tokenAbi } from '#test/support/chain.ts'
import { outcome } from '#test/support/steps.ts'
import {
  confirmDeployment,
  deployedAt,
  deployVault,
  type House,
  openHouse,
  overviewOf,
  prepareDeployment,
  randomHash,
  registerVault,
  type Treasury,
  vaultsOf,
} from '#test/support/treasury.ts'
import { verifyVault } from '#treasury/register-vault.ts'
// With the same application and chain.
import '#test/http/overview.ts'
import '#test/http/member-funds.ts'
import '#test/http/intent-outcomes.ts'

let treasury: Treasury
let house: House

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openHouse(treasury)
})
afterAll(stopOneTreasury)

/** Deploys from the owner's wallet without telling the service. */
async function deploySilently({ ownerWallet, ...rest }: House) {
  const { transaction } = await prepareDeployment(treasury, { ownerWallet, ...rest })
  const deploymentTransactionHash = await ownerWallet.send(transaction)
  const address = await deployedAt(treasury, deploymentTransactionHash)
  return { address, deploymentTransactionHash }
}

/** Its deployment is signed, but no node has seen it. */
async function holdDeployment(owning: House) {
  const { transaction } = await prepareDeployment(treasury, owning)
  const { address: from } = owning.ownerWallet
  const nonce = await treasury.chain.client.getTransactionCount({ address: from })
  const held = await hold(treasury.chain, owning.ownerWallet, transaction)
  const address = getContractAddress({ from, nonce: BigInt(nonce) })
  return { ...held, claim: { address, deploymentTransactionHash: held.hash } }
}

const act = (action: 'default' | 'archive', vaultId: string, { path, owner }: House = house) =>
  treasury.service.call('POST', `${path}/vaults/${vaultId}/${action}`, { token: owner.token })

describe('POST vault', () => {
  test('registers a vault on the chain, with the given label or the default one', async () => {
    const other = await openHouse(treasury)
    const claim = await deploySilently(other)
    const { status, body } = await registerVault(treasury, other, claim)
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...claim, label: 'Primary vault', status: 'verified' })
    expect(body).toMatchObject({ isDefault: true, ownerAddress: other.ownerWallet.address })
    const second = { ...(await deploySilently(other)), label: 'Reserve' }
    expect((await registerVault(treasury, other, second)).body).toMatchObject({
      label: 'Reserve',
      isDefault: false,
    })
    expect(outcome(await registerVault(treasury, other, second))).toBe('409 duplicate')
  })

  test.each([
    ['no address', { deploymentTransactionHash: randomHash() }],
    ['no hash', { address: `0x${'ab'.repeat(20)}` }],
    ['a malformed address', { address: '0x1', deploymentTransactionHash: randomHash() }],
    [
      'an unknown field',
      {
        address: `0x${'ab'.repeat(20)}`,
        deploymentTransactionHash: randomHash(),
        status: 'verified',
      },
    ],
    [
      'a label of 101 characters',
      {
        address: `0x${'ab'.repeat(20)}`,
        deploymentTransactionHash: randomHash(),
        label: 'x'.repeat(101),
      },
    ],
    [
      'a label of spaces',
      {
        address: `0x${'ab'.repeat(20)}`,
        deploymentTransactionHash: randomHash(),
        label: '  ',
      },
    ],
  ])('rejects %s with 400', async (_name, body) => {
    expect(outcome(await registerVault(treasury, house, body))).toBe('400 validation_failed')
  })

  test('is 409 without a treasury owner in the organization', async () => {
    const other = await openHouse(treasury)
    const { path, owner } = other
    const { service } = treasury
    const { body } = await service.call('GET', `${path}/members`, { token: owner.token })
    for (const { id } of body.members[0].walletRoles) {
      await service.call('POST', `${path}/wallet-roles/${id}/revoke`, { token: owner.token })
    }
    const claim = { address: `0x${'ab'.repeat(20)}`, deploymentTransactionHash: randomHash() }
    expect(outcome(await registerVault(treasury, other, claim))).toBe('409 treasury_owner_required')
  })

  test('requires an owner', async () => {
    const { token } = await joinOrganization(treasury.service, house, { role: 'manager' })
    const body = { address: `0x${'ab'.repeat(20)}`, deploymentTransactionHash: randomHash() }
    const answer = await treasury.service.call('POST', `${house.path}/vault`, { token, body })
    expect(outcome(answer)).toBe('403 role_required')
  })
})

describe('a vault that is not mined yet', () => {
  test('is pending and unusable until the worker verifies it', async () => {
    const other = await openHouse(treasury)
    const { claim, broadcast } = await holdDeployment(other)
    const { status, body } = await registerVault(treasury, other, claim)
    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'pending', isDefault: false })
    expect((await overviewOf(treasury, other)).vault).toBeNull()
    expect(outcome(await act('default', body.id, other))).toBe('409 vault_unverified')
    expect(outcome(await registerVault(treasury, other, claim))).toBe('409 duplicate')
    await broadcast()
    await expect
      .poll(async () => (await vaultsOf(treasury, other))[0], { timeout: 20_000 })
      .toMatchObject({ id: body.id, status: 'verified', isDefault: true })
  }, 30_000)

  test('with a wrong transaction is replaced by the right one', async () => {
    const other = await openHouse(treasury)
    const { claim, broadcast } = await holdDeployment(other)
    const wrong = { ...claim, deploymentTransactionHash: randomHash() }
    const { body: pending } = await registerVault(treasury, other, wrong)
    expect(pending.status).toBe('pending')
    await broadcast()
    await deployedAt(treasury, claim.deploymentTransactionHash)
    const { status, body } = await registerVault(treasury, other, claim)
    expect([status, body.status, body.isDefault]).toEqual([201, 'verified', true])
    expect(await vaultsOf(treasury, other)).toMatchObject([
      { id: body.id, status: 'verified', ...claim },
      { id: pending.id, status: 'disabled' },
    ])
  })

  test('with a wrong transaction is replaced by a confirmed deployment', async () => {
    const other = await openHouse(treasury)
    const { id, transaction } = await prepareDeployment(treasury, other)
    const transactionHash = await other.ownerWallet.send(transaction)
    const address = await deployedAt(treasury, transactionHash)
    const wrong = { address, deploymentTransactionHash: randomHash() }
    expect((await registerVault(treasury, other, wrong)).body.status).toBe('pending')
    const { body } = await confirmDeployment(treasury, other, { id, transactionHash })
    expect(body.vault).toMatchObject({ address, status: 'verified', isDefault: true })
  })

  test('registered by somebody else does not block the true owner', async () => {
    const [owner, squatter] = [await openHouse(treasury), await openHouse(treasury)]
    const { transaction, id } = await prepareDeployment(treasury, owner)
    const held = await hold(treasury.chain, owner.ownerWallet, transaction)
    const { address: from } = owner.ownerWallet
    const address = getContractAddress({ from, nonce: 0n })
    const claim = { address, deploymentTransactionHash: held.hash }
    expect((await registerVault(treasury, squatter, claim)).body.status).toBe('pending')
    await held.broadcast()
    const confirmed = await confirmDeployment(treasury, owner, { id, transactionHash: held.hash })
    expect(confirmed.body).toMatchObject({ state: 'confirmed', vault: { address } })

    const [pending] = await vaultsOf(treasury, squatter)
    const job = { organizationId: squatter.id, vaultId: pending.id }
    await verifyVault(treasury.service.ctx, job)
    expect(await vaultsOf(treasury, squatter)).toMatchObject([
      { status: 'disabled', isDefault: false },
    ])
    expect((await overviewOf(treasury, squatter)).vault).toBeNull()
    const approve = { address: treasury.chain.tokenAddress, abi: tokenAbi }
    const sent = { ...approve, functionName: 'transfer', args: [address, 77n] }
    await treasury.chain.mined(await owner.ownerWallet.call(sent))
    await expect.poll(async () => (await overviewOf(treasury, owner)).balanceBaseUnits).toBe('77')
  })

  test('is disabled after a day and may be registered again', async () => {
    const other = await openHouse(treasury)
    const { claim, broadcast } = await holdDeployment(other)
    const { body } = await registerVault(treasury, other, claim)
    const { database, ctx } = treasury.service
    const ageBy = (interval: string) =>
      database.asOwner('update vaults set created_at = created_at - $1::interval where id = $2', [
        interval,
        body.id,
      ])
    const job = { organizationId: other.id, vaultId: body.id }
    await ageBy('23 hours')
    await verifyVault(ctx, job)
    expect(await vaultsOf(treasury, other)).toMatchObject([{ status: 'pending' }])
    await ageBy('1 hour')
    await verifyVault(ctx, job)
    expect(await vaultsOf(treasury, other)).toMatchObject([{ status: 'disabled' }])
    await broadcast()
    await treasury.chain.mined(claim.deploymentTransactionHash as `0x${string}`)
    const again = await registerVault(treasury, other, claim)
    expect(again.body).toMatchObject({ status: 'verified', isDefault: true })
  })
})

describe('tokens sent before the vault existed', () => {
  test('are counted', async () => {
    const other = await openHouse(treasury)
    const { address: from } = other.ownerWallet
    const address = getContractAddress({ from, nonce: 1n })
    const sent = { address: treasury.chain.tokenAddress, abi: tokenAbi, functionName: 'transfer' }
    const early = await other.ownerWallet.call({ ...sent, args: [address, 4_242n] })
    await treasury.chain.mined(early)
    expect((await deployVault(treasury, other)).address).toBe(address)
    await expect.poll(async () => (await overviewOf(treasury, other)).balanceBaseUnits).toBe('4242')
  })
})

describe('GET vaults', () => {
  test('lists vaults newest first, in pages, including archived ones', async () => {
    const other = await openHouse(treasury)
    for (const label of ['One', 'Two', 'Three']) await deployVault(treasury, other, label)
    const [, two] = await vaultsOf(treasury, other)
    expect((await act('archive', two.id, other)).status).toBe(200)
    const page = async (query: string) =>
      (
        await treasury.service.call('GET', `${other.path}/vaults?${query}`, {
          token: other.owner.token,
        })
      ).body
    const first = await page('limit=2')
    expect(first.vaults.map(({ label }: { label: string }) => label)).toEqual(['Three', 'Two'])
    expect(first.vaults[1].archivedAt).toEqual(expect.any(String))
    const rest = await page(`limit=2&cursor=${first.nextCursor}`)
    expect(rest.vaults.map(({ label }: { label: string }) => label)).toEqual(['One'])
    expect(rest.nextCursor).toBeNull()
  })
})

describe('POST vaults/{vaultId}/default and archive', () => {
  test('moves the default, of which there is always one', async () => {
    const other = await openHouse(treasury)
    const one = await deployVault(treasury, other)
    const two = await deployVault(treasury, other, 'Two')
    const moved = await act('default', two.id, other)
    expect([moved.status, moved.body.isDefault]).toEqual([200, true])
    expect(await vaultsOf(treasury, other)).toMatchObject([
      { id: two.id, isDefault: true },
      { id: one.id, isDefault: false },
    ])
    expect((await overviewOf(treasury, other)).vault.id).toBe(two.id)
    expect(outcome(await act('default', two.id, other))).toBe('409 state_conflict')
  })

  test('archives any vault but the default, once, and it is then unusable', async () => {
    const other = await openHouse(treasury)
    const one = await deployVault(treasury, other)
    const two = await deployVault(treasury, other, 'Two')
    expect(outcome(await act('archive', one.id, other))).toBe('409 state_conflict')
    const archived = await act('archive', two.id, other)
    expect(archived.body).toMatchObject({ status: 'verified', archivedAt: expect.any(String) })
    expect(outcome(await act('archive', two.id, other))).toBe('409 vault_archived')
    expect(outcome(await act('default', two.id, other))).toBe('409 vault_archived')
  })

  test('is 404 for an unknown vault or one of another organization', async () => {
    const theirs = await deployVault(treasury, await openHouse(treasury))
    for (const id of [theirs.id, '00000000-0000-7000-8000-000000000000']) {
      expect(outcome(await act('default', id))).toBe('404 not_found')
      expect(outcome(await act('archive', id))).toBe('404 not_found')
    }
  })

  test('leaves exactly one default after concurrent requests', async () => {
    const other = await openHouse(treasury)
    const vaults = [await deployVault(treasury, other), await deployVault(treasury, other, 'Two')]
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => act('default', vaults[n % 2]?.id ?? '', other)),
    )
    const listed: { isDefault: boolean }[] = await vaultsOf(treasury, other)
    expect(listed.filter(({ isDefault }) => isDefault)).toHaveLength(1)
  })
})
