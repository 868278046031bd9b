import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { registerAccess } from '#access/guard.ts'
import { permissions, type Role } from '#access/permissions.ts'
import { registerErrorHandler } from '#http/error-handler.ts'
import { StartupError } from '#platform/errors.ts'
import { createFingerprint, type Fingerprint } from '#test/security/dump.ts'
import { expectedByRole, NO, org } from '#test/security/expected-roles.ts'
import { type House, house } from '#test/security/house.ts'
import { type Prepared, prepared } from '#test/security/prepared.ts'
import { fill, organizationRoutes, routes } from '#test/security/routes.ts'
import { createOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'

let service: TestApp
let fingerprint: () => Promise<Fingerprint>
let atFirst: Fingerprint
/** Requests that remove nothing. */
let lasting: House

/** Requests that add something and change nothing that exists. */
const ADDING = [
  ...['attachments', 'invitations', 'recipients', 'recipients/import', 'expenses', 'webhooks'],
  ...['expenses/:expenseId/comments', 'support-cases', 'support-cases/:caseId/messages'],
  ...['vault-deployments/prepare', 'vaults/:vaultId/policy-intents/prepare', 'executor/reconcile'],
  'webhooks/:webhookId/ping',
]
const onlyAdds = (name: string) => ADDING.some((path) => name === `POST ${org}/${path}`)

/** Requests of one role that need nothing that another of the same list changes. */
const APART = [
  [
    ...[`PATCH ${org}`, `PUT ${org}/categories`, `PATCH ${org}/recipients/:recipientId`],
    ...[
      ...['vault-deployments/:intentId/confirm', 'vaults/:vaultId/default', 'wallet-roles'],
      ...['vaults/:vaultId/policy-intents/:intentId/confirm', 'members/:membershipId/confirm'],
      ...['invitations/:invitationId/revoke', 'expenses/:expenseId/revisions'],
      ...['expenses/:expenseId/review', 'expenses/:expenseId/payments'],
      ...['expenses/:expenseId/approvals/prepare', 'vaults/:vaultId/funding-control'],
      'unrecorded-payments/:unrecordedPaymentId/acknowledge',
      'webhooks/:webhookId/rotate-secret',
    ].map((path) => `POST ${org}/${path}`),
  ],
  [
    `DELETE ${org}/webhooks/:webhookId`,
    ...[
      ...['vaults/:vaultId/archive', 'recipients/:recipientId/deactivate'],
      ...['wallet-roles/:walletRoleId/revoke', 'members/:membershipId/role'],
      'expenses/:expenseId/submit',
    ].map((path) => `POST ${org}/${path}`),
  ],
]
/** By role, for each list. */
const shared = new Map<string, Promise<House>>()

/** Where a request that changes something is made. */
function houseToChange(role: Role, name: string): Promise<House> {
  const list = APART.findIndex((names) => names.includes(name))
  if (list === -1) return house(service)
  const key = `${role} ${list}`
  const found = shared.get(key) ?? house(service)
  shared.set(key, found)
  return found
}

beforeAll(async () => {
  service = await startTestApp()
  lasting = await house(service)
  fingerprint = await createFingerprint(service.database)
  atFirst = await fingerprint()
})
afterAll(() => service.stop())

const personIn = ({ organization, manager, employee }: House, role: Role): Person =>
  ({ owner: organization.owner, manager, employee })[role]

const send = (
  method: string,
  url: string,
  { token, body, raw, headers }: Omit<Prepared, 'params'> & { token: string },
) =>
  service.call(method, url, {
    token,
    headers: { 'idempotency-key': randomUUID(), ...headers },
    ...(body === undefined ? {} : { body }),
    ...(raw && { raw }),
  })

type Request = { role: Role; name: string; method: string; template: string }

function ask(home: House, { role, name, method, template }: Request) {
  const { params = {}, ...sent } = prepared[name]?.(home) ?? {}
  const url = fill(template, { ...params, organizationId: home.organization.id })
  return send(method, url, { token: personIn(home, role).token, ...sent })
}

describe('what each role may do', () => {
  test('every organization route is in the table', () => {
    expect(Object.keys(expectedByRole).sort()).toEqual(
      organizationRoutes.map(({ name }) => name).sort(),
    )
  })

  const isRefusal = (outcome: number | string) => typeof outcome === 'string' || outcome >= 400

  const cells = organizationRoutes.flatMap((route) =>
    Object.entries(expectedByRole[route.name] ?? {}).map(
      ([role, outcome]) => [role as Role, route.name, outcome, route] as const,
    ),
  )
  const refused = cells.filter(([, , outcome]) => isRefusal(outcome))
  const accepted = cells.filter(([, , outcome]) => !isRefusal(outcome))

  test.each(refused)('%s at %s: %s', async (role, name, outcome, { method, template }) => {
    const answer = await ask(lasting, { role, name, method, template })
    if (typeof outcome === 'number') expect(answer.status).toBe(outcome)
    else expect([answer.status, answer.body.error.code]).toEqual([403, outcome])
  })

  test('a refusal changes nothing', async () => {
    expect(refused.length).toBeGreaterThan(100)
    expect(await fingerprint()).toEqual(atFirst)
  })

  test.each(accepted)('%s at %s: %s', async (role, name, outcome, { method, template }) => {
    const keeps = method === 'GET' || onlyAdds(name)
    const home = keeps ? lasting : await houseToChange(role, name)
    expect((await ask(home, { role, name, method, template })).status).toBe(outcome)
  })
})

describe('a manager', () => {
  test('cannot invite a manager, and nothing is stored', async () => {
    const before = await fingerprint()
    const { status, body } = await send('POST', `${lasting.organization.path}/invitations`, {
      token: lasting.manager.token,
      body: { role: 'manager' },
    })
    expect([status, body.error.code]).toEqual([403, NO])
    expect(await fingerprint()).toEqual(before)
  })

  test("cannot revoke a manager's invitation, which stays open", async () => {
    const { path, owner } = lasting.organization
    const { body: invitation } = await send('POST', `${path}/invitations`, {
      token: owner.token,
      body: { role: 'manager' },
    })
    const before = await fingerprint()
    const { status, body } = await send('POST', `${path}/invitations/${invitation.id}/revoke`, {
      token: lasting.manager.token,
    })
    expect([status, body.error.code]).toEqual([403, NO])
    expect(await fingerprint()).toEqual(before)
  })
})

describe('the table of permissions', () => {
  const name = `POST ${org}/sign-something`
  const limits = {
    countAccount: async () => {},
    countAnonymous: async () => {},
    countInvitationAttempt: async () => {},
    countExport: async () => {},
    countUnsubscription: async () => {},
  }
  let apps: FastifyInstance[] = []

  afterEach(async () => {
    delete permissions[name]
    for (const app of apps) await app.close()
    apps = []
  })

  const tinyApp = (): FastifyInstance => {
    const app = fastify()
    registerErrorHandler(app)
    registerAccess(app, { ctx: service.ctx, limits })
    apps.push(app)
    return app
  }

  /** A route that requires an active approver wallet of the caller. */
  function approverApp() {
    permissions[name] = {
      realm: 'consumer',
      roles: ['owner', 'manager', 'employee'],
      walletRole: 'approver',
    }
    const app = tinyApp()
    app.post(`${org}/sign-something`, async () => ({ done: true }))
    return async (organizationId: string, { token }: Person) => {
      const url = fill(`${org}/sign-something`, { organizationId })
      const headers = { authorization: `Bearer ${token}` }
      const answer = await app.inject({ method: 'POST', url, headers })
      return [answer.statusCode, answer.json().error?.code]
    }
  }

  test('enforces a wallet role until it is revoked', async () => {
    const sign = approverApp()
    const home = await house(service)
    const { id, path, owner } = home.organization
    const refused = [403, 'approver_wallet_required']
    expect(await sign(id, owner)).toEqual(refused)
    expect(await sign(id, home.employee)).toEqual(refused)
    expect(await sign(id, home.manager)).toEqual([200, undefined])

    const { token } = owner
    await send('POST', `${path}/wallet-roles/${home.walletRoleId}/revoke`, { token })
    expect(await sign(id, home.manager)).toEqual(refused)
  })

  test('does not accept another wallet role instead', async () => {
    const sign = approverApp()
    const { id, path, owner } = lasting.organization
    const { members } = (await send('GET', `${path}/members`, { token: owner.token })).body
    const own = members.find(
      (member: { accountId: string }) => member.accountId === owner.accountId,
    )
    expect(own.walletRoles).toMatchObject([{ role: 'treasury_owner', active: true }])
    expect(await sign(id, owner)).toEqual([403, 'approver_wallet_required'])
  })

  test('does not accept an approver wallet of another organization', async () => {
    const sign = approverApp()
    const { manager } = lasting
    const own = await createOrganization(service, manager)
    expect(await sign(own.id, manager)).toEqual([403, 'approver_wallet_required'])
  })

  test('stops the start for a route without an entry, and names it', () => {
    const app = tinyApp()
    const add = () => app.get('/v1/consumer/forgotten', async () => ({}))
    expect(add).toThrow(StartupError)
    expect(add).toThrow(/GET \/v1\/consumer\/forgotten/)
  })

  test('does not apply an entry to another method', () => {
    const app = tinyApp()
    expect(() => app.delete('/v1/consumer/me', async () => ({}))).toThrow(
      /DELETE \/v1\/consumer\/me/,
    )
  })

  test('has no entry without a route', () => {
    const isPage = (template: string) => template.startsWith('/docs')
    for (const { name, method, template } of routes.filter((route) => !isPage(route.template))) {
      // The router stores paths without the trailing slash and matches both.
      const url = template.replace(/\/$/, '')
      expect(service.app.hasRoute({ method: method as 'GET', url }), name).toBe(true)
    }
  })
})
