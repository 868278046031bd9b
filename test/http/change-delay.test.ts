/** Vaults whose new policies and recipients wait before they take effect. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { getContractAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hold } from '#test/support/chain.ts'
import { addRecipient, outcome } from '#test/support/steps.ts'
import {
  configurePolicy,
  confirmDeployment,
  deployedAt,
  type House,
  key,
  openHouse,
  preparePolicy,
  provisionExecutor,
  registerVault,
  startTreasury,
  type Treasury,
  vaultsOf,
} from '#test/support/treasury.ts'

const HOUR = 3_600

let treasury: Treasury
let house: House

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openHouse(treasury)
})
afterAll(() => treasury.stop())

const prepare = (body: Record<string, unknown>, headers = key()) =>
  treasury.service.call('POST', `${house.path}/vault-deployments/prepare`, {
    token: house.owner.token,
    body: { label: 'Main', ...body },
    headers,
  })

/** Prepared, sent and confirmed. */
async function deploy(changeDelaySeconds: number) {
  const { body } = await prepare({ changeDelaySeconds })
  const transactionHash = await house.ownerWallet.send(body.transaction)
  return vi.waitFor(async () => {
    const confirmed = await confirmDeployment(treasury, house, { id: body.id, transactionHash })
    expect(confirmed.body.state).toBe('confirmed')
    return confirmed.body
  }, 20_000)
}

const detail = async (vaultId: string) =>
  (
    await treasury.service.call('GET', `${house.path}/vaults/${vaultId}`, {
      token: house.owner.token,
    })
  ).body

describe('a deployment', () => {
  test('has no delay unless one is asked for', async () => {
    expect((await prepare({})).body.changeDelaySeconds).toBe(0)
    const [none, some] = [await prepare({}), await prepare({ changeDelaySeconds: HOUR })]
    expect(some.body.changeDelaySeconds).toBe(HOUR)
    expect(some.body.constructorDataHash).not.toBe(none.body.constructorDataHash)
  })

  test.each([
    ['a negative one', -1],
    ['more than seven days', 604_801],
    ['half a second', 0.5],
    ['text', '3600'],
    ['null', null],
  ])('refuses %s with 400', async (_name, changeDelaySeconds) => {
    expect(outcome(await prepare({ changeDelaySeconds }))).toBe('400 validation_failed')
  })

  test('takes seven days', async () => {
    expect((await prepare({ changeDelaySeconds: 604_800 })).status).toBe(201)
  })

  test('is another request with another delay', async () => {
    const headers = key()
    expect((await prepare({ changeDelaySeconds: HOUR }, headers)).status).toBe(201)
    expect(outcome(await prepare({ changeDelaySeconds: 2 * HOUR }, headers))).toBe(
      '409 idempotency_key_reused',
    )
  })

  test('makes a vault whose delay never changes', async () => {
    const { changeDelaySeconds, vault } = await deploy(HOUR)
    expect([changeDelaySeconds, vault.changeDelaySeconds]).toEqual([HOUR, HOUR])
    const functionName = 'changeDelaySeconds' as const
    const read = { address: vault.address, abi: vaultAbi, functionName }
    expect(await treasury.chain.client.readContract(read)).toBe(HOUR)
    expect((await detail(vault.id)).changeDelaySeconds).toBe(HOUR)
  })
})

describe('the registration of a vault', () => {
  test('reads its delay from the chain', async () => {
    const { body } = await prepare({ changeDelaySeconds: 2 * HOUR })
    const deploymentTransactionHash = await house.ownerWallet.send(body.transaction)
    const address = await deployedAt(treasury, deploymentTransactionHash)
    const registered = await registerVault(treasury, house, { address, deploymentTransactionHash })
    expect(registered.body).toMatchObject({ status: 'verified', changeDelaySeconds: 2 * HOUR })
  })

  test('learns it later if the deployment is not final yet', async () => {
    const { client } = treasury.chain
    const { body } = await prepare({ changeDelaySeconds: 3 * HOUR })
    const { address: from } = house.ownerWallet
    const nonce = BigInt(await client.getTransactionCount({ address: from }))
    const held = await hold(treasury.chain, house.ownerWallet, body.transaction)
    const address = getContractAddress({ from, nonce })
    const claim = { address, deploymentTransactionHash: held.hash }
    const pending = await registerVault(treasury, house, claim)
    expect(pending.body).toMatchObject({ status: 'pending', changeDelaySeconds: 0 })
    await held.broadcast()
    await vi.waitFor(async () => {
      const vaults: { id: string }[] = await vaultsOf(treasury, house)
      expect(vaults.find(({ id }) => id === pending.body.id)).toMatchObject({
        status: 'verified',
        changeDelaySeconds: 3 * HOUR,
      })
    }, 30_000)
  }, 40_000)
})

describe('recipients of a vault with a delay', () => {
  test('can be paid at once if its first policy lists them, and later ones wait', async () => {
    const { vault } = await deploy(HOUR)
    const vaultId = vault.id
    await provisionExecutor(treasury, house)
    const first = await addRecipient(treasury.service, house)
    await configurePolicy(treasury, house, { vaultId })
    expect(await detail(vaultId)).toMatchObject({
      policy: { recipientAddresses: [first.body.address] },
      pendingRecipients: [],
    })
    const second = await addRecipient(treasury.service, house)
    const intent = await configurePolicy(treasury, house, { vaultId })
    expect(intent).toMatchObject({ kind: 'recipients', policyVersion: 1 })
    const { policy, pendingRecipients, differences } = await detail(vaultId)
    expect(policy.recipientAddresses).toHaveLength(2)
    expect(differences.missingRecipients).toEqual([])
    expect(pendingRecipients).toEqual([
      { address: second.body.address, allowedFrom: expect.any(String) },
    ])
    const read = { address: vault.address, abi: vaultAbi, functionName: 'recipientOf' } as const
    const args = [second.body.address] as const
    const { allowedFrom } = await treasury.chain.client.readContract({ ...read, args })
    expect(Date.parse(pendingRecipients[0].allowedFrom) / 1000).toBe(Number(allowedFrom))
    expect(Number(allowedFrom) - Date.now() / 1000).toBeGreaterThan(HOUR - 60)
  })

  test('are refused while they have a role in the policy in force', async () => {
    const other = await openHouse(treasury)
    house = other
    const { vault } = await deploy(HOUR)
    const vaultId = vault.id
    await provisionExecutor(treasury, house)
    await configurePolicy(treasury, house, { vaultId })
    const { service } = treasury
    const { path, owner, approverWallet } = house
    const { body } = await service.call('GET', `${path}/members`, { token: owner.token })
    const [member] = body.members
    const roles: { id: string; role: string }[] = member.walletRoles
    const role = roles.find((given) => given.role === 'approver')
    await service.call('POST', `${path}/wallet-roles/${role?.id}/revoke`, { token: owner.token })
    const wallet = member.wallets.find(
      ({ address }: { address: string }) => address === house.ownerWallet.address,
    )
    await service.call('POST', `${path}/wallet-roles`, {
      token: owner.token,
      body: { membershipId: member.membershipId, walletId: wallet.id, role: 'approver' },
    })
    await addRecipient(service, house, { address: approverWallet.address })
    const refused = await preparePolicy(treasury, house, { vaultId })
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toMatch(
      `${approverWallet.address} still is the executor or an approver of the policy in force.`,
    )
  })
})
