/** Each refusal of the guard in front of the routes, one after the other. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { membershipOf, outcome, revokeMember } from '#test/support/steps.ts'

const lines: string[] = []
let service: TestApp
let organization: Organization
let neighbour: Organization
let manager: Person
let employee: Person

beforeAll(async () => {
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const env = { RATE_LIMIT_PER_ADDRESS: '30' }
  service = await startTestApp({ env, replace: { log } })
  organization = await createOrganization(service)
  neighbour = await createOrganization(service)
  manager = await joinOrganization(service, organization, { role: 'manager' })
  employee = await joinOrganization(service, organization, { role: 'employee' })
})
afterAll(() => service.stop())

const get = async (url: string, token?: string, headers: Record<string, string> = {}) =>
  service.call('GET', url, { ...(token !== undefined && { token }), headers })

const failedIn = (requestId: string): unknown =>
  lines
    .map((line) => JSON.parse(line))
    .find((line) => line.requestId === requestId && line.msg === 'authentication failed')

const disable = (subject: string) =>
  service.database.asOwner(`update accounts set status = 'disabled' where subject = $1`, [subject])

describe('a request without a valid token', () => {
  test.each<[string, Record<string, string>, string]>([
    ['without a header', {}, 'no header'],
    ['with another scheme', { authorization: 'Basic abc' }, '9 characters of another form'],
  ])('%s is 401, and the log says what was found', async (_name, headers, found) => {
    const requestId = randomUUID()
    const answer = await get('/v1/consumer/me', undefined, {
      'x-request-id': requestId,
      ...headers,
    })
    expect(outcome(answer)).toBe('401 unauthenticated')
    expect(failedIn(requestId)).toMatchObject({ claim: 'scheme', found })
  })

  test('with a token of the other realm is refused, and the log names both', async () => {
    const requestId = randomUUID()
    const headers = { 'x-request-id': requestId }
    expect(outcome(await get('/v1/admin/me', employee.token, headers))).toBe('403 realm_mismatch')
    expect(failedIn(requestId)).toMatchObject({
      claim: 'realm',
      expected: 'admin',
      found: 'consumer',
    })
    const operator = await service.operatorToken()
    expect(outcome(await get('/v1/consumer/me', operator))).toBe('401 unauthenticated')
    expect(outcome(await get('/v1/consumer/me', 'nonsense'))).toBe('401 unauthenticated')
  })
})

describe('an account', () => {
  test('that has opened no session is asked to open one', async () => {
    const { accessToken } = await service.identity.issue({
      ...{ realm: 'consumer', subject: `new-${randomUUID()}` },
    })
    for (const url of ['/v1/consumer/me', '/v1/consumer/organizations', organization.path]) {
      const path = url === organization.path ? `${url}/members` : url
      expect(outcome(await get(path, accessToken))).toMatch(/session_required$/)
    }
  })

  test('that is disabled reads itself and nothing else', async () => {
    const person = await joinOrganization(service, organization, { role: 'manager' })
    await disable(person.subject)
    expect(outcome(await get('/v1/consumer/me', person.token))).toBe('200')
    const refused = [
      await get('/v1/consumer/organizations', person.token),
      await get(`${organization.path}/members`, person.token),
    ]
    expect(refused.map(outcome)).toEqual(['401 account_disabled', '403 account_disabled'])
  })
})

describe('a member', () => {
  test('reads its own organization, even with the id in upper case, and no other', async () => {
    const { token } = employee
    const upper = `/v1/consumer/organizations/${organization.id.toUpperCase()}/members`
    expect(outcome(await get(`${organization.path}/members`, token))).toBe('200')
    expect(outcome(await get(upper, token))).toBe('200')
    expect(outcome(await get(`${neighbour.path}/members`, token))).toBe('403 forbidden')
    const nobody = await get(`/v1/consumer/organizations/${randomUUID()}/members`, token)
    expect(outcome(nobody)).toBe('403 forbidden')
  })

  test('is refused once revoked', async () => {
    const person = await joinOrganization(service, organization, { role: 'employee' })
    const { membershipId } = await membershipOf(service, organization, person)
    await revokeMember(service, organization, membershipId)
    const answer = await get(`${organization.path}/members`, person.token)
    expect(outcome(answer)).toBe('403 forbidden')
  })

  test('needs one of the roles of the route', async () => {
    const path = `${organization.path}/invitations`
    expect(outcome(await get(path, organization.owner.token))).toBe('200')
    expect(outcome(await get(path, manager.token))).toBe('200')
    expect(outcome(await get(path, employee.token))).toBe('403 role_required')
    const pending = `${organization.path}/pending-members`
    expect(outcome(await get(pending, organization.owner.token))).toBe('200')
    expect(outcome(await get(pending, manager.token))).toBe('403 role_required')
  })

  test('needs an approver wallet of this organization for approvals', async () => {
    const path = `${organization.path}/expenses/${randomUUID()}/approvals/prepare`
    const ask = (token: string) =>
      service.call('POST', path, { token, body: { expectedVersion: 1 } })
    expect(outcome(await ask(employee.token))).toBe('403 approver_wallet_required')
    const address = `0x${randomUUID().replaceAll('-', '')}00000000`
    const wallets = [{ address, kind: 'external' as const }]
    const signedIn = await service.signIn(undefined, wallets)
    const person = await joinOrganization(service, organization, {
      ...{ role: 'employee', person: signedIn },
    })
    const member = await membershipOf(service, organization, person)
    const given = await service.call('POST', `${organization.path}/wallet-roles`, {
      token: organization.owner.token,
      body: {
        membershipId: member.membershipId,
        walletId: person.walletIds[0],
        role: 'approver',
      },
    })
    expect(given.status).toBe(201)
    // The guard lets the approver pass; there is no such expense.
    expect(outcome(await ask(person.token))).not.toContain('approver_wallet_required')
    const revoke = `${organization.path}/wallet-roles/${given.body.id}/revoke`
    await service.call('POST', revoke, { token: organization.owner.token })
    expect(outcome(await ask(person.token))).toBe('403 approver_wallet_required')
  })

  test('gets 400 when the id in the path is not a UUID', async () => {
    const answer = await get('/v1/consumer/organizations/not-a-uuid/members', employee.token)
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.error.message).toContain('organizationId')
  })
})

describe('an operator', () => {
  test('is an account that was made one', async () => {
    expect(outcome(await get('/v1/admin/organizations', await service.operatorToken()))).toBe('200')
    const { accessToken } = await service.identity.issue({ realm: 'admin', subject: randomUUID() })
    expect(outcome(await get('/v1/admin/organizations', accessToken))).toMatch(/operator_required$/)
  })

  test('whose account is disabled is refused', async () => {
    const subject = `operator-${randomUUID()}`
    const token = await service.operatorToken(subject)
    expect(outcome(await get('/v1/admin/organizations', token))).toBe('200')
    await disable(subject)
    expect(outcome(await get('/v1/admin/organizations', token))).toBe('403 account_disabled')
  })
})

test('documents and unknown paths count towards the rate limit of an address', async () => {
  const last = async (url: string) => {
    let answer = await get(url)
    for (let n = 0; n < 30 && answer.status !== 429; n += 1) answer = await get(url)
    return answer.status
  }
  expect(await last('/openapi.json')).toBe(429)
  expect(await last('/nowhere')).toBe(429)
  expect(await last('/health/live')).toBe(200)
  expect(outcome(await get('/v1/consumer/me', employee.token))).toBe('200')
})
