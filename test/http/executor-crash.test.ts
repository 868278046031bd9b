/** What a worker that dies halfway leaves of a provisioning. No worker runs in this file. */
import { beforeAll, describe, expect, test } from 'vitest'
import { runProvisioning } from '#executor/run-provisioning.ts'
import { createOrganization, type Organization, type TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { freshKey, liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})

const post = ({ path, owner }: Organization, action: string, headers = {}) =>
  service.call('POST', `${path}/executor/${action}`, { token: owner.token, headers })

async function asked(): Promise<{ organization: Organization; provisioningId: string }> {
  const organization = await createOrganization(service)
  const { body } = await post(organization, 'provision', freshKey())
  return { organization, provisioningId: body.provisioning.id }
}

type Job = { attempts: number; max_attempts: number; transaction: string }

async function jobOf(key: string): Promise<Job | undefined> {
  const [job] = await service.database.asOwner<Job>(
    `select attempts, max_attempts, xmin::text as transaction
     from graphile_worker._private_jobs where key = $1`,
    [key],
  )
  return job
}

describe('a worker that dies', () => {
  test('binds the executor and enqueues its watch job in one transaction', async () => {
    const { organization, provisioningId } = await asked()
    const { id: organizationId } = organization
    await runProvisioning(service.ctx, { organizationId, provisioningId })
    const [binding] = await service.database.asOwner<{ transaction: string }>(
      'select xmin::text as transaction from executor_bindings where organization_id = $1',
      [organizationId],
    )
    const watch = await jobOf(`watch_executor:${organizationId}`)
    expect(watch?.transaction).toBe(binding?.transaction)
  })

  test('on every attempt leaves a provisioning that reconcile can restart', async () => {
    const { organization, provisioningId } = await asked()
    const key = `provision_executor:${provisioningId}`
    const { database } = service
    await database.asOwner(
      `update graphile_worker._private_jobs set attempts = max_attempts where key = $1`,
      [key],
    )
    expect((await post(organization, 'reconcile')).body.provisioning.state).toBe('requested')
    expect(await jobOf(key)).toMatchObject({ attempts: 0, max_attempts: 5 })
  })
})
