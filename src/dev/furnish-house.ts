/** The demo's company before its first expense: people, wallets, recipients, vaults, policies. */
import { randomBytes } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { StartupError } from '#platform/errors.ts'
import {
  type DemoWallet,
  fund,
  makeWallet,
  must,
  openSessionAs,
  type Person,
  until,
} from './demo-client.ts'
import { tokenAbi, USDC } from './demo-stage.ts'
import {
  type Colleague,
  type ColleagueName,
  categories,
  colleagues,
  late,
  ORGANIZATION,
  type RecipientName,
  recipients,
} from './furnish-people.ts'
import { placesOf, type Surroundings } from './furnish-surroundings.ts'

export type Resident = Colleague & {
  name: ColleagueName
  subject: string
  email: string
  person: Person
  /** Of those with a role in the treasury. */
  key?: Hex
  wallet?: DemoWallet
}

type OwnPath = { organizationId: string }

export type House = Surroundings & {
  path: OwnPath
  residents: readonly Resident[]
  recipientIds: Record<RecipientName, string>
  addresses: Record<RecipientName, Address>
  vaultIds: { main: string; events: string }
}

export function residentOf(
  { residents }: Pick<House, 'residents'>,
  name: ColleagueName,
): Resident & { wallet?: DemoWallet } {
  const found = residents.find((one) => one.name === name)
  if (!found) throw new Error(`Nobody is called ${name}.`)
  return found
}

const GAS_WEI = String(10n ** 18n)

/** A suffix keeps them apart from people of the same name, and from an interrupted attempt. */
const subjectOf = (name: string, suffix: string): string =>
  `${name.toLowerCase().replaceAll(' ', '-')}-${suffix}`

async function settle(
  surroundings: Surroundings,
  colleague: Colleague & { name: ColleagueName },
  suffix: string,
): Promise<Resident> {
  const { helper, about } = surroundings
  const { name, walletRole } = colleague
  const subject = subjectOf(name, suffix)
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@larkfield.example`
  const person = await openSessionAs(placesOf(surroundings), { subject, name, email })
  const resident = { ...colleague, subject, email, person }
  if (!walletRole) return resident
  const key = generatePrivateKey()
  const wallet = makeWallet(about, key)
  const token = walletRole === 'treasury_owner' ? String(100_000n * USDC) : '0'
  await fund(helper, wallet, { native: GAS_WEI, token })
  return { ...resident, key, wallet }
}

/** The wallet signs a message, as it does when the application links it. */
async function linkWallet({ person: { client }, wallet }: Resident): Promise<string> {
  if (!wallet) throw new Error('There is no wallet to link.')
  const asked = { body: { address: wallet.address } }
  const { challengeId, message } = must(await client.call('challengeWalletLink', asked))
  const signature = await wallet.signMessage(message)
  return must(await client.call('linkWallet', { body: { challengeId, signature } })).id
}

async function join(path: OwnPath, owner: Person, { role, person }: Resident): Promise<void> {
  const invited = { role: role === 'employee' ? ('employee' as const) : ('manager' as const) }
  const { inviteToken } = must(await owner.client.call('createInvitation', { path, body: invited }))
  must(await person.client.call('acceptInvitation', { path: { token: inviteToken } }))
  if (role === 'owner') await makeOwner({ path, owner: owner.client, accountId: person.accountId })
}

async function membershipIdOf(
  { path, owner }: { path: OwnPath; owner: Person['client'] },
  accountId: string,
): Promise<string> {
  const { members } = must(await owner.call('listMembers', { path }))
  return members.find((one) => one.accountId === accountId)?.membershipId ?? ''
}

/** Invitations are for managers and employees only. */
export async function makeOwner(options: {
  path: OwnPath
  owner: Person['client']
  accountId: string
}): Promise<void> {
  const { path, owner, accountId } = options
  const membershipId = await membershipIdOf({ path, owner }, accountId)
  const body = { role: 'owner' as const }
  must(await owner.call('changeMemberRole', { path: { ...path, membershipId }, body }))
}

async function giveWalletRole(path: OwnPath, owner: Person, resident: Resident): Promise<void> {
  const { walletRole: role, person } = resident
  if (!role) return
  const walletId = await linkWallet(resident)
  const membershipId = await membershipIdOf({ path, owner: owner.client }, person.accountId)
  const body = { membershipId, walletId, role }
  must(await owner.client.call('assignWalletRole', { path, body }))
}

export async function gather(surroundings: Surroundings) {
  const suffix = randomBytes(3).toString('hex')
  // The faucet sends one transaction after the other, so the people may come at once.
  const residents = await Promise.all(
    colleagues.map((colleague) => settle(surroundings, colleague, suffix)),
  )
  const [founder, ...others] = residents
  if (!founder) throw new Error('Somebody must create the organization.')
  const owner = founder.person
  const made = await owner.client.call('createOrganization', { body: { name: ORGANIZATION } })
  const path = { organizationId: must(made).id }
  await Promise.all(others.map((resident) => join(path, owner, resident)))
  await Promise.all(residents.map((resident) => giveWalletRole(path, owner, resident)))
  return { ...surroundings, path, residents }
}

type Gathered = Awaited<ReturnType<typeof gather>>

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
}

const MAIN: VaultPlan = {
  label: 'Main',
  deposit: 80_000n,
  approved: 5_000n,
  automatic: 250n,
  lifetime: 250_000n,
  reserve: 10_000n,
}
const EVENTS: VaultPlan = {
  label: 'Events',
  deposit: 9_000n,
  approved: 1_500n,
  automatic: 100n,
  lifetime: 20_000n,
  reserve: 500n,
}

function treasurerOf(house: Gathered) {
  const { person, wallet } = residentOf(house, 'Ana Ruiz')
  if (!wallet) throw new Error('The treasury needs a wallet.')
  return { client: person.client, wallet }
}

async function deployVault(house: Gathered, { label }: VaultPlan) {
  const { path } = house
  const { client, wallet } = treasurerOf(house)
  const preparing = { path, body: { label } }
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

async function signPolicy(house: Gathered, vaultId: string, plan: VaultPlan): Promise<void> {
  const { path } = house
  const { client, wallet } = treasurerOf(house)
  const body = {
    approvedCap: String(plan.approved * USDC),
    automaticCap: String(plan.automatic * USDC),
    lifetimeCap: String(plan.lifetime * USDC),
    reserveFloor: String(plan.reserve * USDC),
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
    ({ state }) => state === 'confirmed',
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
