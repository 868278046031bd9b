import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { keccak256, pad, toHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '#access/permissions.ts'
import { encodePolicy } from '#adapters/chain/vault-codec.ts'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { joinOrganization, type Person } from '#test/support/app.ts'
import type { TestWallet } from '#test/support/chain.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { outcome, randomAddress } from '#test/support/steps.ts'
import {
  deployVault,
  deposit,
  type House,
  openHouse,
  overviewOf,
  preparePolicy,
  provisionExecutor,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'
import { readMemberFunds } from '#treasury/overview.ts'

let treasury: Treasury
let house: House
let vault: VaultRecord
/** The test's own executor key, so that it can pay; the service holds another one. */
let executor: TestWallet
let employee: Person
const first = randomAddress()
const second = randomAddress()
const stranger = randomAddress()

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  executor = await treasury.chain.wallet()
  const person = await treasury.service.signIn(undefined, [
    { address: first, kind: 'external' },
    { address: second, kind: 'embedded' },
    {
      address: 'So11111111111111111111111111111111111111112',
      kind: 'external',
      chainType: 'solana',
    },
  ])
  employee = await joinOrganization(treasury.service, house, { role: 'employee', person })
  await deposit(treasury, house, { vault: vault.address, amount: 1_000_000n })
  const transaction = encodePolicy({
    chainId: 31_337,
    vaultAddress: vault.address,
    ownerAddress: house.ownerWallet.address,
    expectedVersion: 0,
    policy: {
      executorAddress: executor.address,
      expiresAtSeconds: 4_070_908_800,
      automaticEnabled: true,
      paused: false,
      approvedCap: 500_000n,
      automaticCap: 500_000n,
      lifetimeCap: 900_000n,
      reserveFloor: 0n,
      ...withoutPeriod,
      approverAddresses: [house.approverWallet.address],
    },
    recipients: { expectedRecipientsVersion: 0, add: [first, second, stranger], remove: [] },
  })
  expect(await treasury.chain.mined(await house.ownerWallet.send(transaction))).toBe('success')
})

let payments = 0

/** Pays from the vault through the executor of its policy. */
async function pay(recipient: string, amount: bigint): Promise<void> {
  payments += 1
  const args = [
    pad(toHex(payments), { size: 32 }),
    recipient,
    amount,
    1n,
    keccak256('0x01'),
    keccak256('0x02'),
    4_070_908_799n,
  ]
  const call = { address: vault.address, abi: vaultAbi, functionName: 'executeAutomatic', args }
  expect(await treasury.chain.mined(await executor.call(call))).toBe('success')
}

const fundsOf = async ({ token }: Person) =>
  (await treasury.service.call('GET', `${house.path}/member-funds`, { token })).body

describe('GET member-funds', () => {
  test('is zero before the first payment', async () => {
    const funds = await fundsOf(employee)
    expect(funds).toMatchObject({
      asset: 'USDC',
      chainId: 31_337,
      tokenAddress: treasury.chain.tokenAddress,
      receivedBaseUnits: '0',
      confirmedPaymentCount: 0,
      latestConfirmedAt: null,
      source: 'confirmed_payment_receipts',
    })
    const known = funds.walletAddresses.map((address: string) => address.toLowerCase())
    expect(known.sort()).toEqual([first, second].sort())
  })

  test("sums what was paid to the caller's own wallets only", async () => {
    await pay(first, 100n)
    await pay(second, 20n)
    await pay(first, 3n)
    await pay(stranger, 4_000n)
    await expect
      .poll(async () => (await fundsOf(employee)).confirmedPaymentCount, { timeout: 20_000 })
      .toBe(3)
    const { receivedBaseUnits, latestConfirmedAt } = await fundsOf(employee)
    expect(receivedBaseUnits).toBe('123')
    expect(Math.abs(Date.parse(latestConfirmedAt) - Date.now())).toBeLessThan(120_000)
    expect(await fundsOf(house.owner)).toMatchObject({
      receivedBaseUnits: '0',
      confirmedPaymentCount: 0,
    })
  })

  test('counts a payment once it has enough confirmations', async () => {
    const { ctx } = treasury.service
    const position = async () => (await overviewOf(treasury, house)).asOfBlock
    const count = async (confirmations: number) => {
      const chain = { ...ctx.chain, confirmations }
      const member = { organizationId: house.id, accountId: employee.accountId } as Member
      return (await readMemberFunds({ ...ctx, chain }, { member })).confirmedPaymentCount
    }
    const head = Number(await treasury.chain.client.getBlockNumber({ cacheTime: 0 }))
    // The other member's payment is in the newest block, the caller's third in the one before.
    await expect.poll(position, { timeout: 20_000 }).toBe(head)
    expect([await count(1), await count(2), await count(3)]).toEqual([3, 3, 2])
    const before = await position()
    await treasury.chain.request('evm_mine')
    await expect.poll(position, { timeout: 20_000 }).toBeGreaterThan(before)
    expect(await count(3)).toBe(3)
  })

  test('matches the spent amount in the overview exactly', async () => {
    await expect
      .poll(async () => (await overviewOf(treasury, house)).policy?.spentTotal)
      .toBe('4123')
    expect(await overviewOf(treasury, house)).toMatchObject({
      balanceBaseUnits: String(1_000_000 - 4_123),
      remainingAllowanceBaseUnits: String(900_000 - 4_123),
    })
  })

  test('makes a lifetime cap below the spent amount a policy_violation', async () => {
    await provisionExecutor(treasury, house)
    const terms = { lifetimeCap: '4122', approvedCap: '100', automaticCap: '10' }
    const refused = await preparePolicy(treasury, house, { vaultId: vault.id, terms })
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toContain('4123')
    const exact = { ...terms, lifetimeCap: '4123' }
    expect((await preparePolicy(treasury, house, { vaultId: vault.id, terms: exact })).status).toBe(
      201,
    )
  })

  test('ignores payments of other organizations to the same wallets', async () => {
    const other = await openHouse(treasury)
    const elsewhere = await joinOrganization(treasury.service, other, {
      role: 'employee',
      person: employee,
    })
    const { body } = await treasury.service.call('GET', `${other.path}/member-funds`, {
      token: elsewhere.token,
    })
    expect(body).toMatchObject({ receivedBaseUnits: '0', confirmedPaymentCount: 0 })
  })

  test('is 403 for non-members and 401 without a token', async () => {
    const { service } = treasury
    const url = `${house.path}/member-funds`
    const { token } = await service.signIn()
    expect(outcome(await service.call('GET', url, { token }))).toBe('403 forbidden')
    expect(outcome(await service.call('GET', url))).toBe('401 unauthenticated')
  })
})
