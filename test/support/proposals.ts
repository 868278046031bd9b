/** A vault whose policies wait before they take effect, on the development chain. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Hex, numberToHex } from 'viem'
import { expect, vi } from 'vitest'
import { followProposal } from '#payments/activations/follow-proposal.ts'
import {
  configurePolicy,
  deployVault,
  type House,
  openHouse,
  preparePolicy,
  provisionExecutor,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'

export const ONE_ETHER = '0xde0b6b3a7640000'
export const DELAY_SECONDS = 86_400
export const WINDOW_SECONDS = 7 * 86_400

export type WaitingHouse = House & { treasury: Treasury; vault: VaultRecord; executor: Hex }

/** With a first policy in force, which never waits. */
export async function openWaitingHouse(
  treasury: Treasury,
  { hasGas = true }: { hasGas?: boolean } = {},
): Promise<WaitingHouse> {
  const house = await openHouse(treasury)
  const vault = await deployVault(treasury, house, 'Main', { changeDelaySeconds: DELAY_SECONDS })
  const executor = (await provisionExecutor(treasury, house)) as Hex
  await treasury.chain.request('hardhat_setBalance', executor, hasGas ? ONE_ETHER : '0x0')
  await configurePolicy(treasury, house, { vaultId: vault.id })
  return { ...house, treasury, vault, executor }
}

export type Proposed = { intentId: string; hash: Hex; proposalId: string; activatesAt: string }

export const confirmIntent = async (
  { treasury, path, owner, vault }: WaitingHouse,
  { intentId, hash }: { intentId: string; hash: string },
) =>
  treasury.service.call('POST', `${path}/vaults/${vault.id}/policy-intents/${intentId}/confirm`, {
    token: owner.token,
    body: { transactionHash: hash },
  })

/** Prepared here, sent by the owner, final. */
export async function propose(
  house: WaitingHouse,
  terms: Record<string, unknown> = { approvedCap: '900000' },
): Promise<Proposed> {
  const prepared = await preparePolicy(house.treasury, house, { vaultId: house.vault.id, terms })
  expect(prepared.status).toBe(201)
  const intentId: string = prepared.body.id
  const hash = await house.ownerWallet.send(prepared.body.transaction)
  const { proposalId, activatesAt } = await vi.waitFor(async () => {
    const { body } = await confirmIntent(house, { intentId, hash })
    expect(body).toMatchObject({ state: 'submitted', policyVersion: null, failureCode: null })
    expect(body.proposalId).not.toBeNull()
    return body
  }, 20_000)
  return { intentId, hash, proposalId, activatesAt }
}

export const detailOf = async ({ treasury, path, owner, vault }: WaitingHouse) =>
  (await treasury.service.call('GET', `${path}/vaults/${vault.id}`, { token: owner.token })).body

export const intentOf = async (
  { treasury, path, owner, vault }: WaitingHouse,
  { intentId }: Pick<Proposed, 'intentId'>,
) => {
  const url = `${path}/vaults/${vault.id}/policy-intents`
  const { body } = await treasury.service.call('GET', url, { token: owner.token })
  return body.policyIntents.find(({ id }: { id: string }) => id === intentId)
}

/** Blocks from then on are that much later. */
export async function passTime({ treasury }: WaitingHouse, seconds: number): Promise<void> {
  const { timestamp } = await treasury.chain.client.getBlock()
  await treasury.chain.request('evm_mine', numberToHex(timestamp + BigInt(seconds)))
}

type ProposalInRows = {
  id: string
  state: string
  proposalId: string
  isPrepared: boolean
  vetoedBy: string | null
  pauseNumber: number
}

/** The newest proposal's row. */
export async function proposalRow({ treasury, vault }: WaitingHouse) {
  const [row] = await treasury.service.database.asOwner<ProposalInRows>(
    `select id, state, proposal_id as "proposalId", is_prepared as "isPrepared",
       vetoed_by as "vetoedBy", pause_number::int as "pauseNumber"
     from vault_proposals where vault_id = $1 order by block_number desc, log_index desc limit 1`,
    [vault.id],
  )
  return row
}

export async function activationRow({ treasury, vault }: WaitingHouse) {
  const [row] = await treasury.service.database.asOwner(
    `select id, state, code, has_open_attempt as "hasOpenAttempt", postponed_times as "postponed",
       (select count(*)::int from activation_attempts t where t.activation_id = a.id) as attempts
     from policy_activations a where vault_id = $1 order by created_at desc limit 1`,
    [vault.id],
  )
  return row
}

/** Runs the job that follows the newest proposal, as if it were due. */
export async function follow(house: WaitingHouse): Promise<void> {
  const id = (await proposalRow(house))?.id ?? ''
  await followProposal(house.treasury.service.ctx, { organizationId: house.id, id })
}

/** Waits until the follower has read the newest block. */
export const untilFollowed = ({ treasury }: WaitingHouse) =>
  vi.waitFor(async () => {
    const head = Number(await treasury.chain.client.getBlockNumber({ cacheTime: 0 }))
    const [row] = await treasury.service.database.asOwner(
      'select block_number::int as number from chain_position',
      [],
    )
    expect(row?.number).toBeGreaterThanOrEqual(head)
  }, 20_000)

export const ownerCall = (
  { treasury, vault, ownerWallet }: WaitingHouse,
  functionName: string,
  ...args: readonly unknown[]
) => sendAndMine(treasury, ownerWallet, { vault, functionName, args })

export const approverCall = async (
  { treasury, vault, approverWallet }: WaitingHouse,
  functionName: string,
  ...args: readonly unknown[]
) => {
  await treasury.chain.request('hardhat_setBalance', approverWallet.address, ONE_ETHER)
  return sendAndMine(treasury, approverWallet, { vault, functionName, args })
}

async function sendAndMine(
  { chain }: Treasury,
  wallet: House['ownerWallet'],
  call: { vault: VaultRecord; functionName: string; args: readonly unknown[] },
): Promise<Hex> {
  const { vault, functionName, args } = call
  const hash = await wallet.call({ address: vault.address, abi: vaultAbi, functionName, args })
  expect(await chain.mined(hash)).toBe('success')
  return hash
}
