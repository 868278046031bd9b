/**
 * README, "Who can take what": an attacker on a worker server, and attackers with keys only: the
 * executor's, an approver's, both, or the owner's. They act directly on the chain.
 */
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { open } from '#adapters/local/keystore.ts'
import { executorKeyName } from '#adapters/local/local-executor.ts'
import { walletKeyName } from '#adapters/local/local-wallets.ts'
import { deriveSecrets } from '#platform/secrets.ts'
import { cleanUp } from '#test/processes/processes.ts'
import { makeServerWallet, type ServerWallet } from '#test/support/exports.ts'
import { type PayingHouse, tokenBalance } from '#test/support/payments.ts'
import { enterScope } from './forging.ts'
import { configureDirectly } from './own-vault.ts'
import { connect, SECRETS, type StageHere, startStageHere, USDC } from './stage.ts'
import { accountOf, callVault, payApproved, payAutomatic } from './vault-calls.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const DEPOSITED = 100n * USDC
const AUTOMATIC = 2n * USDC
const APPROVED = 3n * USDC
const LIFETIME = 12n * USDC
/** Two automatic payments fit above it, a third does not. */
const FLOOR = 95n * USDC

let stage: StageHere
let house: PayingHouse
let wallet: ServerWallet
let executor: PrivateKeyAccount
let approver: PrivateKeyAccount
let stranger: PrivateKeyAccount

beforeAll(async () => {
  stage = await startStageHere({
    policy: {
      automaticCap: String(AUTOMATIC),
      approvedCap: String(APPROVED),
      lifetimeCap: String(LIFETIME),
      reserveFloor: String(FLOOR),
    },
  })
  house = stage.house
  approver = house.approverWallet.account
  stranger = (await stage.chain.wallet()).account
  await stage.chain.request('hardhat_setBalance', approver.address, '0xde0b6b3a7640000')
  const holder = { realm: 'consumer', ...house.owner } as const
  wallet = await makeServerWallet(stage.service, holder, { organizationId: house.id })
})
afterAll(cleanUp)

/** The current version is the number of policies signed. */
let version = 1n
const changePolicy = async (terms: Record<string, unknown>) => {
  const caps = { cap: APPROVED, automaticCap: AUTOMATIC, lifetimeCap: LIFETIME, ...terms }
  const { address } = house.vault
  await configureDirectly(stage, house.ownerWallet, { address, version, ...caps })
  version += 1n
}

describe('a worker server', () => {
  test("decrypts the executor's key and the keys of server wallets", async () => {
    const { keystoreKey = new Uint8Array(32) } = deriveSecrets({
      serverSecret: SECRETS.SERVER_SECRET,
      keystore: { secret: SECRETS.KEYSTORE_SECRET, previousSecret: undefined },
    })
    const client = await connect(stage.logins.worker, 'countersign_worker')
    await enterScope(client, { organizationId: house.id, accountId: house.owner.accountId })
    const binding = await client.query('select provider_reference as box from executor_bindings')
    const name = executorKeyName({ organizationId: house.id, address: house.executor })
    executor = accountOf(open(keystoreKey, { name, box: binding.rows[0].box }))
    expect(executor.address).toBe(house.executor)
    const held = await client.query('select provider_reference as box from wallets where id = $1', [
      wallet.id,
    ])
    const own = { walletId: wallet.id, address: wallet.address.toLowerCase() }
    const sealed = { name: walletKeyName(own), box: held.rows[0].box }
    expect(accountOf(open(keystoreKey, sealed)).address).toBe(wallet.address)
  })

  test("has no approver's key: the vault refuses what it signs in an approver's name", async () => {
    const forged = { sender: executor, signer: executor }
    expect(await payApproved(house, forged, { amount: 1n })).toBe('InvalidSignature')
  })

  test('cannot change the schema, an account, an operator or an audit event', async () => {
    const client = await connect(stage.logins.worker, 'countersign_worker')
    await enterScope(client, { organizationId: house.id, accountId: house.owner.accountId })
    for (const change of [
      'create table countersign.mine (id int)',
      `update accounts set subject = 'thief'`,
      `insert into operators (account_id, status, granted_at)
         select id, 'active', now() from accounts limit 1`,
      'delete from audit_events',
    ]) {
      await expect(client.query(change), change).rejects.toMatchObject({ code: '42501' })
    }
  })
})

describe("the executor's key", () => {
  test('pays only recipients that the policy lists, each up to the automatic cap', async () => {
    const other = { recipient: stranger.address, amount: 1n }
    expect(await payAutomatic(house, executor, other)).toBe('RecipientNotAllowed')
    expect(await payAutomatic(house, executor, { amount: AUTOMATIC + 1n })).toBe('CapExceeded')
    expect(await payAutomatic(house, executor, { amount: AUTOMATIC })).toBe('success')
    expect(await callVault(house, executor, { functionName: 'withdraw', args: [1n] })).toBe(
      'NotOwner',
    )
  })

  test('pays nothing below the reserve floor', async () => {
    expect(await payAutomatic(house, executor, { amount: AUTOMATIC })).toBe('success')
    expect(await payAutomatic(house, executor, { amount: AUTOMATIC })).toBe('ReserveBreached')
  })

  test('makes payments that the service shows as unrecorded', async () => {
    await vi.waitFor(async () => {
      const { body } = await stage.service.call('GET', `${house.path}/unrecorded-payments`, {
        token: house.owner.token,
      })
      const open = body.unrecordedPayments.filter(
        ({ state }: { state: string }) => state === 'open',
      )
      expect(open).toHaveLength(2)
    }, 20_000)
  })

  test('pays at most the lifetime cap, and nothing with automatic payments off', async () => {
    await changePolicy({ lifetimeCap: 7n * USDC })
    expect(await payAutomatic(house, executor, { amount: AUTOMATIC, version })).toBe('success')
    expect(await payAutomatic(house, executor, { amount: AUTOMATIC, version })).toBe(
      'LifetimeCapExceeded',
    )
    await changePolicy({ automaticEnabled: false })
    expect(await payAutomatic(house, executor, { amount: 1n, version })).toBe('AutomaticDisabled')
  })
})

describe("one approver's key", () => {
  test('pays nothing alone, whichever account sends the signed payment', async () => {
    const terms = { amount: 1n, version }
    for (const sender of [approver, stranger]) {
      expect(await payApproved(house, { sender, signer: approver }, terms)).toBe('NotExecutor')
      expect(await payAutomatic(house, sender, terms)).toBe('NotExecutor')
    }
  })
})

describe("the executor's and an approver's key", () => {
  test('pay up to the approved cap, under the same limits to the same recipients', async () => {
    const both = { sender: executor, signer: approver }
    const pay = (terms: { amount: bigint; recipient?: `0x${string}` }) =>
      payApproved(house, both, { ...terms, version })
    expect(await pay({ amount: APPROVED + 1n })).toBe('CapExceeded')
    expect(await pay({ amount: 1n, recipient: stranger.address })).toBe('RecipientNotAllowed')
    expect(await pay({ amount: APPROVED })).toBe('success')
    expect(await pay({ amount: APPROVED })).toBe('success')
    expect(await pay({ amount: 1n })).toBe('LifetimeCapExceeded')
    expect(await tokenBalance(house, house.recipient)).toBe(LIFETIME)
  })
})

describe('emergencyPause', () => {
  test("can be called with one approver's key and stops every payment", async () => {
    await changePolicy({ lifetimeCap: 20n * USDC })
    expect(await callVault(house, stranger, { functionName: 'emergencyPause' })).toBe('NotGuardian')
    expect(await callVault(house, approver, { functionName: 'emergencyPause' })).toBe('success')
    expect(await payAutomatic(house, executor, { amount: 1n, version })).toBe('PolicyPaused')
    const both = { sender: executor, signer: approver }
    expect(await payApproved(house, both, { amount: 1n, version })).toBe('PolicyPaused')
  })
})

describe("the owner's key", () => {
  test('withdraws everything that the vault holds', async () => {
    const { account } = house.ownerWallet
    const before = await tokenBalance(house, account.address)
    const args = [DEPOSITED - LIFETIME]
    expect(await callVault(house, account, { functionName: 'withdraw', args })).toBe('success')
    expect(await tokenBalance(house, house.vault.address)).toBe(0n)
    expect(await tokenBalance(house, account.address)).toBe(before + DEPOSITED - LIFETIME)
  })
})
