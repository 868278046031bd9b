/** A house whose funding signer deposits from a server wallet, on a real chain, over HTTP. */
import { randomUUID } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { expect, vi } from 'vitest'
import { open } from '#adapters/local/keystore.ts'
import { walletKeyName } from '#adapters/local/local-wallets.ts'
import { masterKeysOf } from '#platform/secrets.ts'
import type { FundingProvider } from '#ports/funding-provider.ts'
import type { Answer } from '#test/support/app.ts'
import { tokenAbi } from '#test/support/chain.ts'
import { makeServerWallet, type ServerWallet } from '#test/support/exports.ts'
import {
  deployVault,
  type House,
  openHouse,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'

export const GAS_WEI = 10n ** 18n

export type FundingHouse = House & { wallet: ServerWallet; vault: VaultRecord }

/** The service's provider with some methods replaced. */
export function replaceProvider(
  { service: { ctx } }: Treasury,
  change: (provider: FundingProvider) => Partial<FundingProvider>,
): () => void {
  const before = ctx.fundingProvider
  if (!before) throw new Error('No funding provider is configured')
  ctx.fundingProvider = { ...before, ...change(before) } as FundingProvider
  return () => {
    ctx.fundingProvider = before
  }
}

/** As in the embedded default, accounts without gas are given some. */
export const giveGas = (treasury: Treasury): (() => void) =>
  replaceProvider(treasury, () => ({
    fundGas: async ({ address }: { address: string }) => {
      await treasury.chain.request('hardhat_setBalance', address, `0x${GAS_WEI.toString(16)}`)
    },
  }))

export async function giveRole(
  { service }: Treasury,
  { path, owner, ownerMembershipId }: House,
  walletId: string,
): Promise<string> {
  const body = { membershipId: ownerMembershipId, walletId, role: 'treasury_owner' }
  const given = await service.call('POST', `${path}/wallet-roles`, { token: owner.token, body })
  expect(given.status, given.text).toBe(201)
  return given.body.id
}

/** A vault, and a server wallet with the role and some tokens; nothing is attached yet. */
export async function openFundingHouse(
  treasury: Treasury,
  { baseUnits = 5_000_000n, role = true }: { baseUnits?: bigint; role?: boolean } = {},
): Promise<FundingHouse> {
  const house = await openHouse(treasury)
  const vault = await deployVault(treasury, house)
  const holder = { realm: 'consumer', ...house.owner } as const
  const wallet = await makeServerWallet(treasury.service, holder, { organizationId: house.id })
  if (role) await giveRole(treasury, house, wallet.id)
  if (baseUnits > 0n) await giveTokens(treasury, house, { to: wallet.address, baseUnits })
  return { ...house, wallet, vault }
}

export async function giveTokens(
  { chain }: Treasury,
  { ownerWallet }: House,
  { to, baseUnits }: { to: string; baseUnits: bigint },
): Promise<void> {
  const transfer = { address: chain.tokenAddress, abi: tokenAbi, functionName: 'transfer' }
  await chain.mined(await ownerWallet.call({ ...transfer, args: [to as Address, baseUnits] }))
}

export const tokensOf = ({ chain }: Treasury, address: string): Promise<bigint> =>
  chain.client.readContract({
    address: chain.tokenAddress,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [address as Address],
  })

/** The wallet's own key, as an export would give it. */
export async function keyOf({ service }: Treasury, wallet: ServerWallet): Promise<Hex> {
  const [row] = await service.database.asOwner<{ reference: Buffer }>(
    'select provider_reference as reference from wallets where id = $1',
    [wallet.id],
  )
  const address = wallet.address.toLowerCase()
  const name = walletKeyName({ walletId: wallet.id, address })
  const box = row?.reference ?? Buffer.alloc(0)
  return `0x${open(masterKeysOf(service.ctx.secrets), { name, box }).toString('hex')}`
}

type By = { token?: string }

export const signerOf = async (
  { service }: Treasury,
  { path, owner }: House,
  { token = owner.token }: By = {},
) => (await service.call('GET', `${path}/provider-signer`, { token })).body

export const controlOf = async ({ service }: Treasury, { path, owner, vault }: FundingHouse) =>
  (
    await service.call('GET', `${path}/vaults/${vault.id}/funding-control`, {
      token: owner.token,
    })
  ).body

/** With the ids in the signer's status, or others. */
export async function attachControl(
  treasury: Treasury,
  house: FundingHouse,
  ids: { providerPolicyId?: string; signerId?: string } = {},
): Promise<Answer> {
  const { signerId, policyId: providerPolicyId } = await signerOf(treasury, house)
  const url = `${house.path}/vaults/${house.vault.id}/funding-control`
  const body = { signerId, providerPolicyId, ...ids }
  return treasury.service.call('POST', url, { token: house.owner.token, body })
}

/** Attached, verified, approved and with gas: nothing blocks it. */
export async function readyToDeposit(treasury: Treasury, house: FundingHouse): Promise<void> {
  const attached = await attachControl(treasury, house)
  expect(attached.body, attached.text).toMatchObject({ attachmentState: 'verified' })
  await vi.waitFor(async () => expect((await signerOf(treasury, house)).blockers).toEqual([]), {
    timeout: 40_000,
    interval: 200,
  })
}

export const requestAction = (
  { service }: Treasury,
  { path, owner }: House,
  body: Record<string, unknown> = {},
  { token = owner.token }: By = {},
): Promise<Answer> =>
  service.call('POST', `${path}/provider-funding-actions`, {
    token,
    body: {
      action: 'deposit',
      amountBaseUnits: '1000',
      idempotencyKey: randomUUID(),
      ...body,
    },
  })

export const actionOf = async ({ service }: Treasury, { path, owner }: House, id: string) =>
  (await service.call('GET', `${path}/provider-funding-actions/${id}`, { token: owner.token })).body

export const actionsOf = ({ service }: Treasury, { path, owner }: House, query = '') =>
  service.call('GET', `${path}/provider-funding-actions${query}`, { token: owner.token })

export const untilAction = (treasury: Treasury, house: House, id: string, state: string) =>
  vi.waitFor(
    async () => {
      const action = await actionOf(treasury, house, id)
      expect(action).toMatchObject({ state })
      return action
    },
    { timeout: 30_000, interval: 100 },
  )
