/** Northwind Trading and its people: sessions, invitations, members and wallet roles. */
import { grantOperator } from '#identity/operators.ts'
import { aside, type Stage } from '#test/reference/stage.ts'
import type { Person } from '#test/support/app.ts'
import type { TestWallet } from '#test/support/chain.ts'

export type Company = {
  stage: Stage
  id: string
  path: string
  /** The owner. Her hardware wallet owns the vault, her phone approves. */
  ana: Person
  ownerWallet: TestWallet
  approverWallet: TestWallet
  /** The manager. */
  ben: Person
  /** The employee. */
  chiara: Person
  /** An operator of the service. */
  priya: { token: string; subject: string }
  /** Another manager. */
  dana: Person
}

const SESSION = '/v1/consumer/session'
const DOLLAR = 1_000_000n

type Newcomer = { name: string; email: string; wallets?: TestWallet[] }

export async function signIn(
  stage: Stage,
  { name, email, wallets = [] }: Newcomer,
): Promise<Person> {
  const subject = name.toLowerCase().replace(' ', '-')
  const linked = wallets.map(({ address }) => ({ address, kind: 'external' as const }))
  const issued = await stage.treasury.service.identity.issue({
    realm: 'consumer',
    subject,
    name,
    email,
    wallets: linked,
  })
  const who = { token: issued.accessToken }
  const body = { identityToken: issued.identityToken }
  const { body: session } = await stage.send('PUT', SESSION, { who, body })
  const walletIds = session.wallets.map(({ id }: { id: string }) => id)
  return { ...who, subject, accountId: session.account.id, walletIds }
}

export const addressOf = (name: string): string =>
  `${name.toLowerCase().replace(' ', '.')}@northwind.example`

/** Signs in and accepts an invitation of the inviter. */
async function join(
  stage: Stage,
  path: string,
  {
    inviter,
    role,
    name,
    wallets = [],
  }: { inviter: Person; role: string } & Omit<Newcomer, 'email'>,
): Promise<Person> {
  const email = addressOf(name)
  const key = `invite-${email}`
  const invited = await stage.post(inviter, `${path}/invitations`, { body: { role, email }, key })
  const person = await signIn(stage, { name, email, wallets })
  await stage.post(person, `/v1/consumer/invitations/${invited.inviteToken}/accept`)
  return person
}

async function openOperator(stage: Stage): Promise<Company['priya']> {
  const subject = 'priya-nair'
  const { service } = stage.treasury
  await grantOperator(service.ctx, subject)
  const { accessToken: token, identityToken } = await service.identity.issue({
    realm: 'admin',
    subject,
    name: 'Priya Nair',
    email: 'priya.nair@countersign.example',
  })
  const body = { identityToken }
  await stage.send('PUT', '/v1/admin/session', { who: { token }, body })
  await stage.get({ token }, '/v1/admin/me')
  return { token, subject }
}

export async function openCompany(stage: Stage): Promise<Company> {
  const { chain } = stage.treasury
  const ownerWallet = await chain.wallet({ baseUnits: 90_000n * DOLLAR })
  const approverWallet = await chain.wallet()
  const bens = await chain.wallet()
  // With the first Dana approves; the second is paid, since a vault pays no approver.
  const danas = [await chain.wallet({ wei: 0n }), await chain.wallet({ wei: 0n })]
  const wallets = [ownerWallet, approverWallet]
  const ana = await signIn(stage, { name: 'Ana Ruiz', email: addressOf('Ana Ruiz'), wallets })
  const named = { body: { name: 'Northwind Trading' } }
  const { id } = await stage.post(ana, '/v1/consumer/organizations', named)
  const path = `/v1/consumer/organizations/${id}`
  const fullName = { name: 'Northwind Trading Ltd' }
  await stage.send('PATCH', path, { who: ana, body: fullName })
  await part({ stage, path, ana })
  const joining = { inviter: ana, role: 'manager', name: 'Ben Okafor', wallets: [bens] }
  const ben = await join(stage, path, joining)
  const dana = await welcome({ stage, path, ana }, { inviter: ben, wallets: danas })
  const chiara = await join(stage, path, { inviter: ana, role: 'employee', name: 'Chiara Conti' })
  const shown = { displayName: 'Chiara C.' }
  await stage.send('PATCH', '/v1/consumer/me', { who: chiara, body: shown })
  const people = { ana, ben, dana, chiara, priya: await openOperator(stage) }
  const company = { stage, id, path, ...people, ownerWallet, approverWallet }
  await giveRoles(company)
  return company
}

/** Somebody whom a manager invited waits for an owner. */
async function welcome(
  { stage, path, ana }: Pick<Company, 'stage' | 'path' | 'ana'>,
  invited: { inviter: Person; wallets: TestWallet[] },
): Promise<Person> {
  const dana = await join(stage, path, { ...invited, role: 'employee', name: 'Dana Petrova' })
  const { pendingMembers } = await stage.get(ana, `${path}/pending-members?limit=2`)
  const { membershipId } = pendingMembers[0]
  await stage.post(ana, `${path}/members/${membershipId}/confirm`)
  await stage.post(ana, `${path}/members/${membershipId}/role`, { body: { role: 'manager' } })
  return dana
}

type Member = {
  accountId: string
  membershipId: string
  wallets: { id: string; address: string }[]
}

export async function memberOf(
  { stage, path, ana }: Pick<Company, 'stage' | 'path' | 'ana'>,
  person: Person,
): Promise<Member> {
  const { members } = await stage.get(ana, `${path}/members?limit=20`)
  return members.find(({ accountId }: Member) => accountId === person.accountId)
}

async function giveRoles(company: Company): Promise<void> {
  const { stage, path, ana, ben, dana, ownerWallet, approverWallet } = company
  const give = async (person: Person, role: string, wallet?: TestWallet) => {
    const { membershipId, wallets } = await memberOf(company, person)
    const own = wallets.find(({ address }) => !wallet || address === wallet.address)
    const body = { membershipId, walletId: own?.id, role }
    return stage.post(ana, `${path}/wallet-roles`, { body })
  }
  const { id } = await give(ben, 'approver')
  await stage.post(ana, `${path}/wallet-roles/${id}/revoke`)
  await give(dana, 'approver')
  await give(ana, 'treasury_owner', ownerWallet)
  await give(ana, 'approver', approverWallet)
}

/** One leaves, another is removed, and an invitation is withdrawn. */
async function part(company: Pick<Company, 'stage' | 'path' | 'ana'>): Promise<void> {
  const { stage, path, ana } = company
  const role = 'employee'
  const quiet = aside(company).stage
  const elif = await join(quiet, path, { inviter: ana, role, name: 'Elif Demir' })
  await stage.post(elif, `${path}/leave`)
  const felix = await join(quiet, path, { inviter: ana, role, name: 'Felix Brandt' })
  const { membershipId } = await memberOf(company, felix)
  await stage.post(ana, `${path}/members/${membershipId}/revoke`)
  const gita = { role: 'manager', email: addressOf('Gita Rao') }
  const key = `invite-${gita.email}`
  const invited = await quiet.post(ana, `${path}/invitations`, { body: gita, key })
  await stage.get(ana, `${path}/invitations?limit=2`)
  await stage.post(ana, `${path}/invitations/${invited.id}/revoke`)
}
