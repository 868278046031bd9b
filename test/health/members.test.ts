/** Members are told how the parts are doing, and nothing of what operators are to do about it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readServiceHealth } from '#health/read-service-health.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { look } from '#test/support/health.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

/** A variable's name, a command, a table or a function, or a count of everybody's. */
const forOperators = /[A-Z]{2}|_|npm|\d|worker|node|secret/

let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await startTestApp()
  organization = await createOrganization(service)
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

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

test('before the first look, and with no worker', async () => {
  const summaries = (await toOperators()).map(({ summary }) => summary).join(' ')
  expect(summaries).toContain('npm run worker')
  expectNeutral(await toMembers())
})

test('when parts are out of order: as bad, with the same code, in other words', async () => {
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

test('when nobody has looked for a minute', async () => {
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
