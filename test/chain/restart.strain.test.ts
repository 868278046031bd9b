/** The service is stopped and restarted: every figure still equals the chain's. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type PublicClient,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { cleanUp } from '#test/processes/processes.ts'
import { ask, makePlace, type Place, type Service, startService } from '#test/processes/service.ts'
import type { TestApp } from '#test/support/app.ts'
import { type TestWallet, tokenAbi } from '#test/support/chain.ts'
import {
  configurePolicy,
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

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

/** Defined here, because `viem/chains` loads hundreds of others. */
const hardhat = defineChain({
  id: 31_337,
  name: 'Hardhat',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

let place: Place
let running: Service
let treasury: Treasury
let house: House
let vault: VaultRecord

/** The steps of the other tests, over HTTP to a process. */
async function reach(service: Service): Promise<Treasury> {
  const { body: about } = await ask('GET', service.helper)
  const transport = http(service.rpc)
  const client = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 })
  const wallet = async ({ wei = 10n ** 18n, baseUnits = 0n } = {}) => {
    const account = privateKeyToAccount(generatePrivateKey())
    const { address } = account
    const gift = { address, native: wei.toString(), token: baseUnits.toString() }
    const given = await ask('POST', `${service.helper}/faucet`, { body: gift })
    expect(given.status).toBeLessThan(300)
    const sender = createWalletClient({ account, chain: hardhat, transport })
    const sending: TestWallet['send'] = ({ to, data, gas }) =>
      sender.sendTransaction({ to: to as Address, data: data as Hex, gas: BigInt(gas) })
    return {
      account,
      address,
      send: sending,
      call: (input: never) => sender.writeContract(input),
    }
  }
  const call = (method: string, url: string, options = {}) =>
    ask(method, `${service.api}${url}`, options)
  const signIn: TestApp['signIn'] = async (subject = 'owner', wallets = []) => {
    const asked = { realm: 'consumer', subject, wallets }
    const { body: issued } = await ask('POST', `${service.helper}/token`, { body: asked })
    const { accessToken: token, identityToken } = issued
    const session = await call('PUT', '/v1/consumer/session', { token, body: { identityToken } })
    expect(session.status).toBe(200)
    return { token, accountId: session.body.account.id, subject, walletIds: [] }
  }
  const chain = {
    client: client as PublicClient,
    tokenAddress: about.tokenAddress,
    wallet,
    mined: async (hash: Hex) => (await client.waitForTransactionReceipt({ hash })).status,
  }
  return { service: { call, signIn }, chain, stop: async () => {} } as unknown as Treasury
}

beforeAll(async () => {
  place = await makePlace()
  running = await startService(place)
  treasury = await reach(running)
  house = await openHouse(treasury)
})
afterAll(cleanUp)

async function onChain() {
  const { chain } = treasury
  const at = { address: vault.address, abi: vaultAbi } as const
  return {
    balance: await chain.client.readContract({
      address: chain.tokenAddress,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [vault.address],
    }),
    spent: await chain.client.readContract({ ...at, functionName: 'spentTotal' }),
    version: await chain.client.readContract({ ...at, functionName: 'policyVersion' }),
    policy: await chain.client.readContract({ ...at, functionName: 'policy' }),
  }
}

/** Waits until the follower has read the head, and compares every figure. */
async function expectTruth() {
  const head = Number(await treasury.chain.client.getBlockNumber({ cacheTime: 0 }))
  await expect
    .poll(async () => (await overviewOf(treasury, house)).asOfBlock, { timeout: 30_000 })
    .toBeGreaterThanOrEqual(head)
  const overview = await overviewOf(treasury, house)
  const { balance, spent, version, policy } = await onChain()
  expect(overview.balanceBaseUnits).toBe(balance.toString())
  expect(overview.policy).toMatchObject({
    version: Number(version),
    spentTotal: spent.toString(),
    paused: policy.paused,
    lifetimeCap: policy.lifetimeCap.toString(),
    approvedCap: policy.approvedCap.toString(),
  })
  return overview
}

const send = async (input: Parameters<TestWallet['call']>[0]) =>
  expect(await treasury.chain.mined(await house.ownerWallet.call(input))).toBe('success')

test('the overview equals the chain exactly after the journey', async () => {
  vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
  await configurePolicy(treasury, house, { vaultId: vault.id })
  await deposit(treasury, house, { vault: vault.address, amount: 123_456_789n })
  const { address } = vault
  await send({ address, abi: vaultAbi, functionName: 'withdraw', args: [456_788n] })
  await configurePolicy(treasury, house, {
    vaultId: vault.id,
    terms: { lifetimeCap: '7000000', approvedCap: '2000000' },
  })
  await send({ address, abi: vaultAbi, functionName: 'emergencyPause', args: [] })
  const overview = await expectTruth()
  expect(overview).toMatchObject({ balanceBaseUnits: '123000001', policy: { paused: true } })
})

test('the overview equals the chain after a restart, and new blocks are followed', async () => {
  const before = await expectTruth()
  running.kill('SIGTERM')
  await running.ended
  running = await startService(place)
  treasury = await reach(running)
  const { asOfTime: _, ...after } = await expectTruth()
  expect(after).toEqual({ ...before, asOfTime: undefined, asOfBlock: after.asOfBlock })
  await deposit(treasury, house, { vault: vault.address, amount: 9n })
  expect(await expectTruth()).toMatchObject({ balanceBaseUnits: '123000010' })
})

test('the overview equals the chain after a crash', async () => {
  const prepared = await preparePolicy(treasury, house, { vaultId: vault.id })
  await house.ownerWallet.send(prepared.body.transaction)
  await deposit(treasury, house, { vault: vault.address, amount: 90n })
  running.killGroup('SIGKILL')
  await running.ended
  running = await startService(place)
  treasury = await reach(running)
  expect(await expectTruth()).toMatchObject({
    balanceBaseUnits: '123000100',
    policy: { version: 3, paused: false },
  })
})
