/** The treasury of the story: vaults, policies, recipients, the executor and the funding signer. */
import type { Address, Hex } from 'viem'
import { type Company, memberOf } from '#test/reference/people.ts'
import { aside, until } from '#test/reference/stage.ts'
import { giveGas, giveTokens } from '#test/support/funding.ts'
import { deployedAt, deposit, type House } from '#test/support/treasury.ts'

export type Vault = { id: string; address: Address }
export type Recipients = { studio: string; dana: string; wallet: Address }

const DEPOSITED = 25_000_000_000n
const POLICY = {
  approvedCap: '5000000000',
  automaticCap: '250000000',
  lifetimeCap: '100000000000',
  reserveFloor: '1000000000',
  expiresAt: '2027-12-31T23:59:59Z',
  automaticEnabled: true,
  paused: false,
}

/** As the helpers of other tests know it. */
const houseOf = ({ id, path, ana, ownerWallet, approverWallet }: Company): House => ({
  id,
  path,
  owner: ana,
  ownerMembershipId: '',
  ownerWallet,
  approverWallet,
})

async function prepareVault({ stage, path, ana }: Company, label: string) {
  const key = `vault-${label.toLowerCase().replace(' ', '-')}`
  return stage.post(ana, `${path}/vault-deployments/prepare`, { body: { label }, key })
}

/** Prepared, sent from the owner's wallet, confirmed. */
async function deployVault(company: Company, label: string): Promise<Vault> {
  const { stage, path, ana, ownerWallet } = company
  const prepared = await prepareVault(company, label)
  const transactionHash = await ownerWallet.send(prepared.transaction)
  const url = `${path}/vault-deployments/${prepared.id}/confirm`
  const confirm = () => stage.post(ana, url, { body: { transactionHash } })
  return (await until(confirm, ({ state }) => state === 'confirmed')).vault
}

/** A vault that the owner deployed without confirming it: she registers it afterwards. */
async function registerReserve(company: Company): Promise<string> {
  const { stage, path, ana, ownerWallet } = company
  const { transaction } = await prepareVault(aside(company), 'Reserve')
  const deploymentTransactionHash = await ownerWallet.send(transaction)
  const address = await deployedAt(stage.treasury, deploymentTransactionHash)
  const body = { label: 'Reserve', address, deploymentTransactionHash }
  return (await stage.post(ana, `${path}/vault`, { body })).id
}

export async function openVaults(company: Company): Promise<Vault> {
  const { stage, path, ana } = company
  const vault = await deployVault(company, 'Operating')
  const reserveId = await registerReserve(company)
  for (const id of [reserveId, vault.id]) await stage.post(ana, `${path}/vaults/${id}/default`)
  await stage.post(ana, `${path}/executor/provision`, { key: 'executor-1' })
  await until(
    () => stage.get(ana, `${path}/executor`),
    ({ binding }) => binding !== null,
  )
  await stage.get(ana, `${path}/vault-deployments?limit=2`)
  await stage.get(ana, `${path}/vaults?limit=2`)
  await stage.post(ana, `${path}/vaults/${reserveId}/archive`)
  return vault
}

export async function addRecipients(company: Company): Promise<Recipients> {
  const { stage, path, ana } = company
  const { chain } = stage.treasury
  const address = async () => (await chain.wallet({ wei: 0n })).address
  const one = async (label: string) => ({ label, address: await address(), chainId: 31_337 })
  const wallet = await address()
  const studio = await stage.post(ana, `${path}/recipients`, {
    body: { label: 'Studio Lumen', address: wallet, chainId: 31_337 },
    key: 'recipient-studio-lumen',
  })
  const { wallets } = await memberOf(company, company.dana)
  const dana = { label: 'Dana Petrova', address: wallets[1]?.address, chainId: 31_337 }
  const rows = [dana, await one('Kestrel Hosting'), await one('Paper & Co')]
  const imported = await stage.post(ana, `${path}/recipients/import`, {
    body: { recipients: rows },
    key: 'recipients-2026-11',
  })
  const [member, hosting, paper] = imported.recipients
  await stage.send('PATCH', `${path}/recipients/${hosting.id}`, {
    who: ana,
    body: { label: 'Kestrel Hosting GmbH' },
  })
  await stage.post(ana, `${path}/recipients/${paper.id}/deactivate`)
  await stage.get(ana, `${path}/recipients?limit=2`)
  return { studio: studio.id, dana: member.id, wallet }
}

/** The policy of the vault, signed by the owner; then money and gas. */
export async function fundVault(company: Company, vault: Vault): Promise<void> {
  const { stage, path, ana, ben, ownerWallet } = company
  const intents = `${path}/vaults/${vault.id}/policy-intents`
  const prepared = await stage.post(ana, `${intents}/prepare`, { body: POLICY, key: 'policy-1' })
  const transactionHash = await ownerWallet.send(prepared.transaction)
  const confirm = () =>
    stage.post(ana, `${intents}/${prepared.id}/confirm`, { body: { transactionHash } })
  await until(confirm, ({ state }) => state === 'confirmed')
  const body = { chainTransactionHash: transactionHash }
  await stage.post(ben, `${path}/policies/sync`, { body })
  await stage.get(ana, `${intents}?limit=2`)
  const { binding } = await stage.get(ana, `${path}/executor`)
  const gas = { to: binding.address, data: '0x' as Hex, gas: '0x5208' }
  const { treasury } = stage
  await treasury.chain.mined(await ownerWallet.send(gas, { wei: 10n ** 17n }))
  await deposit(treasury, houseOf(company), { vault: vault.address, amount: DEPOSITED })
  const overview = () => stage.get(ana, `${path}/overview`)
  await until(overview, ({ balanceBaseUnits }) => balanceBaseUnits === DEPOSITED.toString())
  await stage.post(ben, `${path}/executor/reconcile`)
  await until(
    () => stage.get(ana, `${path}/executor`),
    (read) => read.binding.nativeBalanceWei !== '0',
  )
}

/** A server wallet of the owner that may only deposit into the vault. */
export async function openFunding(company: Company, vault: Vault): Promise<void> {
  const { stage, path, id: organizationId, ana } = company
  const { treasury } = stage
  giveGas(treasury)
  const wallet = await stage.post(ana, '/v1/consumer/wallets', {
    body: { organizationId, purpose: 'Deposits into the vault', idempotencyKey: 'deposits-1' },
  })
  const { membershipId } = await memberOf(company, ana)
  const role = { membershipId, walletId: wallet.id, role: 'treasury_owner' }
  await aside(company).stage.post(ana, `${path}/wallet-roles`, { body: role })
  const gift = { to: wallet.address, baseUnits: 2_000_000_000n }
  await giveTokens(treasury, houseOf(company), gift)
  const signer = () => stage.get(ana, `${path}/provider-signer`)
  const { signerId, policyId: providerPolicyId } = await signer()
  const control = `${path}/vaults/${vault.id}/funding-control`
  await stage.post(ana, control, { body: { signerId, providerPolicyId } })
  await until(signer, ({ blockers }) => blockers.length === 0)
  await stage.get(ana, control)
  const actions = `${path}/provider-funding-actions`
  const { id } = await stage.post(ana, actions, {
    body: {
      action: 'deposit',
      amountBaseUnits: '750000000',
      idempotencyKey: '5b0f2a64-2f0c-4c3e-9d55-6f1f8f0f7a11',
    },
  })
  await until(
    () => stage.get(ana, `${actions}/${id}`),
    ({ state }) => state === 'confirmed',
  )
  await stage.get(ana, `${actions}?limit=2`)
}
