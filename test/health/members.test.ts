/** Members see the state of integrations without instructions for operators. */
import { beforeAll, expect, test } from 'vitest'
import { readServiceHealth } from '#health/read-service-health.ts'
import { createOrganization, type Organization, type TestApp } from '#test/support/app.ts'
import { look } from '#test/support/health.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

/** Names of variables, commands, tables or functions, or service-wide counts. */
const forOperators = /[A-Z]{2}|_|npm|\d|worker|node|secret/

let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await sharedTestApp()
  organization = await createOrganization(service)
  await liftOwnersRowSecurity(service.database)
})

type Told = { id: string; severity: string; code: string | null; summary: string }

const toMembers = async (): Promise<Told[]> => {
  const { status, body } = await service.call('GET', `${organization.path}/live/snapshot`, {
    token: organization.owner.token,
  })
  expect(status).toBe(200)
  return body.services
}
const toOperators = (): Promise<Told[]> => readServiceHealth(service.ctx, { organizationId: null })

const expectNeutral = (told: Told[]) => {
  expect(told).toHaveLength(8)
  for (const { id, summary } of told) expect(summary, id).not.toMatch(forOperators)
}

test('before the first check and without a worker', async () => {
  const summaries = (await toOperators()).map(({ summary }) => summary).join(' ')
  expect(summaries).toContain('npm run worker')
  expectNeutral(await toMembers())
})

test('when integrations fail: same severity and code, neutral summary', async () => {
  await look(service)
  const summaries = (await toOperators()).map(({ summary }) => summary).join(' ')
  expect(summaries).toContain('RPC_URLS')
  expect(summaries).toContain('VAPID')
  const told = await toMembers()
  expectNeutral(told)
  expect(told.find(({ id }) => id === 'chain')).toMatchObject({
    severity: 'action_required',
    code: 'chain_away',
    summary: 'This service has a problem that needs action. Operators are informed.',
  })
  expect(told.find(({ id }) => id === 'push')).toMatchObject({
    severity: 'healthy',
    code: 'not_configured',
    summary: 'This service works normally.',
  })
})

test('when the last check is over a minute old', async () => {
  await service.database.asOwner(
    `update service_health set checked_at = now() - interval '61 seconds'`,
  )
  const told = await toMembers()
  expectNeutral(told)
  expect(told.find(({ id }) => id === 'identity')).toMatchObject({
    severity: 'degraded',
    code: 'not_checked',
    summary: 'This service may not work as it should. Operators are informed.',
  })
})
