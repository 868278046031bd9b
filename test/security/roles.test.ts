import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { registerAccess } from '#access/guard.ts'
import { permissions, type Role } from '#access/permissions.ts'
import { registerErrorHandler } from '#http/error-handler.ts'
import { StartupError } from '#platform/errors.ts'
import { createDump, type Dump } from '#test/security/dump.ts'
import { type House, house } from '#test/security/house.ts'
import { type Prepared, prepared } from '#test/security/prepared.ts'
import { fill, organizationRoutes, routes } from '#test/security/routes.ts'
import { createOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'

const org = '/v1/consumer/organizations/:organizationId'
const NO = 'role_required'
/** For every role. */
const NO_WALLET = 'approver_wallet_required'

/**
 * The expected result for each role, written by hand from the product's rules, not read from code.
 */
const expected: Record<string, Record<Role, number | typeof NO | typeof NO_WALLET>> = {
  [`GET ${org}/overview`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/member-funds`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/vaults`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/vaults/:vaultId`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/vault-deployments`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/vaults/:vaultId/policy-intents`]: { owner: 200, manager: 200, employee: NO },
  // The chain is unavailable here: operations that need it say so to permitted callers.
  [`POST ${org}/vault`]: { owner: 503, manager: NO, employee: NO },
  [`POST ${org}/vault-deployments/prepare`]: { owner: 201, manager: NO, employee: NO },
  [`POST ${org}/vault-deployments/:intentId/confirm`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/vaults/:vaultId/default`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/vaults/:vaultId/archive`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/vaults/:vaultId/policy-intents/prepare`]: {
    owner: 201,
    manager: NO,
    employee: NO,
  },
  [`POST ${org}/vaults/:vaultId/policy-intents/:intentId/confirm`]: {
    owner: 200,
    manager: NO,
    employee: NO,
  },
  [`POST ${org}/policies/sync`]: { owner: 503, manager: 503, employee: NO },
  [`GET ${org}/executor`]: { owner: 200, manager: 200, employee: NO },
  // One exists already.
  [`POST ${org}/executor/provision`]: { owner: 409, manager: NO, employee: NO },
  [`POST ${org}/executor/reconcile`]: { owner: 202, manager: 202, employee: NO },
  [`PATCH ${org}`]: { owner: 200, manager: NO, employee: NO },
  // The only owner cannot leave.
  [`POST ${org}/leave`]: { owner: 409, manager: 200, employee: 200 },
  [`GET ${org}/members`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/members/:membershipId/role`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/members/:membershipId/revoke`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/members/:membershipId/confirm`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/pending-members`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/wallet-roles`]: { owner: 201, manager: NO, employee: NO },
  [`POST ${org}/wallet-roles/:walletRoleId/revoke`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/invitations`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/invitations`]: { owner: 201, manager: 201, employee: NO },
  [`POST ${org}/invitations/:invitationId/revoke`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/audit-events`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/audit-head`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/exports/audit.jsonl`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/recipients`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/recipients`]: { owner: 201, manager: 201, employee: NO },
  [`POST ${org}/recipients/import`]: { owner: 201, manager: 201, employee: NO },
  [`PATCH ${org}/recipients/:recipientId`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/recipients/:recipientId/deactivate`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/attachments`]: { owner: 201, manager: 201, employee: 201 },
  [`GET ${org}/attachments/:attachmentId`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/categories`]: { owner: 200, manager: 200, employee: 200 },
  [`PUT ${org}/categories`]: { owner: 200, manager: 200, employee: NO },
  // The expenses are the employee's: only they change them, and only others review them.
  [`GET ${org}/expenses`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/expenses`]: { owner: 201, manager: 201, employee: 201 },
  [`GET ${org}/expenses/:expenseId`]: { owner: 200, manager: 200, employee: 200 },
  [`POST ${org}/expenses/:expenseId/revisions`]: { owner: 403, manager: 403, employee: 201 },
  [`POST ${org}/expenses/:expenseId/submit`]: { owner: 403, manager: 403, employee: 202 },
  [`POST ${org}/expenses/:expenseId/review`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/expenses/:expenseId/comments`]: { owner: 201, manager: 201, employee: 201 },
  [`POST ${org}/expenses/:expenseId/cancel`]: { owner: 403, manager: 403, employee: 200 },
  [`GET ${org}/reports/:reportId`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/expense-counts`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/expenses/:expenseId/revisions/:revision/report`]: {
    ...{ owner: 200, manager: 200, employee: 200 },
  },
  [`GET ${org}/exports/payments.csv`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/exports/expenses.csv`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/spending`]: { owner: 200, manager: 200, employee: NO },
  // The manager's wallet is the approver.
  [`POST ${org}/expenses/:expenseId/approvals/prepare`]: {
    owner: NO_WALLET,
    manager: 200,
    employee: NO_WALLET,
  },
  [`POST ${org}/expenses/:expenseId/approvals/submit-signature`]: {
    owner: NO_WALLET,
    manager: 202,
    employee: NO_WALLET,
  },
  [`POST ${org}/expenses/:expenseId/approvals/cancel-signing`]: {
    owner: NO_WALLET,
    manager: 200,
    employee: NO_WALLET,
  },
  [`POST ${org}/approvals/:approvalId/invalidate`]: { owner: 503, manager: 503, employee: 403 },
  [`POST ${org}/expenses/:expenseId/payments`]: { owner: 202, manager: 202, employee: NO },
  [`GET ${org}/payments/:paymentId`]: { owner: 200, manager: 200, employee: 200 },
  // Nothing of it has been sent yet.
  [`POST ${org}/payments/:paymentId/reconcile`]: { owner: 409, manager: 409, employee: NO },
  [`GET ${org}/activity`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/unrecorded-payments`]: { owner: 200, manager: 200, employee: 403 },
  [`POST ${org}/unrecorded-payments/:unrecordedPaymentId/acknowledge`]: {
    ...{ owner: 200, manager: 403, employee: 403 },
  },
  [`GET ${org}/vaults/:vaultId/funding-control`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/vaults/:vaultId/funding-control`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/provider-signer`]: { owner: 200, manager: 200, employee: NO },
  [`GET ${org}/provider-funding-actions`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/provider-funding-actions`]: { owner: 202, manager: NO, employee: NO },
  [`GET ${org}/provider-funding-actions/:actionId`]: { owner: 200, manager: 200, employee: NO },
  [`POST ${org}/support-cases`]: { owner: 201, manager: 201, employee: 201 },
  [`GET ${org}/support-cases`]: { owner: 200, manager: 200, employee: 200 },
  // The employee's case: owners see all cases, managers their own.
  [`GET ${org}/support-cases/:caseId`]: { owner: 200, manager: 404, employee: 200 },
  [`POST ${org}/support-cases/:caseId/messages`]: { owner: 201, manager: 404, employee: 201 },
  [`GET ${org}/webhooks`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/webhooks`]: { owner: 201, manager: NO, employee: NO },
  [`DELETE ${org}/webhooks/:webhookId`]: { owner: 204, manager: NO, employee: NO },
  [`POST ${org}/webhooks/:webhookId/rotate-secret`]: { owner: 200, manager: NO, employee: NO },
  [`POST ${org}/webhooks/:webhookId/enable`]: { owner: 409, manager: NO, employee: NO },
  [`POST ${org}/webhooks/:webhookId/ping`]: { owner: 202, manager: NO, employee: NO },
  [`GET ${org}/webhooks/:webhookId/deliveries`]: { owner: 200, manager: NO, employee: NO },
  [`GET ${org}/live/snapshot`]: { owner: 200, manager: 200, employee: 200 },
  [`GET ${org}/live/stream`]: { owner: 200, manager: 200, employee: 200 },
}

let service: TestApp
let dump: () => Promise<Dump>
/** Requests that remove nothing. */
let lasting: House

/** Requests that add something and change nothing that exists. */
const onlyAdds = (name: string) =>
  ['attachments', 'invitations', 'recipients', 'expenses', 'expenses/:expenseId/comments'].some(
    (path) => name === `POST ${org}/${path}`,
  )

beforeAll(async () => {
  service = await startTestApp()
  lasting = await house(service)
  dump = await createDump(service.database)
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

describe('what each role may do', () => {
  test('every organization route is in the table above', () => {
    expect(Object.keys(expected).sort()).toEqual(organizationRoutes.map(({ name }) => name).sort())
  })

  const isRefusal = (outcome: number | string) => typeof outcome === 'string' || outcome >= 400

  // Refusals first, while comparing all rows is still quick.
  const cells = organizationRoutes
    .flatMap((route) =>
      Object.entries(expected[route.name] ?? {}).map(
        ([role, outcome]) => [role as Role, route.name, outcome, route] as const,
      ),
    )
    .sort(([, , one], [, , other]) => Number(isRefusal(other)) - Number(isRefusal(one)))

  test.each(cells)('%s at %s: %s', async (role, name, outcome, { method, template }) => {
    const isRefused = isRefusal(outcome)
    const home = isRefused || method === 'GET' || onlyAdds(name) ? lasting : await house(service)
    const { params = {}, ...sent } = prepared[name]?.(home) ?? {}
    const url = fill(template, { ...params, organizationId: home.organization.id })
    const before = isRefused ? await dump() : undefined
    const answer = await send(method, url, { token: personIn(home, role).token, ...sent })
    if (typeof outcome === 'string') {
      expect([answer.status, answer.body.error.code]).toEqual([403, outcome])
    } else {
      expect(answer.status).toBe(outcome)
    }
    if (isRefused) expect(await dump()).toEqual(before)
  })
})

describe('a manager', () => {
  test('cannot invite a manager, and nothing is stored', async () => {
    const home = await house(service)
    const before = await dump()
    const { status, body } = await send('POST', `${home.organization.path}/invitations`, {
      token: home.manager.token,
      body: { role: 'manager' },
    })
    expect([status, body.error.code]).toEqual([403, NO])
    expect(await dump()).toEqual(before)
  })

  test("cannot revoke a manager's invitation, which stays open", async () => {
    const home = await house(service)
    const { path, owner } = home.organization
    const { body: invitation } = await send('POST', `${path}/invitations`, {
      token: owner.token,
      body: { role: 'manager' },
    })
    const before = await dump()
    const { status, body } = await send('POST', `${path}/invitations/${invitation.id}/revoke`, {
      token: home.manager.token,
    })
    expect([status, body.error.code]).toEqual([403, NO])
    expect(await dump()).toEqual(before)
  })
})

describe('the table of permissions', () => {
  const name = `POST ${org}/sign-something`
  const limits = {
    countAccount: async () => {},
    countAnonymous: async () => {},
    countInvitationAttempt: async () => {},
    countExport: async () => {},
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
    const { organization } = await house(service)
    const { id, path, owner } = organization
    const { members } = (await send('GET', `${path}/members`, { token: owner.token })).body
    const own = members.find(
      (member: { accountId: string }) => member.accountId === owner.accountId,
    )
    expect(own.walletRoles).toMatchObject([{ role: 'treasury_owner', active: true }])
    expect(await sign(id, owner)).toEqual([403, 'approver_wallet_required'])
  })

  test('does not accept an approver wallet of another organization', async () => {
    const sign = approverApp()
    const { manager } = await house(service)
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
