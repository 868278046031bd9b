/** The owner sets up a vault with a key that the service never sees. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodePolicy } from '#adapters/chain/vault-codec.ts'
import { tokenAbi } from '#test/support/chain.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import {
  configurePolicy,
  deployVault,
  deposit,
  type House,
  key,
  openHouse,
  overviewOf,
  preparePolicy,
  provisionExecutor,
  startTreasury,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'

const driftQuery = sql`
  select code, severity from live_events where code = 'policy_drift'`

let treasury: Treasury
let house: House
let vault: VaultRecord

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openHouse(treasury)
})
afterAll(() => treasury.stop())

describe('from an empty organization to a policy in force', () => {
  test('starts with an empty overview before the first vault', async () => {
    expect(await overviewOf(treasury, house)).toMatchObject({
      configured: false,
      vault: null,
      policy: null,
      balanceBaseUnits: null,
      remainingAllowanceBaseUnits: null,
    })
  })

  test("verifies a vault deployed from the owner's wallet and makes it the default", async () => {
    vault = await deployVault(treasury, house)
    expect(vault).toMatchObject({
      status: 'verified',
      isDefault: true,
      label: 'Main',
      ownerAddress: house.ownerWallet.address,
      tokenAddress: treasury.chain.tokenAddress,
    })
  })

  test('prepares no policy without an executor', async () => {
    const { status, body } = await preparePolicy(treasury, house, { vaultId: vault.id })
    expect([status, body.error.code]).toEqual([409, 'executor_not_ready'])
  })

  test('prepares a policy with its changes, and it is in force once signed', async () => {
    const executor = await provisionExecutor(treasury, house)
    const confirmed = await configurePolicy(treasury, house, { vaultId: vault.id })
    expect(confirmed).toMatchObject({ policyVersion: 1, executorAddress: executor })
    expect(confirmed.changes).toMatchObject({
      approvers: { added: [house.approverWallet.address], removed: [] },
      executor: { from: null, to: executor },
      lifetimeCap: { from: null, to: '5000000' },
    })
    const { policy, configured } = await overviewOf(treasury, house)
    expect(configured).toBe(true)
    expect(policy).toMatchObject({ version: 1, lifetimeCap: '5000000', spentTotal: '0' })
  })

  test('shows exactly the balance on the chain', async () => {
    const { chain } = treasury
    await deposit(treasury, house, { vault: vault.address, amount: 123_456_789n })
    const sent = { address: chain.tokenAddress, abi: tokenAbi, functionName: 'transfer' }
    await chain.mined(await house.ownerWallet.call({ ...sent, args: [vault.address, 11n] }))
    const taken = { address: vault.address, abi: vaultAbi, functionName: 'withdraw' }
    await chain.mined(await house.ownerWallet.call({ ...taken, args: [456_789n] }))
    await expect
      .poll(async () => (await overviewOf(treasury, house)).balanceBaseUnits)
      .toBe('123000011')
    const onChain = await chain.client.readContract({
      address: chain.tokenAddress,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [vault.address],
    })
    expect(onChain).toBe(123_000_011n)
  })

  test('shows an emergency pause on the chain as paused', async () => {
    const call = { address: vault.address, abi: vaultAbi, functionName: 'emergencyPause', args: [] }
    await treasury.chain.mined(await house.ownerWallet.call(call))
    await expect.poll(async () => (await overviewOf(treasury, house)).policy.paused).toBe(true)
  })

  const driftEvents = () =>
    treasury.service.ctx.db.transaction({ organizationId: house.id }, (tx) =>
      tx.query<{ code: string; severity: string }>(driftQuery),
    )

  test('applies a prepared policy that was sent but never confirmed', async () => {
    const { service, chain } = treasury
    const prepared = await preparePolicy(treasury, house, {
      vaultId: vault.id,
      terms: { lifetimeCap: '7000000' },
    })
    const hash = await house.ownerWallet.send(prepared.body.transaction)
    await chain.mined(hash)
    const synced = await service.call('POST', `${house.path}/policies/sync`, {
      token: house.owner.token,
      body: { chainTransactionHash: hash },
    })
    expect(synced.body).toMatchObject({ version: 2, lifetimeCap: '7000000', paused: false })
    expect(await driftEvents()).toEqual([])
    const late = await service.call(
      'POST',
      `${house.path}/vaults/${vault.id}/policy-intents/${prepared.body.id}/confirm`,
      { token: house.owner.token, body: { transactionHash: hash } },
    )
    expect(late.body).toMatchObject({ state: 'confirmed', policyVersion: 2 })
  })

  test('detects a policy change made outside the service and raises an event', async () => {
    const { policy } = await overviewOf(treasury, house)
    const transaction = encodePolicy({
      chainId: 31_337,
      vaultAddress: vault.address,
      ownerAddress: house.ownerWallet.address,
      expectedVersion: 2,
      policy: {
        executorAddress: policy.executorAddress,
        expiresAtSeconds: 4_070_908_800,
        automaticEnabled: false,
        paused: false,
        approvedCap: 1n,
        automaticCap: 1n,
        lifetimeCap: 8_000_000n,
        reserveFloor: 0n,
        ...withoutPeriod,
        approverAddresses: [house.approverWallet.address],
      },
      recipients: null,
    })
    await treasury.chain.mined(await house.ownerWallet.send(transaction))
    await expect.poll(async () => (await overviewOf(treasury, house)).policy.version).toBe(3)
    expect((await overviewOf(treasury, house)).policy).toMatchObject({ lifetimeCap: '8000000' })
    expect(await driftEvents()).toEqual([{ code: 'policy_drift', severity: 'action_required' }])
  })

  test('fails a superseded intent', async () => {
    const prepare = () => preparePolicy(treasury, house, { vaultId: vault.id })
    const [first, second] = [await prepare(), await prepare()]
    await treasury.chain.mined(await house.ownerWallet.send(first.body.transaction))
    const hash = await house.ownerWallet.send(second.body.transaction)
    expect(await treasury.chain.mined(hash)).toBe('reverted')
    const confirmed = await treasury.service.call(
      'POST',
      `${house.path}/vaults/${vault.id}/policy-intents/${second.body.id}/confirm`,
      { token: house.owner.token, body: { transactionHash: hash } },
    )
    expect(confirmed.body).toMatchObject({ state: 'failed', failureCode: 'superseded' })
  })

  test('replays a preparation unchanged after later events', async () => {
    const headers = key()
    const ask = () =>
      treasury.service.call('POST', `${house.path}/vault-deployments/prepare`, {
        token: house.owner.token,
        body: { label: 'Second' },
        headers,
      })
    const first = await ask()
    const transactionHash = await house.ownerWallet.send(first.body.transaction)
    await treasury.service.call(
      'POST',
      `${house.path}/vault-deployments/${first.body.id}/confirm`,
      {
        token: house.owner.token,
        body: { transactionHash },
      },
    )
    const again = await ask()
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body).toEqual(first.body)
  })
})
