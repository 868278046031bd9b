/** Northwind Trading and its people: sessions, invitations, members and wallet roles. */

import { grantOperator } from '#identity/operators.ts'
import type { Stage } from '#test/reference/stage.ts'
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
  /** Of live events, before anything was paid. */
  cursor: string
}

const SESSION = '/v1/consumer/session'
const DOLLAR = 1_000_000n

type Newcomer = { name: string; email: string; wallets?: TestWallet[] }

async function signIn(stage: Stage, { name, email, wallets = [] }: Newcomer): Promise<Person> {
  const subject = name.toLowerCase().replace(' ', '-')
  const linked = wallets.map(({ address }) => ({ address, kind: 'external' as const }))
  const issued = await stage.treasury.service.identity.issue({
    ...{ realm: 'consumer', subject, name, email },
    wallets: linked,
  })
  const who = { token: issued.accessToken }
  const body = { identityToken: issued.identityToken }
  const { body: session } = await stage.send('PUT', SESSION, { who, body })
  const walletIds = session.wallets.map(({ id }: { id: string }) => id)
  return { ...who, subject, accountId: session.account.id, walletIds }
}

const addressOf = (name: string): string =>
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
    ...{ realm: 'admin', subject, name: 'Priya Nair', email: 'priya.nair@countersign.example' },
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
  const bensWallet = await chain.wallet()
  await stage.send('GET', '/v1/consumer/config')
  const wallets = [ownerWallet, approverWallet]
  const ana = await signIn(stage, { name: 'Ana Ruiz', email: addressOf('Ana Ruiz'), wallets })
  const made = await stage.post(ana, '/v1/consumer/organizations', { body: { name: 'Northwind' } })
  const path = `/v1/consumer/organizations/${made.id}`
  await stage.send('PATCH', path, { who: ana, body: { name: 'Northwind Trading' } })
  const byAna = { inviter: ana }
  const ben = await join(stage, path, {
    ...{ ...byAna, role: 'manager', name: 'Ben Okafor' },
    wallets: [bensWallet],
  })
  await welcomeByManager(stage, path, { ana, ben })
  const chiara = await join(stage, path, { ...byAna, role: 'employee', name: 'Chiara Conti' })
  await stage.send('PATCH', '/v1/consumer/me', { who: chiara, body: { displayName: 'Chiara' } })
  const people = { ana, ben, chiara, ownerWallet, approverWallet }
  const company = {
    stage,
    id: made.id,
    path,
    ...people,
    cursor: '',
    priya: await openOperator(stage),
  }
  await giveRoles(company)
  await part(company)
  const { cursor } = await stage.get(ana, `${path}/live/snapshot`)
  return { ...company, cursor }
}

/** Somebody whom a manager invited waits for an owner. */
async function welcomeByManager(
  stage: Stage,
  path: string,
  { ana, ben }: { ana: Person; ben: Person },
): Promise<void> {
  await join(stage, path, { inviter: ben, role: 'employee', name: 'Dana Petrova' })
  const { pendingMembers } = await stage.get(ana, `${path}/pending-members`)
  const { membershipId } = pendingMembers[0]
  await stage.post(ana, `${path}/members/${membershipId}/confirm`)
  await stage.post(ana, `${path}/members/${membershipId}/role`, { body: { role: 'manager' } })
}

type Member = {
  accountId: string
  membershipId: string
  wallets: { id: string; address: string }[]
}

export async function memberOf({ stage, path, ana }: Company, person: Person): Promise<Member> {
  const { members } = await stage.get(ana, `${path}/members?limit=20`)
  return members.find(({ accountId }: Member) => accountId === person.accountId)
}

async function giveRoles(company: Company): Promise<void> {
  const { stage, path, ana, ben, ownerWallet, approverWallet } = company
  const give = (membershipId: string, walletId: string | undefined, role: string) =>
    stage.post(ana, `${path}/wallet-roles`, { body: { membershipId, walletId, role } })
  const own = await memberOf(company, ana)
  const walletAt = ({ address }: TestWallet) =>
    own.wallets.find((wallet) => wallet.address === address)?.id
  const { membershipId, wallets } = await memberOf(company, ben)
  const { id: walletRoleId } = await give(membershipId, wallets[0]?.id, 'approver')
  await stage.post(ana, `${path}/wallet-roles/${walletRoleId}/revoke`)
  await give(own.membershipId, walletAt(ownerWallet), 'treasury_owner')
  await give(own.membershipId, walletAt(approverWallet), 'approver')
}

/** One leaves, another is removed, and an invitation is withdrawn. */
async function part(company: Company): Promise<void> {
  const { stage, path, ana } = company
  const role = 'employee'
  const elif = await join(stage, path, { inviter: ana, role, name: 'Elif Demir' })
  await stage.post(elif, `${path}/leave`)
  const felix = await join(stage, path, { inviter: ana, role, name: 'Felix Brandt' })
  const { membershipId } = await memberOf(company, felix)
  await stage.post(ana, `${path}/members/${membershipId}/revoke`)
  const gita = { role: 'manager', email: addressOf('Gita Rao') }
  const invited = await stage.post(ana, `${path}/invitations`, {
    body: gita,
    key: `invite-${gita.email}`,
  })
  await stage.get(ana, `${path}/invitations?limit=2`)
  await stage.post(ana, `${path}/invitations/${invited.id}/revoke`)
}
