/** An organization with its wallets, executor and vault on a real chain, over HTTP. */
import { randomBytes, randomUUID } from 'node:crypto'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, getAddress, type Hex } from 'viem'
import { expect, vi } from 'vitest'
import { followStep } from '#chain/follower.ts'
import type { StepOutcome } from '#chain/step.ts'
import type { Context } from '#context.ts'
import type { Environment } from '#platform/config/config.ts'
import type { Db } from '#platform/database/database.ts'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import {
  type Call,
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { startTestChain, type TestChain, type TestWallet, tokenAbi } from '#test/support/chain.ts'
import { startWorker } from '#worker.ts'

export type Treasury = {
  service: TestApp
  chain: TestChain
  stop(): Promise<void>
}

/** For `startFollowingWorker`: the pace of lanes, and little that costs while nothing happens. */
export const FOLLOWED: Environment = { FOLLOW_EVERY_MS: '250', WORKER_CONCURRENCY: '4' }

/** The application, its worker and a chain. */
export async function startTreasury({
  mineAfterMs = 5,
  env = {},
  replace = () => ({}),
  asDeployed = false,
}: {
  mineAfterMs?: number
  env?: Environment
  /** For benchmarks: planning, worker and chain following as in production. */
  asDeployed?: boolean
  replace?: (chain: TestChain) => Partial<Context>
} = {}): Promise<Treasury> {
  const chain = await startTestChain({ mineAfterMs })
  const service = await startTestApp({
    env: { ...chain.env, ...(asDeployed ? {} : FOLLOWED), ...env },
    replace: replace(chain),
    hasWorker: true,
    plansByValues: asDeployed,
  })
  const worker = asDeployed
    ? await startWorker(service.ctx)
    : await startFollowingWorker(service.ctx, chain)
  return {
    service,
    chain,
    async stop() {
      await worker.stop()
      await service.stop()
      await chain.stop()
    },
  }
}

/** The worker, with each new head followed at once: it need not ask for it all the time. */
export const startFollowingWorker = (
  ctx: Context,
  chain: Pick<TestChain, 'onHead'>,
): Promise<JobRunner> => startWorker(ctx, (own, handlers) => followHeads(own, chain, handlers))

/** After a failure, and for what happens without a block. */
const [RETRY_MS, LOOK_MS] = [100, 1_000]

function followHeads(
  ctx: Parameters<typeof followStep>[0],
  { onHead }: Pick<TestChain, 'onHead'>,
  handlers: Parameters<typeof followStep>[1],
): { stop(): Promise<void> } {
  let [isDue, isStopping] = [false, false]
  let following = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const follow = async () => {
    isDue = false
    const outcome = await untilRest().catch((): StepOutcome => 'busy')
    clearTimeout(timer)
    if (!isStopping) timer = setTimeout(look, outcome === 'idle' ? LOOK_MS : RETRY_MS)
  }
  const untilRest = async (): Promise<StepOutcome> => {
    const outcome = await followStep(ctx, handlers)
    return outcome === 'moved' && !isStopping ? untilRest() : outcome
  }
  const look = () => {
    if (isDue || isStopping) return
    isDue = true
    following = following.then(follow)
  }
  onHead(look)
  look()
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await following
    },
  }
}

export const key = () => ({ 'idempotency-key': randomUUID() })

export type House = Organization & {
  ownerWallet: TestWallet
  approverWallet: TestWallet
}

/** Owner and approver wallets with their roles; the keys never leave the test. */
export async function openHouse({ service, chain }: Treasury): Promise<House> {
  const ownerWallet = await chain.wallet({ baseUnits: 1_000_000_000n })
  const approverWallet = await chain.wallet({ wei: 0n })
  const owner = await service.signIn(undefined, [
    { address: ownerWallet.address, kind: 'external' },
    { address: approverWallet.address, kind: 'external' },
  ])
  const organization = await createOrganization(service, owner)
  const me = await service.call('GET', '/v1/consumer/me', { token: owner.token })
  for (const [wallet, role] of [
    [ownerWallet, 'treasury_owner'],
    [approverWallet, 'approver'],
  ] as const) {
    const { id } = me.body.wallets.find((w: { address: string }) => w.address === wallet.address)
    const body = { membershipId: organization.ownerMembershipId, walletId: id, role }
    const given = await service.call('POST', `${organization.path}/wallet-roles`, {
      token: owner.token,
      body,
    })
    expect(given.status).toBe(201)
  }
  return { ...organization, ownerWallet, approverWallet }
}

export type VaultRecord = { id: string; address: Address; status: string; isDefault: boolean }

/** Prepared, sent unchanged, confirmed. */
export async function deployVault(
  { service }: Treasury,
  { path, owner, ownerWallet }: House,
  label = 'Main',
  terms: { changeDelaySeconds?: number } = {},
): Promise<VaultRecord> {
  const { token } = owner
  const prepared = await service.call('POST', `${path}/vault-deployments/prepare`, {
    token,
    body: { label, ...terms },
    headers: key(),
  })
  expect(prepared.status).toBe(201)
  const transactionHash = await ownerWallet.send(prepared.body.transaction)
  const url = `${path}/vault-deployments/${prepared.body.id}/confirm`
  return (await untilConfirmed(service, url, { token, body: { transactionHash } })).vault
}

/** On a busy machine the block may come after the answer, which is then requested again. */
const untilConfirmed = (service: TestApp, url: string, call: Call) =>
  vi.waitFor(async () => {
    const { body } = await service.call('POST', url, call)
    expect(body).toMatchObject({ state: 'confirmed', failureCode: null })
    return body
  }, 20_000)

export async function provisionExecutor({ service }: Treasury, house: House): Promise<string> {
  const { path, owner } = house
  const { token } = owner
  const asked = await service.call('POST', `${path}/executor/provision`, { token, headers: key() })
  expect(asked.status).toBe(202)
  const binding = await vi.waitFor(async () => {
    const { body } = await service.call('GET', `${path}/executor`, { token })
    expect(body.binding).not.toBeNull()
    return body.binding
  }, 20_000)
  return binding.address
}

export const policyBody = (terms: Record<string, unknown> = {}) => ({
  approvedCap: '1000000',
  automaticCap: '100000',
  lifetimeCap: '5000000',
  reserveFloor: '0',
  expiresAt: '2099-01-01T00:00:00Z',
  automaticEnabled: true,
  paused: false,
  ...terms,
})

export async function preparePolicy(
  { service }: Treasury,
  { path, owner }: House,
  { vaultId, terms }: { vaultId: string; terms?: Record<string, unknown> },
) {
  return service.call('POST', `${path}/vaults/${vaultId}/policy-intents/prepare`, {
    token: owner.token,
    body: policyBody(terms),
    headers: key(),
  })
}

export async function configurePolicy(
  treasury: Treasury,
  house: House,
  { vaultId, terms }: { vaultId: string; terms?: Record<string, unknown> },
) {
  const prepared = await preparePolicy(treasury, house, { vaultId, ...(terms && { terms }) })
  expect(prepared.status).toBe(201)
  const transactionHash = await house.ownerWallet.send(prepared.body.transaction)
  const url = `${house.path}/vaults/${vaultId}/policy-intents/${prepared.body.id}/confirm`
  const call = { token: house.owner.token, body: { transactionHash } }
  return untilConfirmed(treasury.service, url, call)
}

export async function deposit(
  { chain }: Treasury,
  { ownerWallet }: House,
  { vault, amount }: { vault: Address; amount: bigint },
): Promise<void> {
  const approve = { address: chain.tokenAddress, abi: tokenAbi, functionName: 'approve' }
  await chain.mined(await ownerWallet.call({ ...approve, args: [vault, amount] }))
  const call = { address: vault, abi: vaultAbi, functionName: 'deposit', args: [amount] }
  expect(await chain.mined(await ownerWallet.call(call))).toBe('success')
}

export const overviewOf = async ({ service }: Treasury, { path, owner }: House) =>
  (await service.call('GET', `${path}/overview`, { token: owner.token })).body

/** Prepared, but not sent. */
export async function prepareDeployment({ service }: Treasury, { path, owner }: House) {
  const prepared = await service.call('POST', `${path}/vault-deployments/prepare`, {
    token: owner.token,
    body: { label: 'Main' },
    headers: key(),
  })
  expect(prepared.status).toBe(201)
  return prepared.body
}

export const confirmDeployment = (
  { service }: Treasury,
  { path, owner }: House,
  { id, transactionHash }: { id: string; transactionHash: string },
) =>
  service.call('POST', `${path}/vault-deployments/${id}/confirm`, {
    token: owner.token,
    body: { transactionHash },
  })

export const vaultsOf = async ({ service }: Treasury, { path, owner }: House) =>
  (await service.call('GET', `${path}/vaults`, { token: owner.token })).body.vaults

export const registerVault = (
  { service }: Treasury,
  { path, owner }: House,
  body: Record<string, unknown>,
) => service.call('POST', `${path}/vault`, { token: owner.token, body })

export const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`

/** The address in a deployment's receipt. */
export async function deployedAt({ chain }: Treasury, hash: Hex): Promise<Address> {
  const receipt = await chain.client.waitForTransactionReceipt({ hash })
  expect(receipt.contractAddress).toBeTruthy()
  return getAddress(receipt.contractAddress as Address)
}

/**
 * Undefined for a service in other processes. To look at the row first costs a tenth of a request,
 * and most looks come too early.
 */
export const databaseOf = ({ service }: Treasury): Db | undefined =>
  (service as Partial<TestApp>).ctx?.db
