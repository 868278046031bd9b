/** The demo's company before it has a treasury: people, their roles and their wallets. */
import { randomBytes } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import {
  type DemoWallet,
  fund,
  makeWallet,
  must,
  openSessionAs,
  type Person,
} from './demo-client.ts'
import { USDC } from './demo-stage.ts'
import {
  type Colleague,
  type ColleagueName,
  colleagues,
  ORGANIZATION,
  type RecipientName,
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

/** Before there is a treasury. */
export type Gathered = Surroundings & Pick<House, 'path' | 'residents'>

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

export async function gather(surroundings: Surroundings): Promise<Gathered> {
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
