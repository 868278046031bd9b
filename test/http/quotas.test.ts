/** Quotas per account and organization, also under concurrent requests. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { freshKey, invite, liftOwnersRowSecurity, tally, times } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp({
    env: {
      ORGANIZATIONS_PER_ACCOUNT: '2',
      SERVER_WALLETS_PER_ACCOUNT: '2',
      SERVER_WALLETS_PER_ORGANIZATION: '3',
      EXECUTORS_PER_ORGANIZATION: '2',
      INVITATIONS_PER_ORGANIZATION: '3',
    },
  })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

type Organization = Awaited<ReturnType<typeof createOrganization>>

describe('organizations', () => {
  const create = (token: string) =>
    service.call('POST', '/v1/consumer/organizations', { token, body: { name: 'Acme' } })

  test("stop at the account's quota without affecting another account", async () => {
    const [{ token }, other] = [await service.signIn(), await service.signIn()]
    const answers = await Promise.all(times(5, () => create(token)))
    expect(tally(answers)).toEqual({ '201': 2, '400 state_conflict': 3 })
    const refused = answers.find(({ status }) => status === 400)
    expect(refused?.body.error.message).toContain('An account may create at most 2 organizations.')
    expect((await create(other.token)).status).toBe(201)
  })
})

describe('server wallets', () => {
  const create = (token: string, organizationId?: string, idempotencyKey: string = randomUUID()) =>
    service.call('POST', '/v1/consumer/wallets/', {
      token,
      body: { purpose: 'Deposits', idempotencyKey, ...(organizationId && { organizationId }) },
    })

  test("stop at the account's quota, and a repeated request still gets its wallet", async () => {
    const { token } = await service.signIn()
    const first = randomUUID()
    expect((await create(token, undefined, first)).status).toBe(201)
    const answers = await Promise.all(times(4, () => create(token)))
    expect(tally(answers)).toEqual({ '201': 1, '400 state_conflict': 3 })
    const refused = answers.find(({ status }) => status === 400)
    expect(refused?.body.error.message).toContain('An account may have at most 2 server wallets.')
    expect((await create(token, undefined, first)).status).toBe(201)
  })

  test("stop at the organization's quota, whichever member asks", async () => {
    const organization = await createOrganization(service)
    const people = [
      organization.owner,
      await joinOrganization(service, organization, { role: 'manager' }),
      await joinOrganization(service, organization, { role: 'manager' }),
    ]
    const asked = people.flatMap(({ token }) => times(2, () => create(token, organization.id)))
    const answers = await Promise.all(asked)
    expect(tally(answers)).toEqual({ '201': 3, '400 state_conflict': 3 })
    const messages = answers.map(({ body }) => body.error?.message ?? '')
    expect(messages.join()).toContain('An organization may have at most 3 server wallets.')
  })
})

describe('executors', () => {
  const provision = ({ path, owner }: Organization) =>
    service.call('POST', `${path}/executor/provision`, { token: owner.token, headers: freshKey() })
  const failAll = ({ id }: Organization) =>
    service.database.asOwner(
      `update executor_provisionings set state = 'failed', failure_code = 'provider_unavailable'
       where organization_id = $1`,
      [id],
    )

  test('stop at the quota, counting failed provisionings', async () => {
    const organization = await createOrganization(service)
    for (const _ of times(2, (n) => n)) {
      expect((await provision(organization)).status).toBe(202)
      await failAll(organization)
    }
    const answers = await Promise.all(times(2, () => provision(organization)))
    expect(tally(answers)).toEqual({ '409 state_conflict': 2 })
    expect(answers[0]?.body.error.message).toContain(
      'An organization may have at most 2 executors.',
    )
  })
})

describe('open invitations', () => {
  test('stop at the configured quota', async () => {
    const organization = await createOrganization(service)
    const answers = await Promise.all(times(5, () => invite(service, organization)))
    expect(tally(answers)).toEqual({ '201': 3, '409 state_conflict': 2 })
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body.error.message).toContain(
      'An organization may have at most 3 open invitations.',
    )
  })
})
