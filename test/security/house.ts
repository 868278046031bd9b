/** An organization with something of every kind, and a good request for each of its routes. */
import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'

export const randomAddress = (): string => `0x${randomBytes(20).toString('hex')}`

export const signInWithWallet = (service: TestApp): Promise<Person> =>
  service.signIn(undefined, [{ address: randomAddress(), kind: 'external' }])

export type House = {
  organization: Organization
  manager: Person
  employee: Person
  /** Was a member; the token still verifies. */
  revoked: Person
  membershipId: string
  walletId: string
  walletRoleId: string
  invitationId: string
  recipientId: string
  /** Ids, addresses and names that nobody outside may see. */
  secrets: string[]
}

const post = async (
  { call }: TestApp,
  url: string,
  { token, body }: { token: string; body?: unknown },
) => {
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await call('POST', url, { token, headers, ...(body ? { body } : {}) })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

type Member = { membershipId: string; accountId: string; wallets: { address: string }[] }

export async function house(service: TestApp): Promise<House> {
  const organization = await createOrganization(service, await signInWithWallet(service))
  const { path } = organization
  const { token } = organization.owner
  const manager = await joinOrganization(service, organization, {
    role: 'manager',
    person: await signInWithWallet(service),
  })
  const employee = await joinOrganization(service, organization, { role: 'employee' })
  const revoked = await joinOrganization(service, organization, { role: 'employee' })

  const { members } = (await service.call('GET', `${path}/members`, { token })).body
  const memberOf = (person: Person): Member =>
    members.find(({ accountId }: Member) => accountId === person.accountId)
  await post(service, `${path}/members/${memberOf(revoked).membershipId}/revoke`, { token })

  const { membershipId } = memberOf(manager)
  const [walletId = ''] = manager.walletIds
  const role = { membershipId, walletId, role: 'approver' }
  const walletRole = await post(service, `${path}/wallet-roles`, { token, body: role })
  const invitation = await post(service, `${path}/invitations`, {
    token,
    body: { role: 'employee' },
  })
  const recipient = await post(service, `${path}/recipients`, {
    token,
    body: { label: `Payee ${randomUUID()}`, address: randomAddress(), chainId: 31_337 },
  })
  const secrets = [
    organization.id,
    walletRole.id,
    walletRole.address,
    invitation.id,
    recipient.id,
    recipient.label,
    recipient.address,
    walletId,
    ...members.flatMap(({ membershipId, accountId, wallets }: Member) => [
      membershipId,
      accountId,
      ...wallets.map(({ address }) => address),
    ]),
  ]
  return {
    organization,
    manager,
    employee,
    revoked,
    membershipId,
    walletId,
    walletRoleId: walletRole.id,
    invitationId: invitation.id,
    recipientId: recipient.id,
    secrets: [...new Set<string>(secrets)],
  }
}

export type Prepared = { params?: Record<string, string>; body?: unknown }

const org = '/v1/consumer/organizations/:organizationId'

/** What a member in the right role would send, with ids of things that are really there. */
export const prepared: Record<string, (house: House) => Prepared> = {
  [`GET ${org}/members`]: () => ({}),
  [`POST ${org}/members/:membershipId/revoke`]: ({ membershipId }) => ({
    params: { membershipId },
  }),
  [`POST ${org}/wallet-roles`]: ({ membershipId, walletId }) => ({
    body: { membershipId, walletId, role: 'treasury_owner' },
  }),
  [`POST ${org}/wallet-roles/:walletRoleId/revoke`]: ({ walletRoleId }) => ({
    params: { walletRoleId },
  }),
  [`GET ${org}/invitations`]: () => ({}),
  [`POST ${org}/invitations`]: () => ({ body: { role: 'employee' } }),
  [`POST ${org}/invitations/:invitationId/revoke`]: ({ invitationId }) => ({
    params: { invitationId },
  }),
  [`GET ${org}/recipients`]: () => ({}),
  [`POST ${org}/recipients`]: () => ({
    body: { label: 'Somebody', address: randomAddress(), chainId: 31_337 },
  }),
  [`POST ${org}/recipients/:recipientId/deactivate`]: ({ recipientId }) => ({
    params: { recipientId },
  }),
}
