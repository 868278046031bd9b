/** Operators read an organization's executor and reconcile it. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createOrganization, type TestApp } from '#test/support/app.ts'
import { writeExecutor } from '#test/support/books.ts'
import { type Operator, operatorTrail, signInOperator } from '#test/support/operators.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let operator: Operator

beforeAll(async () => {
  service = await sharedTestApp()
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
})

const urlOf = (id: string) => `/v1/admin/organizations/${id}/executor`
const read = (id: string) => service.call('GET', urlOf(id), { token: operator.token })
const reconcile = (id: string) =>
  service.call('POST', `${urlOf(id)}/reconcile`, { token: operator.token })
const setState = (id: string, state: string) =>
  service.database.asOwner(
    'update executor_provisionings set state = $2 where organization_id = $1',
    [id, state],
  )
const jobs = async () =>
  (
    await service.database.asOwner<{ key: string }>(
      'select key from graphile_worker.jobs where key is not null order by key',
    )
  ).map(({ key }) => key)

describe('the executor of an organization', () => {
  test('is shown to operators as its members see it', async () => {
    const organization = await createOrganization(service)
    const none = { binding: null, otherBindings: [], provisioning: null }
    expect((await read(organization.id)).body).toEqual(none)
    await writeExecutor(service, organization.id)
    const { token } = organization.owner
    const own = await service.call('GET', `${organization.path}/executor`, { token })
    const shown = await read(organization.id)
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual(own.body)
    expect(shown.body.binding.address).toMatch(/^0x/)
  })

  test('is 403 for an unknown organization, because these routes declare no 404', async () => {
    expect(outcome(await read(randomUUID()))).toBe('403 forbidden')
    expect(outcome(await reconcile(randomUUID()))).toBe('403 forbidden')
    expect(outcome(await read('x'))).toBe('400 validation_failed')
    expect(outcome(await reconcile('x'))).toBe('400 validation_failed')
  })
})

describe('reconciling', () => {
  test('is 409 without an executor', async () => {
    const { id } = await createOrganization(service)
    expect(outcome(await reconcile(id))).toBe('409 state_conflict')
  })

  test('restarts a failed provisioning and records the operator as the actor', async () => {
    const { id } = await createOrganization(service)
    const { provisioningId } = await writeExecutor(service, id)
    await setState(id, 'failed')
    const { status, body } = await reconcile(id)
    expect([status, body.provisioning.state]).toEqual([202, 'requested'])
    expect(await jobs()).toContain(`provision_executor:${provisioningId}`)
    expect((await auditTrail(service.database, id)).at(-1)).toMatchObject({
      action: 'executor.requested',
      actorRealm: 'admin',
      actorAccountId: operator.accountId,
      data: { retry: true },
    })
  })

  test.each([
    ['requested', 'provision_executor'],
    ['provisioning', 'provision_executor'],
    ['active', 'watch_executor'],
  ])('of an executor that is %s enqueues %s again and records it', async (state, job) => {
    const { id } = await createOrganization(service)
    const { provisioningId } = await writeExecutor(service, id)
    await setState(id, state)
    const before = (await operatorTrail(service, operator)).length
    const { status, body } = await reconcile(id)
    expect([status, body.provisioning.state]).toEqual([202, state])
    expect(await jobs()).toContain(`${job}:${job === 'watch_executor' ? id : provisioningId}`)
    const trail = (await operatorTrail(service, operator)).slice(before)
    expect(trail).toMatchObject([
      { organizationId: id, action: 'executor.reconciled', data: { state } },
    ])
  })
})
