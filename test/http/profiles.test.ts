/** Names of people: from the ID token, or their own choice; e-mail addresses for owners. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { writePendingMember } from '#test/support/books.ts'
import { createExpense, openExpenseHouse, takeStep } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { accept, invite, outcome } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

type Claims = { name?: string; email?: string; emailVerified?: boolean }

/** Opens a session with a token that has these claims. */
async function signInAs(claims: Claims, subject = `person-${randomUUID()}`): Promise<Person> {
  const issued = await service.identity.issue({ realm: 'consumer', subject, ...claims })
  const { accessToken: token, identityToken } = issued
  const session = await service.call('PUT', '/v1/consumer/session', {
    token,
    body: { identityToken },
  })
  expect(session.status).toBe(200)
  return { token, accountId: session.body.account.id, subject, walletIds: [] }
}

const nameOf = async ({ token }: Person) =>
  (await service.call('GET', '/v1/consumer/me', { token })).body.account.displayName

const choose = ({ token }: Person, displayName: unknown) =>
  service.call('PATCH', '/v1/consumer/me', { token, body: { displayName } })

const listed = async ({ path }: Organization, { token }: Person, { accountId }: Person) => {
  const { body } = await service.call('GET', `${path}/members`, { token })
  return body.members.find((member: { accountId: string }) => member.accountId === accountId)
}

describe('the name of an account', () => {
  test('is null without a name in the ID token', async () => {
    expect(await nameOf(await signInAs({}))).toBeNull()
  })

  test('follows the newest ID token', async () => {
    const ada = await signInAs({ name: 'Ada Byron' })
    expect(await nameOf(ada)).toBe('Ada Byron')
    await signInAs({ name: 'Ada Lovelace' }, ada.subject)
    expect(await nameOf(ada)).toBe('Ada Lovelace')
    await signInAs({}, ada.subject)
    expect(await nameOf(ada)).toBeNull()
  })

  test('is ignored if it is not one line of visible text', async () => {
    expect(await nameOf(await signInAs({ name: 'Ada\nLovelace' }))).toBeNull()
    expect(await nameOf(await signInAs({ name: 'x'.repeat(101) }))).toBeNull()
  })
})

describe('PATCH /v1/consumer/me', () => {
  test('overrides the name in the token until it is removed', async () => {
    const ada = await signInAs({ name: 'Ada Lovelace' })
    const chosen = await choose(ada, ' Countess ')
    expect(chosen.body.account).toEqual({
      id: ada.accountId,
      status: 'active',
      displayName: 'Countess',
    })
    await signInAs({ name: 'A. Lovelace' }, ada.subject)
    expect(await nameOf(ada)).toBe('Countess')
    expect((await choose(ada, null)).body.account.displayName).toBe('A. Lovelace')
  })

  test('records the change without the name', async () => {
    const ada = await signInAs({})
    await choose(ada, 'Secret Name')
    const rows = await service.database.asOwner<{ data: unknown; organization_id: string | null }>(
      `select data, organization_id from audit_events
       where action = 'account.renamed' and aggregate_id = $1`,
      [ada.accountId],
    )
    expect(rows).toEqual([{ data: { isChosen: true }, organization_id: null }])
  })

  test.each([[''], ['   '], ['a\nb'], ['x'.repeat(101)], [7], [undefined]])(
    'refuses %j',
    async (displayName) => {
      const ada = await signInAs({ name: 'Ada' })
      expect(outcome(await choose(ada, displayName))).toBe('400 validation_failed')
      expect(await nameOf(ada)).toBe('Ada')
    },
  )

  test('is 401 without a token and without a session', async () => {
    const call = (token?: string) =>
      service.call('PATCH', '/v1/consumer/me', {
        ...(token !== undefined && { token }),
        body: { displayName: 'Ada' },
      })
    expect(outcome(await call())).toBe('401 unauthenticated')
    const { accessToken } = await service.identity.issue({ realm: 'consumer', subject: 'nobody' })
    expect(outcome(await call(accessToken))).toBe('401 session_required')
  })
})

describe('names in an organization', () => {
  test('are shown with members, pending members and invitations', async () => {
    const owner = await signInAs({ name: 'Olga', email: 'Olga@Example.com' })
    const acme = await createOrganization(service, owner)
    const guest = await signInAs({ name: 'Gus' })
    const { inviteToken } = (await invite(service, acme)).body
    await accept(service, guest, inviteToken)
    expect((await listed(acme, guest, guest)).displayName).toBe('Gus')
    expect((await listed(acme, guest, owner)).displayName).toBe('Olga')
    const { body } = await service.call('GET', `${acme.path}/invitations`, { token: owner.token })
    expect(body.invitations[0]).toMatchObject({
      invitedByAccountId: owner.accountId,
      invitedByDisplayName: 'Olga',
      acceptedByAccountId: guest.accountId,
      acceptedByDisplayName: 'Gus',
    })
    await writePendingMember(service, acme)
    const pending = await service.call('GET', `${acme.path}/pending-members`, {
      token: owner.token,
    })
    expect(pending.body.pendingMembers[0].displayName).toBeNull()
  })

  test('an open invitation names nobody who accepted it', async () => {
    const acme = await createOrganization(service)
    await invite(service, acme)
    const { token } = acme.owner
    const { body } = await service.call('GET', `${acme.path}/invitations`, { token })
    expect(body.invitations[0]).toMatchObject({
      invitedByDisplayName: null,
      acceptedByAccountId: null,
      acceptedByDisplayName: null,
      email: null,
    })
  })

  test('are shown with expenses and comments, to members and operators', async () => {
    const house = await openExpenseHouse(service)
    const { organization, employee, manager } = house
    await choose(employee, 'Emil')
    await choose(manager, 'Mara')
    const created = await createExpense(service, house)
    expect(created.body.submitterDisplayName).toBe('Emil')
    const { id } = created.body
    const commented = await takeStep(service, house, {
      id,
      step: 'comments',
      person: manager,
      body: { body: 'For whom?' },
    })
    expect(commented.body.comments[0]).toMatchObject({
      authorAccountId: manager.accountId,
      displayName: 'Mara',
    })
    const url = `${organization.path}/expenses`
    const { body } = await service.call('GET', url, { token: employee.token })
    expect(body.expenses[0].submitterDisplayName).toBe('Emil')
    const token = await service.operatorToken()
    const detail = await service.call('GET', `/v1/admin/organizations/${organization.id}`, {
      token,
    })
    expect(detail.body.expenses[0].submitterDisplayName).toBe('Emil')
    expect(detail.body.expenseComments[0].displayName).toBe('Mara')
  })

  test('e-mail addresses are shown to owners only, and only verified ones', async () => {
    const owner = await signInAs({ email: 'Olga@Example.com' })
    const acme = await createOrganization(service, owner)
    const person = await signInAs({ email: 'max@example.com', emailVerified: false })
    const manager = await joinOrganization(service, acme, { role: 'manager', person })
    expect((await listed(acme, owner, owner)).email).toBe('olga@example.com')
    expect((await listed(acme, owner, manager)).email).toBeNull()
    for (const reader of [manager, await joinOrganization(service, acme, { role: 'employee' })]) {
      expect(await listed(acme, reader, owner)).not.toHaveProperty('email')
    }
  })

  test('e-mail addresses are not shown of people who left', async () => {
    const acme = await createOrganization(service)
    const max = await signInAs({ email: 'max@acme.example' })
    await joinOrganization(service, acme, { role: 'employee', person: max })
    expect((await listed(acme, acme.owner, max)).email).toBe('max@acme.example')
    await service.call('POST', `${acme.path}/leave`, { token: max.token })
    await signInAs({ email: 'max@rival.example' }, max.subject)
    expect((await listed(acme, acme.owner, max)).email).toBeNull()
  })

  test('do not cross tenants', async () => {
    const ada = await signInAs({ name: 'Ada', email: 'ada@example.com' })
    await createOrganization(service, ada)
    const other = await createOrganization(service)
    const scope = { organizationId: other.id, accountId: other.owner.accountId }
    const seen = await service.api.db.transaction(scope, (tx) =>
      tx.query(sql`select name from profiles where account_id = ${ada.accountId}`),
    )
    expect(seen).toEqual([])
  })

  test('operators see names and no e-mail address', async () => {
    const owner = await signInAs({ name: 'Olga', email: 'olga@example.com' })
    const acme = await createOrganization(service, owner)
    const token = await service.operatorToken()
    const url = `/v1/admin/organizations/${acme.id}`
    const { body, text } = await service.call('GET', url, { token })
    expect(body.members[0].displayName).toBe('Olga')
    const created = body.auditEvents.find(
      (event: { action: string }) => event.action === 'organization.created',
    )
    expect(created).toMatchObject({ actorAccountId: owner.accountId, displayName: 'Olga' })
    expect(text).not.toContain('olga@example.com')
  })
})
