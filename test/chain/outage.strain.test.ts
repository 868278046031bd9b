/** The chain is unavailable for a while: reads still answer, and nothing is lost. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import {
  deployVault,
  deposit,
  type House,
  key,
  openHouse,
  overviewOf,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'
import { startWorker } from '#worker.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

vi.setConfig({ testTimeout: 90_000 })

let treasury: Treasury
let house: House
let node: RpcProxy
let vault: VaultRecord
/** A deployment sent while the chain could not be read. */
let intent: { id: string; transaction: { to: string | null; data: string; gas: string } }

beforeAll(async () => {
  const chain = await startTestChain()
  node = await startRpcProxy(chain.rpcUrl)
  const service = await startTestApp({ env: { ...chain.env, RPC_URLS: node.url } })
  const worker = await startWorker(service.ctx)
  treasury = {
    service,
    chain,
    async stop() {
      await worker.stop()
      await service.stop()
      await node.stop()
      await chain.stop()
    },
  }
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  await deposit(treasury, house, { vault: vault.address, amount: 700n })
})
afterAll(() => treasury.stop())

/** Generous, because the machine may be busy. */
const patience = { timeout: 25_000 }

const overview = () => overviewOf(treasury, house)

async function troubles(): Promise<number> {
  const { registry } = treasury.service.ctx.metrics
  const [line] = (await registry.getSingleMetricAsString('countersign_chain_troubles'))
    .split('\n')
    .slice(-1)
  return Number(line?.split(' ')[1])
}

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  treasury.service.call(method, `${house.path}${path}`, {
    token: house.owner.token,
    ...(body === undefined ? {} : { body }),
    ...(headers && { headers }),
  })

test("normally the metrics show no failures and the overview's time advances", async () => {
  await expect.poll(async () => (await overview()).balanceBaseUnits, patience).toBe('700')
  await expect.poll(troubles, patience).toBe(0)
  const { asOfTime } = await overview()
  await expect.poll(async () => (await overview()).asOfTime > asOfTime, patience).toBe(true)
})

test('during the outage the metrics count failures and the overview keeps its time', async () => {
  node.trouble = () => 'hang up'
  await expect.poll(troubles, patience).toBeGreaterThan(0)
  const before = await overview()
  expect(before).toMatchObject({ balanceBaseUnits: '700', vault: { id: vault.id } })
  await deposit(treasury, house, { vault: vault.address, amount: 25n })
  const then = await troubles()
  await expect.poll(troubles, patience).toBeGreaterThan(then + 1)
  expect(await overview()).toEqual(before)
})

test('reads do not wait for a silent node', async () => {
  node.trouble = () => 'silence'
  const began = performance.now()
  for (const path of ['/overview', '/vaults', '/member-funds', '/executor']) {
    expect((await call('GET', path)).status).toBe(200)
  }
  expect(performance.now() - began).toBeLessThan(15_000)
  node.trouble = () => 'hang up'
})

test('a confirmed deployment is stored as submitted', async () => {
  const prepared = await call('POST', '/vault-deployments/prepare', { label: 'Second' }, key())
  expect(prepared.status).toBe(201)
  intent = prepared.body
  const transactionHash = await house.ownerWallet.send(intent.transaction)
  expect(await treasury.chain.mined(transactionHash)).toBe('success')
  const confirmed = await call('POST', `/vault-deployments/${intent.id}/confirm`, {
    transactionHash,
  })
  expect(confirmed.status).toBe(200)
  expect(confirmed.body).toMatchObject({ state: 'submitted', failureCode: null, vault: null })
})

test('registering a vault is 503 with Retry-After and stores nothing', async () => {
  const before = await call('GET', '/vaults')
  const refused = await call('POST', '/vault', {
    label: 'Found',
    address: `0x${'ab'.repeat(20)}`,
    deploymentTransactionHash: `0x${'cd'.repeat(32)}`,
  })
  expect([refused.status, refused.body.error.code]).toEqual([503, 'dependency_unavailable'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await call('GET', '/vaults')).body).toEqual(before.body)
})

test('afterwards nothing is lost, and the job settles the submitted deployment', async () => {
  node.heal()
  await expect.poll(async () => (await overview()).balanceBaseUnits, patience).toBe('725')
  await expect.poll(troubles, patience).toBe(0)
  const vaults = async () => (await call('GET', '/vaults')).body.vaults
  await expect.poll(async () => (await vaults()).length, patience).toBe(2)
  expect(await vaults()).toContainEqual(
    expect.objectContaining({ label: 'Second', status: 'verified', isDefault: false }),
  )
})
