/**
 * A vault whose owner is a contract, such as a multisig: the vault's log decides, not the sender.
 */
import { type Address, concatHex, getContractAddress, type Hex, keccak256, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodePolicy } from '#adapters/chain/vault-codec.ts'
import { vaultCodeAt } from '#adapters/chain/vault-identity.ts'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { createOrganization } from '#test/support/app.ts'
import type { TestWallet } from '#test/support/chain.ts'
import {
  creationOf,
  doctored,
  type Filled,
  immutablePlaces,
  LOCK,
} from '#test/support/hand-made-vault.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { outcome } from '#test/support/steps.ts'
import {
  confirmDeployment,
  deployedAt,
  type House,
  overviewOf,
  prepareDeployment,
  preparePolicy,
  provisionExecutor,
  registerVault,
  type Treasury,
  type VaultRecord,
  vaultsOf,
} from '#test/support/treasury.ts'

/**
 * A contract wallet in 55 bytes. The first word of a call is the target and the rest is the data; a
 * zero target creates a contract from the data. Anybody may call it.
 */
const WALLET_CODE = concatHex([
  '0x603780600b6000396000f3',
  '0x60203603806020600037600035801560285760006000836000600085',
  '0x5af160265760006000fd5b005b5060006000f060265760006000fd',
])
const GAS = '0x7a1200'

let treasury: Treasury
let house: House
/** An account with gas that calls the wallet. */
let sender: TestWallet
let wallet: Address
let organizationHash: Hex

const through = (target: Address | null, data: Hex): Promise<Hex> =>
  sender.send({
    to: wallet,
    data: concatHex([target ? pad(target, { size: 32 }) : pad('0x0', { size: 32 }), data]),
    gas: GAS,
  })

beforeAll(async () => {
  treasury = await oneTreasury()
  const { service, chain } = treasury
  sender = await chain.wallet()
  wallet = await deployedAt(treasury, await sender.send({ to: null, data: WALLET_CODE, gas: GAS }))
  const approverWallet = await chain.wallet({ wei: 0n })
  const owner = await service.signIn(undefined, [
    { address: wallet, kind: 'external' },
    { address: approverWallet.address, kind: 'external' },
  ])
  const organization = await createOrganization(service, owner)
  const { body: me } = await service.call('GET', '/v1/consumer/me', { token: owner.token })
  for (const { id, address } of me.wallets) {
    const role = address === wallet ? 'treasury_owner' : 'approver'
    const body = { membershipId: organization.ownerMembershipId, walletId: id, role }
    const url = `${organization.path}/wallet-roles`
    const given = await service.call('POST', url, { token: owner.token, body })
    expect(given.status).toBe(201)
  }
  house = { ...organization, ownerWallet: sender, approverWallet }
  organizationHash = (await prepareDeployment(treasury, house)).organizationHash
})

describe('a vault owned by a contract', () => {
  let vault: VaultRecord

  test('is deployed through the wallet and verified by its log', async () => {
    const { id, transaction } = await prepareDeployment(treasury, house)
    expect(transaction.from).toBe(wallet)
    const transactionHash = await through(null, transaction.data)
    const { body } = await confirmDeployment(treasury, house, { id, transactionHash })
    expect(body).toMatchObject({ state: 'confirmed', vault: { ownerAddress: wallet } })
    vault = body.vault
  })

  test('gets its policy through the wallet, and the log matches what was prepared', async () => {
    await provisionExecutor(treasury, house)
    const { body: intent } = await preparePolicy(treasury, house, { vaultId: vault.id })
    const transactionHash = await through(vault.address, intent.transaction.data)
    expect(await treasury.chain.mined(transactionHash)).toBe('success')
    const confirmed = await treasury.service.call(
      'POST',
      `${house.path}/vaults/${vault.id}/policy-intents/${intent.id}/confirm`,
      { token: house.owner.token, body: { transactionHash } },
    )
    expect(confirmed.body).toMatchObject({ state: 'confirmed', policyVersion: 1 })
    expect((await overviewOf(treasury, house)).policy).toMatchObject({ version: 1 })
  })

  test('rejects a call that configures a different policy', async () => {
    const prepare = (lifetimeCap: string) =>
      preparePolicy(treasury, house, { vaultId: vault.id, terms: { lifetimeCap } })
    const [wanted, other] = [await prepare('6000000'), await prepare('7000000')]
    const transactionHash = await through(vault.address, other.body.transaction.data)
    const confirmed = await treasury.service.call(
      'POST',
      `${house.path}/vaults/${vault.id}/policy-intents/${wanted.body.id}/confirm`,
      { token: house.owner.token, body: { transactionHash } },
    )
    expect(confirmed.body).toMatchObject({
      state: 'rejected',
      failureCode: 'transaction_mismatch',
    })
  })

  test('rejects a transaction that deploys no vault of ours', async () => {
    const { id } = await prepareDeployment(treasury, house)
    const before = await vaultsOf(treasury, house)
    const transactionHash = await through(null, '0x00')
    const { body } = await confirmDeployment(treasury, house, { id, transactionHash })
    expect(body).toMatchObject({ state: 'rejected', failureCode: 'transaction_mismatch' })
    expect(await vaultsOf(treasury, house)).toEqual(before)
  })

  test('can be registered manually, whoever deployed it', async () => {
    const { transaction } = await prepareDeployment(treasury, house)
    const hash = await sender.send(transaction)
    const address = await deployedAt(treasury, hash)
    const claim = { address, deploymentTransactionHash: hash }
    expect((await registerVault(treasury, house, claim)).body).toMatchObject({
      status: 'verified',
      ownerAddress: wallet,
    })
  })
})

/** The artifact's code for this house, at the address of the sender's next contract. */
async function nextVaultCode(changeDelaySeconds = 0): Promise<{ address: Address; code: Hex }> {
  const { client, tokenAddress } = treasury.chain
  const nonce = await client.getTransactionCount({ address: sender.address })
  const address = getContractAddress({ from: sender.address, nonce: BigInt(nonce) })
  const constructed = { owner: wallet, token: tokenAddress, organizationHash }
  const made = { ...constructed, changeDelaySeconds }
  return { address, code: vaultCodeAt({ chainId: 31_337, address }, made) }
}

/** Tries this creation code as a deployment of ours and as a manual registration. */
async function outcomes(data: Hex): Promise<string[]> {
  const { id } = await prepareDeployment(treasury, house)
  const hash = await sender.send({ to: null, data, gas: GAS })
  const claim = { address: await deployedAt(treasury, hash), deploymentTransactionHash: hash }
  const registered = await registerVault(treasury, house, claim)
  const confirmed = await confirmDeployment(treasury, house, { id, transactionHash: hash })
  return [outcome(registered), confirmed.body.state, confirmed.body.failureCode]
}

/** The storage slot of a key in the mapping at a slot. */
const entry = (slot: Hex, key: Hex): Hex =>
  keccak256(concatHex([pad(key, { size: 32 }), pad(slot, { size: 32 })]))
const THIEF = '0xbad'

describe('a hand-made vault of a contract owner', () => {
  const refused = ['409 vault_unverified', 'rejected', 'transaction_mismatch']

  test('is accepted when it equals ours in every byte and storage word', async () => {
    const { code } = await nextVaultCode()
    expect(await outcomes(creationOf(code))).toEqual(['201', 'confirmed', null])
  })

  test('with another delay is not the one that was prepared, but can be registered', async () => {
    const { code } = await nextVaultCode(60)
    expect(await outcomes(creationOf(code))).toEqual(['201', 'rejected', 'transaction_mismatch'])
    const [newest] = await vaultsOf(treasury, house)
    expect(newest.changeDelaySeconds).toBe(60)
  })

  test.each(immutablePlaces)('with another $name at place $index is refused', async (place) => {
    const before = await vaultsOf(treasury, house)
    const { code } = await nextVaultCode()
    expect(await outcomes(creationOf(doctored(code, place)))).toEqual(refused)
    expect(await vaultsOf(treasury, house)).toEqual(before)
  })

  test.each<[string, Filled]>([
    ['a policy that no log records', [['0x5', 1n]]],
    ['an executor before the first policy', [['0x0', 0xbadn]]],
    ['caps before the first policy', [['0x1', 5n]]],
    ['a lifetime cap before the first policy', [['0x2', 5n]]],
    ['period caps before the first policy', [['0x3', 5n]]],
    ['a period before the first policy', [['0x4', 3_600n]]],
    ['a non-zero spent amount', [['0x5', 1n << 64n]]],
    ['a non-zero amount spent in a period', [['0x6', 5n]]],
    ['a tier before the first policy', [['0x7', 5n]]],
    ['a pause that no log records', [['0xc', 1n]]],
    ['a proposal that no log records', [['0xd', 5n]]],
    ['a list of recipients that no log records', [['0x10', 1n]]],
    ['its reentrancy lock closed for ever', [[LOCK, 2n]]],
    ['an approver of the future first policy', [[entry(entry('0xb', '0x1'), THIEF), 1n]]],
    ['a recipient that no log records', [[entry('0x11', THIEF), 1n]]],
  ])('created with %s is refused', async (_name, storage) => {
    const { code } = await nextVaultCode()
    expect(await outcomes(creationOf(code, [[LOCK, 1n], ...storage]))).toEqual(refused)
  })
})

describe('a contract-owned vault that already has a policy', () => {
  const configure = async (vaultAddress: Address) => {
    const address = house.approverWallet.address
    const { data } = encodePolicy({
      chainId: 31_337,
      vaultAddress,
      ownerAddress: wallet,
      expectedVersion: 0,
      policy: {
        executorAddress: sender.address,
        expiresAtSeconds: 4_000_000_000,
        automaticEnabled: false,
        paused: false,
        approvedCap: 1n,
        automaticCap: 1n,
        lifetimeCap: 1n,
        reserveFloor: 0n,
        ...withoutPeriod,
        approverAddresses: [address],
      },
      recipients: null,
    })
    expect(await treasury.chain.mined(await through(vaultAddress, data as Hex))).toBe('success')
  }

  test('is adopted when it was created from exactly our creation code', async () => {
    const { transaction } = await prepareDeployment(treasury, house)
    const deploymentTransactionHash = await sender.send(transaction)
    const address = await deployedAt(treasury, deploymentTransactionHash)
    await configure(address)
    const claim = { address, deploymentTransactionHash }
    expect(outcome(await registerVault(treasury, house, claim))).toBe('201')
  })

  test('is refused when its creation cannot be shown', async () => {
    const { code } = await nextVaultCode()
    const hash = await sender.send({ to: null, data: creationOf(code), gas: GAS })
    const address = await deployedAt(treasury, hash)
    await configure(address)
    const claim = { address, deploymentTransactionHash: hash }
    expect(outcome(await registerVault(treasury, house, claim))).toBe('409 vault_unverified')
  })
})
