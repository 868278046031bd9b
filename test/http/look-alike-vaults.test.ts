/** Contracts that imitate a vault are refused with their error code, and nothing is stored. */
import { type Address, concatHex, type Hex, pad } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeDeployment } from '#adapters/chain/vault-codec.ts'
import { doctored, immutablePlaces } from '#test/support/hand-made-vault.ts'
import { outcome } from '#test/support/steps.ts'
import {
  deployedAt,
  type House,
  openHouse,
  prepareDeployment,
  registerVault,
  startTreasury,
  type Treasury,
  vaultsOf,
} from '#test/support/treasury.ts'

let treasury: Treasury
let house: House
let organizationHash: string

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openHouse(treasury)
  organizationHash = (await prepareDeployment(treasury, house)).organizationHash
})
afterAll(() => treasury.stop())

type Constructed = { owner?: string; token?: string; hash?: string }

const GAS = '0x7a1200'

/** Deploys our own code with the given arguments from the owner's wallet. */
async function deploy({ owner, token, hash }: Constructed = {}, sender = house.ownerWallet) {
  const { transaction } = encodeDeployment({
    chainId: 31_337,
    ownerAddress: owner ?? house.ownerWallet.address,
    tokenAddress: token ?? treasury.chain.tokenAddress,
    organizationHash: hash ?? organizationHash,
    changeDelaySeconds: 0,
  })
  const deploymentTransactionHash = await sender.send(transaction)
  const address = await deployedAt(treasury, deploymentTransactionHash)
  return { address, deploymentTransactionHash }
}

type Claim = { address: string; deploymentTransactionHash: string }

async function expectRefused(claim: Claim, refusal: string): Promise<void> {
  const { database } = treasury.service
  const count = async () => {
    const [row] = await database.asOwner<{ n: number }>(
      'select count(*)::int as n from chain_watches',
    )
    return row?.n
  }
  const before = [await vaultsOf(treasury, house), await count()]
  expect(outcome(await registerVault(treasury, house, claim))).toBe(refusal)
  expect([await vaultsOf(treasury, house), await count()]).toEqual(before)
}

const codeAt = async (address: Address): Promise<Hex> => {
  const code = await treasury.chain.client.getCode({ address })
  expect(code).toBeTruthy()
  return code as Hex
}

describe('POST vault refuses', () => {
  test('a vault of another owner', async () => {
    const { address: owner } = await treasury.chain.wallet({ wei: 0n })
    await expectRefused(await deploy({ owner }), '409 vault_unverified')
  })

  test('a vault of the approver, who is no treasury owner', async () => {
    const owner = house.approverWallet.address
    await expectRefused(await deploy({ owner }), '409 vault_unverified')
  })

  test('a vault of another token', async () => {
    const token = house.approverWallet.address
    await expectRefused(await deploy({ token }), '409 vault_unverified')
  })

  test('the vault of another organization', async () => {
    const other = await openHouse(treasury)
    const { organizationHash: hash } = await prepareDeployment(treasury, other)
    await expectRefused(await deploy({ hash }), '409 vault_unverified')
    const theirs = await deploy({ hash, owner: other.ownerWallet.address }, other.ownerWallet)
    await expectRefused(theirs, '409 vault_unverified')
    expect((await registerVault(treasury, other, theirs)).status).toBe(201)
  })

  test.each([
    ['the first byte', () => 2],
    ['a byte in the middle', (length: number) => 2 * Math.floor(length / 4)],
    ['the last byte', (length: number) => length - 2],
  ])('a vault with %s of its code changed', async (_name, at) => {
    const claim = await deploy()
    const code = await codeAt(claim.address)
    const position = at(code.length)
    const byte = Number.parseInt(code.slice(position, position + 2), 16) ^ 1
    const other = byte.toString(16).padStart(2, '0')
    const changed = code.slice(0, position) + other + code.slice(position + 2)
    await treasury.chain.request('hardhat_setCode', claim.address, changed)
    await expectRefused(claim, '409 vault_unverified')
    await treasury.chain.request('hardhat_setCode', claim.address, code)
    expect((await registerVault(treasury, house, claim)).status).toBe(201)
  })

  test.each(immutablePlaces)(
    'a vault whose $name differs only at place $index of its code',
    async (place) => {
      const claim = await deploy()
      const code = await codeAt(claim.address)
      await treasury.chain.request('hardhat_setCode', claim.address, doctored(code, place))
      await expectRefused(claim, '409 vault_unverified')
    },
  )

  test('a proxy that forwards to a genuine vault', async () => {
    const { address: target } = await deploy()
    const runtime = concatHex([
      '0x363d3d373d3d3d363d73',
      target.toLowerCase() as Hex,
      '0x5af43d82803e903d91602b57fd5bf3',
    ])
    const data = concatHex(['0x3d602d80600a3d3981f3', runtime])
    const hash = await house.ownerWallet.send({ to: null, data, gas: GAS })
    const address = await deployedAt(treasury, hash)
    expect(await codeAt(address)).toBe(runtime)
    await expectRefused({ address, deploymentTransactionHash: hash }, '409 vault_unverified')
  })

  test('an address without code, whatever transaction is given', async () => {
    const { address } = await treasury.chain.wallet({ wei: 0n })
    const paid = await house.ownerWallet.send({ to: address, data: '0x', gas: GAS }, { wei: 1n })
    await treasury.chain.mined(paid)
    await expectRefused({ address, deploymentTransactionHash: paid }, '409 transaction_mismatch')
    const { deploymentTransactionHash } = await deploy()
    await expectRefused({ address, deploymentTransactionHash }, '409 transaction_mismatch')
  })

  test('a genuine vault with the deployment transaction of another', async () => {
    const [one, other] = [await deploy(), await deploy()]
    const { deploymentTransactionHash } = other
    await expectRefused(
      { address: one.address, deploymentTransactionHash },
      '409 transaction_mismatch',
    )
  })

  test('a vault that somebody else deployed for the owner', async () => {
    const stranger = await treasury.chain.wallet()
    await expectRefused(await deploy({}, stranger), '409 transaction_mismatch')
  })

  test('a deployment that was reverted', async () => {
    const { transaction } = await prepareDeployment(treasury, house)
    const hash = await house.ownerWallet.send({ ...transaction, gas: '0xf4240' })
    expect(await treasury.chain.mined(hash)).toBe('reverted')
    const address = pad('0x1', { size: 20 })
    await expectRefused({ address, deploymentTransactionHash: hash }, '409 transaction_failed')
  })
})
