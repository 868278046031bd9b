import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUnchanged } from '#test/security/dump.ts'
import { type House, house, signInWithWallet } from '#test/security/house.ts'
import { type Prepared, prepared } from '#test/security/prepared.ts'
import {
  declares,
  documentPath,
  fill,
  organizationRoutes,
  parametersOf,
  type Route,
} from '#test/security/routes.ts'
import {
  type Answer,
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { document } from '#test/support/contract.ts'

let service: TestApp
let victim: House
let other: Organization
/** Has the same resources as the victim. */
let own: House
let expectNothingChanged: () => Promise<void>
const tokens: Record<string, string | undefined> = { 'an anonymous caller': undefined }

const outsiders = {
  'a non-member': [403, 'forbidden'],
  'the owner of another organization': [403, 'forbidden'],
  'a manager of another organization': [403, 'forbidden'],
  'an employee of another organization': [403, 'forbidden'],
  'a revoked member with a valid token': [403, 'forbidden'],
  'an operator': [403, 'realm_mismatch'],
  'an anonymous caller': [401, 'unauthenticated'],
} as const

beforeAll(async () => {
  service = await startTestApp()
  victim = await house(service)
  own = await house(service)
  const foreignOwner = await signInWithWallet(service)
  other = await createOrganization(service, foreignOwner)
  // An approver there, who tries here what they may do at home.
  const [walletId] = foreignOwner.walletIds
  const role = { membershipId: other.ownerMembershipId, walletId, role: 'approver' }
  const { token } = foreignOwner
  const given = await service.call('POST', `${other.path}/wallet-roles`, { token, body: role })
  expect(given.status).toBe(201)
  tokens['a non-member'] = (await service.signIn()).token
  tokens['the owner of another organization'] = foreignOwner.token
  tokens['a manager of another organization'] = (
    await joinOrganization(service, other, { role: 'manager' })
  ).token
  tokens['an employee of another organization'] = (
    await joinOrganization(service, other, { role: 'employee' })
  ).token
  tokens['a revoked member with a valid token'] = victim.revoked.token
  tokens['an operator'] = await service.operatorToken()
  expectNothingChanged = await createUnchanged(service.database)
})
afterAll(() => service.stop())

const preparedFor = ({ name }: Route): Prepared => {
  const make = prepared[name]
  if (!make) throw new Error(`${name} has no request prepared in house.ts`)
  return make(victim)
}

const routeNamed = (method: string, end: string): Route => {
  const found = organizationRoutes.find(
    (route) => route.method === method && route.template.endsWith(`:organizationId${end}`),
  )
  if (!found) throw new Error(`There is no ${method} ${end}`)
  return found
}

type Ask = { organizationId: string; token: string | undefined; ids?: Record<string, string> }

const REQUEST_ID = 'the-same-for-both'

function ask(route: Route, { organizationId, token, ids = {} }: Ask): Promise<Answer> {
  const { params = {}, body, raw, headers } = preparedFor(route)
  const url = fill(route.template, { ...params, ...ids, organizationId })
  return service.call(route.method, url, {
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
    ...(raw && { raw }),
    headers: { 'idempotency-key': randomUUID(), 'x-request-id': REQUEST_ID, ...headers },
  })
}

const shown = ({ status, text, headers }: Answer) => {
  const { date: _date, ...rest } = headers
  return { status, text, headers: rest }
}

const leaked = (answer: Answer): string[] => {
  const said = JSON.stringify([answer.text, answer.headers]).toLowerCase()
  return victim.secrets.filter((secret) => said.includes(secret.toLowerCase()))
}

describe('coverage', () => {
  test('every organization route of the table has a prepared request', () => {
    expect(Object.keys(prepared).sort()).toEqual(organizationRoutes.map(({ name }) => name).sort())
    expect(organizationRoutes.length).toBeGreaterThanOrEqual(10)
  })

  test('every organization operation of the document is in the table', () => {
    const documented = Object.entries(document.paths)
      .filter(([path]) => path.includes('/{organizationId}') && path.startsWith('/v1/consumer/'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
    const listed = organizationRoutes.map(
      (route) => `${route.method} ${documentPath(route.template)}`,
    )
    expect(documented.sort()).toEqual(listed.sort())
  })

  test('every prepared request has real ids for every parameter', () => {
    for (const route of organizationRoutes) {
      const given = ['organizationId', ...Object.keys(preparedFor(route).params ?? {})]
      expect(given.sort(), route.name).toEqual(parametersOf(route.template).sort())
    }
  })
})

describe.each(Object.entries(outsiders))('%s', (who, [status, code]) => {
  test.each(organizationRoutes.map((route) => [route.name, route] as const))(
    `is refused with ${status} ${code}, or 401 without a declared 403, at %s, and learns nothing`,
    async (_name, route) => {
      const token = tokens[who]
      const real = await ask(route, { organizationId: victim.organization.id, token })
      const upper = await ask(route, {
        organizationId: victim.organization.id.toUpperCase(),
        token,
      })
      const unknown = await ask(route, { organizationId: randomUUID(), token })

      const refusal = declares(route, 403) ? [status, code] : [401, 'unauthenticated']
      expect([real.status, real.body.error.code]).toEqual(refusal)
      expect(shown(real)).toEqual(shown(unknown))
      expect(shown(upper)).toEqual(shown(unknown))
      expect(leaked(real)).toEqual([])
    },
  )

  test('has changed nothing', () => expectNothingChanged())
})

describe("the owner's own organization with the ids of another", () => {
  const withIds = organizationRoutes.filter(({ template }) => parametersOf(template).length > 1)

  test.each(withIds.map((route) => [route.name, route] as const))(
    '%s is 404, or 403 where it has none, as for an id that nobody has',
    async (_name, route) => {
      const refusal = declares(route, 404) ? [404, 'not_found'] : [403, 'forbidden']
      const own = { organizationId: other.id, token: other.owner.token }
      const foreign = await ask(route, own)
      const ids = Object.fromEntries(
        parametersOf(route.template)
          .filter((name) => name !== 'organizationId')
          .map((name) => [name, name === 'revision' ? '1' : randomUUID()]),
      )
      const unknown = await ask(route, { ...own, ids })

      expect([foreign.status, foreign.body.error.code]).toEqual(refusal)
      expect(shown(foreign)).toEqual(shown(unknown))
      expect(leaked(foreign)).toEqual([])
    },
  )

  test('has changed nothing', () => expectNothingChanged())

  test.each([
    ['membership', () => ({ membershipId: victim.membershipId, walletId: victim.walletId })],
    ['wallet', () => ({ membershipId: other.ownerMembershipId, walletId: victim.walletId })],
  ])('a wallet role for a foreign %s is 403 and nothing is stored', async (_kind, ids) => {
    const answer = await service.call('POST', `${other.path}/wallet-roles`, {
      token: other.owner.token,
      body: { ...ids(), role: 'approver' },
    })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden'])
    expect(leaked(answer)).toEqual([])
    await expectNothingChanged()
  })

  test.each([
    ['vault', () => ({ vaultId: victim.defaultVaultId, recipientId: own.recipientId })],
    ['recipient', () => ({ vaultId: own.defaultVaultId, recipientId: victim.recipientId })],
    [
      'attachment',
      () => ({
        ...{ vaultId: own.defaultVaultId, recipientId: own.recipientId },
        attachmentIds: [victim.attachmentId],
      }),
    ],
  ])('an expense with a foreign %s is 403 and nothing is stored', async (_kind, ids) => {
    const { path, owner } = own.organization
    const { body } = preparedFor(routeNamed('POST', '/expenses'))
    const answer = await service.call('POST', `${path}/expenses`, {
      token: owner.token,
      body: { ...(body as object), ...ids() },
      headers: { 'idempotency-key': randomUUID() },
    })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden'])
    expect(leaked(answer)).toEqual([])
    await expectNothingChanged()
  })

  test('lists show only what is its own', async () => {
    const lists = organizationRoutes.filter(
      ({ method, template }) => method === 'GET' && parametersOf(template).length === 1,
    )
    for (const route of lists) {
      const answer = await ask(route, { organizationId: other.id, token: other.owner.token })
      expect(answer.status, route.name).toBe(200)
      expect(leaked(answer), route.name).toEqual([])
    }
  })
})

describe('the victim itself', () => {
  test('sees every secret, so the searches above could have found it', async () => {
    const { organization } = victim
    const seen = new Set<string>()
    for (const route of organizationRoutes.filter(({ method }) => method === 'GET')) {
      const answer = await ask(route, {
        organizationId: organization.id,
        token: organization.owner.token,
      })
      expect(answer.status, route.name).toBe(200)
      for (const secret of leaked(answer)) seen.add(secret)
    }
    const listed = await service.call('GET', '/v1/consumer/organizations', {
      token: organization.owner.token,
    })
    for (const secret of leaked(listed)) seen.add(secret)
    expect([...seen].sort()).toEqual([...victim.secrets].sort())
  })
})
