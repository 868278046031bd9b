import { beforeAll, describe, expect, test } from 'vitest'
import { createViemChain } from '#adapters/chain/viem-chain.ts'
import { buildApp } from '#app.ts'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { joinOrganization } from '#test/support/app.ts'
import { outcome } from '#test/support/steps.ts'
import {
  configurePolicy,
  deployVault,
  deposit,
  type House,
  openHouse,
  overviewOf,
  provisionExecutor,
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
})

describe('GET overview', () => {
  test('shows a vault without a policy as not configured', async () => {
    expect(await overviewOf(treasury, house)).toMatchObject({
      configured: false,
      vault: { id: vault.id, address: vault.address },
      policy: null,
      balanceBaseUnits: '0',
      remainingAllowanceBaseUnits: null,
    })
  })

  test("shows what remains of the policy's limits", async () => {
    await provisionExecutor(treasury, house)
    await configurePolicy(treasury, house, { vaultId: vault.id })
    await deposit(treasury, house, { vault: vault.address, amount: 1_234_567n })
    await expect
      .poll(async () => (await overviewOf(treasury, house)).balanceBaseUnits)
      .toBe('1234567')
    expect(await overviewOf(treasury, house)).toMatchObject({
      configured: true,
      policy: { version: 1, spentTotal: '0' },
      remainingAllowanceBaseUnits: '5000000',
    })
  })

  test('covers only the default vault', async () => {
    const second = await deployVault(treasury, house, 'Second')
    await deposit(treasury, house, { vault: second.address, amount: 5n })
    expect((await overviewOf(treasury, house)).vault.id).toBe(vault.id)
    const url = `${house.path}/vaults/${second.id}/default`
    await treasury.service.call('POST', url, { token: house.owner.token })
    await expect.poll(async () => (await overviewOf(treasury, house)).balanceBaseUnits).toBe('5')
    expect(await overviewOf(treasury, house)).toMatchObject({ configured: false, policy: null })
    const back = `${house.path}/vaults/${vault.id}/default`
    await treasury.service.call('POST', back, { token: house.owner.token })
  })

  test('states the block up to which the chain was read', async () => {
    const { chain } = treasury
    const { asOfBlock, asOfTime } = await overviewOf(treasury, house)
    const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }))
    expect(asOfBlock).toBeLessThanOrEqual(head)
    expect(Date.parse(asOfTime)).toBeLessThanOrEqual(Date.now())
    await chain.request('evm_mine')
    const mined = Number(await chain.client.getBlockNumber({ cacheTime: 0 }))
    await expect
      .poll(async () => (await overviewOf(treasury, house)).asOfBlock)
      .toBeGreaterThanOrEqual(mined)
  })

  test('is readable for every member and nobody else', async () => {
    const { service } = treasury
    const url = `${house.path}/overview`
    for (const role of ['manager', 'employee'] as const) {
      const { token } = await joinOrganization(service, house, { role })
      expect((await service.call('GET', url, { token })).status).toBe(200)
    }
    const { token } = await service.signIn()
    expect(outcome(await service.call('GET', url, { token }))).toBe('403 forbidden')
    expect(outcome(await service.call('GET', url))).toBe('401 unauthenticated')
  })
})

describe('while every node is unavailable', () => {
  test('reads come from the database, and operations that need the chain are 503', async () => {
    const { ctx } = treasury.service
    const chain = createViemChain({
      ...ctx.config.chain,
      chainId: 31_337,
      rpcUrls: ['http://127.0.0.1:1'],
    })
    const app = await buildApp({ ...ctx, chain })
    const headers = { authorization: `Bearer ${house.owner.token}` }
    const read = async (path: string) => app.inject({ url: `${house.path}/${path}`, headers })
    const before = await overviewOf(treasury, house)
    const { asOfTime: _time, ...figures } = before
    expect((await read('overview')).json()).toMatchObject(figures)
    for (const path of ['vaults', 'member-funds', 'executor']) {
      expect((await read(path)).statusCode, path).toBe(200)
    }
    const answer = await app.inject({
      method: 'POST',
      url: `${house.path}/vault`,
      headers,
      payload: { address: vault.address, deploymentTransactionHash: `0x${'ab'.repeat(32)}` },
    })
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'dependency_unavailable'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(answer.payload).not.toContain('127.0.0.1')
    await app.close()
  })
})
