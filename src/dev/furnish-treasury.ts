/** The treasury of the demo's company: recipients, vaults, policies, and later changes. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { Address } from 'viem'
import { StartupError } from '#platform/errors.ts'
import { makeWallet, must, until } from './demo-client.ts'
import { tokenAbi, USDC } from './demo-stage.ts'
import { type Gathered, type House, residentOf } from './furnish-house.ts'
import { BLOCKED, categories, late, type RecipientName, recipients } from './furnish-people.ts'

async function addRecipients(
  house: Gathered,
  labels: Partial<Record<RecipientName, string>>,
): Promise<Pick<House, 'recipientIds' | 'addresses'>> {
  const { path, about } = house
  const { client } = residentOf(house, 'Grace Lin').person
  const names = Object.keys(labels) as RecipientName[]
  const rows = names.map((name) => ({
    label: labels[name] ?? '',
    address: makeWallet(about).address,
    chainId: about.chainId,
  }))
  const imported = await client.call('importRecipients', { path, body: { recipients: rows } })
  const added = must(imported).recipients
  const pairs = <Value>(read: (at: number) => Value) =>
    Object.fromEntries(names.map((name, at) => [name, read(at)])) as Record<RecipientName, Value>
  return {
    recipientIds: pairs((at) => added.find(({ label }) => label === rows[at]?.label)?.id ?? ''),
    addresses: pairs((at) => rows[at]?.address ?? '0x'),
  }
}

type VaultPlan = {
  label: string
  deposit: bigint
  approved: bigint
  automatic: bigint
  lifetime: bigint
  reserve: bigint
  /** From the second policy on. */
  changeDelaySeconds?: number
  perDay?: { cap: bigint; automatic: bigint }
  /** Above this, two approvers sign. */
  twoAbove?: bigint
}

const DAY = 86_400

const MAIN: VaultPlan = {
  label: 'Main',
  deposit: 80_000n,
  approved: 5_000n,
  automatic: 250n,
  lifetime: 250_000n,
  reserve: 10_000n,
  perDay: { cap: 9_000n, automatic: 1_000n },
  twoAbove: 3_000n,
}
const EVENTS: VaultPlan = {
  label: 'Events',
  deposit: 9_000n,
  approved: 1_500n,
  automatic: 100n,
  lifetime: 20_000n,
  reserve: 500n,
  changeDelaySeconds: 3 * DAY,
}

function treasurerOf(house: Gathered) {
  const { person, wallet } = residentOf(house, 'Ana Ruiz')
  if (!wallet) throw new Error('The treasury needs a wallet.')
  return { client: person.client, wallet }
}

async function deployVault(house: Gathered, { label, changeDelaySeconds = 0 }: VaultPlan) {
  const { path } = house
  const { client, wallet } = treasurerOf(house)
  const preparing = { path, body: { label, changeDelaySeconds } }
  const { id, transaction } = must(await client.call('prepareVaultDeployment', preparing))
  const body = { transactionHash: await wallet.send(transaction) }
  const confirming = { path: { ...path, intentId: id }, body }
  const { vault } = await until(
    () => client.call('confirmVaultDeployment', confirming),
    ({ state }) => state === 'confirmed',
    `the vault ${label}`,
  )
  if (!vault) throw new StartupError('The deployment has no vault.')
  return { id: vault.id, address: vault.address as Address }
}

/** Without a calendar, four months are paid on one day. */
const periodOf = ({ calendar }: Gathered, { perDay, lifetime }: VaultPlan) =>
  perDay && {
    periodSeconds: DAY,
    periodCap: String((calendar ? perDay.cap : lifetime) * USDC),
    automaticPeriodCap: String((calendar ? perDay.automatic : lifetime) * USDC),
  }

/** Until it is in force, or waits where changes have to. */
async function signPolicy(house: Gathered, vaultId: string, plan: VaultPlan): Promise<void> {
  const { path } = house
  const { client, wallet } = treasurerOf(house)
  const { twoAbove } = plan
  const body = {
    approvedCap: String(plan.approved * USDC),
    automaticCap: String(plan.automatic * USDC),
    lifetimeCap: String(plan.lifetime * USDC),
    reserveFloor: String(plan.reserve * USDC),
    ...periodOf(house, plan),
    tiers: twoAbove === undefined ? [] : [{ above: String(twoAbove * USDC), approvals: 2 }],
    expiresAt: '2099-01-01T00:00:00Z',
    automaticEnabled: true,
    paused: false,
  }
  const own = { ...path, vaultId }
  const { id, transaction } = must(await client.call('preparePolicy', { path: own, body }))
  const transactionHash = await wallet.send(transaction)
  const confirming = { path: { ...own, intentId: id }, body: { transactionHash } }
  await until(
    () => client.call('confirmPolicy', confirming),
    ({ state, proposalId }) => state === 'confirmed' || Boolean(proposalId),
    `the policy of ${plan.label}`,
  )
}

/** In turn, because one wallet sends all transactions. */
async function openVault(house: Gathered, plan: VaultPlan): Promise<string> {
  const { about } = house
  const { wallet } = treasurerOf(house)
  const { id, address } = await deployVault(house, plan)
  await signPolicy(house, id, plan)
  const amount = plan.deposit * USDC
  const token = { address: about.tokenAddress, abi: tokenAbi }
  await wallet.call({ ...token, functionName: 'approve', args: [address, amount] })
  await wallet.call({ address, abi: tokenAbi, functionName: 'deposit', args: [amount] })
  return id
}

const untilHolds = (house: Gathered, vaultId: string, { deposit, label }: VaultPlan) =>
  until(
    () => treasurerOf(house).client.call('getVault', { path: { ...house.path, vaultId } }),
    ({ balanceBaseUnits }) => balanceBaseUnits === String(deposit * USDC),
    `the deposit into ${label}`,
  )

export async function furnishTreasury(house: Gathered): Promise<House> {
  const { path } = house
  const { client } = treasurerOf(house)
  must(await client.call('provisionExecutor', { path }))
  must(await client.call('setCategories', { path, body: { categories: [...categories] } }))
  const known = await addRecipients(house, recipients)
  await until(
    () => client.call('getExecutor', { path }),
    ({ binding }) => binding !== null && binding.nativeBalanceWei !== '0',
    'the executor and its gas',
  )
  const main = await openVault(house, MAIN)
  const events = await openVault(house, EVENTS)
  const added = await addRecipients(house, late)
  await untilHolds(house, main, MAIN)
  await untilHolds(house, events, EVENTS)
  return {
    ...house,
    vaultIds: { main, events },
    recipientIds: { ...known.recipientIds, ...added.recipientIds },
    addresses: { ...known.addresses, ...added.addresses },
  }
}

async function blockRecipient(house: House, vaultId: string): Promise<void> {
  const path = { ...house.path, vaultId }
  const { person, wallet } = residentOf(house, 'Samir Haddad')
  const read = () => person.client.call('getVault', { path })
  const address = must(await read()).address as Address
  const call = { functionName: 'blockRecipient', args: [house.addresses[BLOCKED]] }
  await wallet?.call({ address, abi: vaultAbi, ...call })
  await until(read, (vault) => vault.blockedRecipientAddresses.length > 0, 'the block')
}

/** The owner proposes a policy, which waits, and an approver blocks a recipient. */
export async function changeTreasury(house: House): Promise<void> {
  const { main, events } = house.vaultIds
  const next = { ...EVENTS, approved: 2_000n, reserve: 1_000n }
  await Promise.all([signPolicy(house, events, next), blockRecipient(house, main)])
}
