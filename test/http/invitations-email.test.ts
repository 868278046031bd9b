/** Invitations that name an e-mail address. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { accept, freshKey, outcome } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

async function signInWith(
  claims: { email?: string; emailVerified?: boolean },
  subject: string = randomUUID(),
): Promise<Person> {
  const issued = await service.identity.issue({ realm: 'consumer', subject, ...claims })
  const { accessToken: token, identityToken } = issued
  const body = { identityToken }
  const session = await service.call('PUT', '/v1/consumer/session', { token, body })
  return { token, accountId: session.body.account.id, subject, walletIds: [] }
}

const inviteTo = (
  { path, owner }: Organization,
  email: unknown,
  { token = owner.token, headers = freshKey() } = {},
) =>
  service.call('POST', `${path}/invitations`, { token, body: { role: 'employee', email }, headers })

const listedBy = async ({ path }: Organization, { token }: Person) =>
  (await service.call('GET', `${path}/invitations`, { token })).body.invitations

describe('an invitation to an e-mail address', () => {
  test('is accepted by the account with that verified address, in any letter case', async () => {
    const acme = await createOrganization(service)
    const { body } = await inviteTo(acme, 'Ada@Example.com')
    expect(body.email).toBe('ada@example.com')
    const ada = await signInWith({ email: 'ADA@example.COM' })
    expect(outcome(await accept(service, ada, body.inviteToken))).toBe('200')
  })

  test.each([
    ['no address', {}],
    ['another address', { email: 'eve@example.com' }],
    ['the address, but not verified', { email: 'ada@example.com', emailVerified: false }],
  ])('is unusable for an account with %s, and stays open', async (_how, claims) => {
    const acme = await createOrganization(service)
    const { inviteToken } = (await inviteTo(acme, 'ada@example.com')).body
    const eve = await signInWith(claims)
    const refused = await accept(service, eve, inviteToken)
    expect(outcome(refused)).toBe('409 invitation_unusable')
    // Every unusable invitation says so; a new one to the same address would not help.
    expect(refused.body.error.message).toContain('sign in with an account that has that address')
    // Once the provider has verified the address, a new session is enough.
    await signInWith({ email: 'ada@example.com' }, eve.subject)
    expect(outcome(await accept(service, eve, inviteToken))).toBe('200')
  })

  test('is unusable once the account has another address', async () => {
    const acme = await createOrganization(service)
    const { inviteToken } = (await inviteTo(acme, 'ada@example.com')).body
    const ada = await signInWith({ email: 'ada@example.com' })
    await signInWith({ email: 'ada@elsewhere.example' }, ada.subject)
    expect(outcome(await accept(service, ada, inviteToken))).toBe('409 invitation_unusable')
  })

  test('replays with the same Idempotency-Key', async () => {
    const acme = await createOrganization(service)
    const headers = freshKey()
    const first = await inviteTo(acme, 'ada@example.com', { headers })
    const again = await inviteTo(acme, 'ada@example.com', { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    const other = await inviteTo(acme, 'eve@example.com', { headers })
    expect(outcome(other)).toBe('409 idempotency_key_reused')
  })

  test('shows its address to owners and to the member who sent it', async () => {
    const acme = await createOrganization(service)
    const manager = await joinOrganization(service, acme, { role: 'manager' })
    const other = await joinOrganization(service, acme, { role: 'manager' })
    await inviteTo(acme, 'ada@example.com', { token: manager.token })
    expect((await listedBy(acme, acme.owner))[0].email).toBe('ada@example.com')
    expect((await listedBy(acme, manager))[0].email).toBe('ada@example.com')
    expect((await listedBy(acme, other))[0]).not.toHaveProperty('email')
  })

  test('is audited without the address', async () => {
    const acme = await createOrganization(service)
    const { id } = (await inviteTo(acme, 'ada@example.com')).body
    const token = await service.operatorToken()
    const url = `/v1/admin/organizations/${acme.id}`
    const { body, text } = await service.call('GET', url, { token })
    const event = body.auditEvents.find((one: { aggregateId: string }) => one.aggregateId === id)
    expect(event.data).toMatchObject({ role: 'employee', hasEmail: true })
    expect(text).not.toContain('ada@example.com')
  })

  test.each([
    '',
    'ada',
    'ada@',
    '@b.c',
    'a b@c.d',
    'a@b@c',
    'a@b,c@d',
    `${'a'.repeat(250)}@b.cd`,
    7,
  ])('refuses %j as an address', async (email) => {
    const acme = await createOrganization(service)
    expect(outcome(await inviteTo(acme, email))).toBe('400 validation_failed')
  })
})
