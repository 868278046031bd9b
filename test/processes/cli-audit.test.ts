import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { production } from '#test/processes/environment.ts'
import { cleanUp, runScript } from '#test/processes/processes.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let service: TestApp
let harmed: Organization

beforeEach(async () => {
  service = await startTestApp()
  harmed = await createOrganization(service)
  await joinOrganization(service, harmed, { role: 'employee' })
  await createOrganization(service)
  return () => service.stop()
})
afterAll(cleanUp)

async function verify() {
  const env = production(service.database.url)
  const running = runScript('src/cli/audit.ts', env, ['verify'])
  const { code } = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

/** Whoever owns the tables can change them; that is what the chain is for. */
const tamper = (statement: string) =>
  service.database.asOwner(`
    alter table audit_events no force row level security;
    alter table audit_heads no force row level security;
    ${statement.replace('$1', `'${harmed.id}'`)}`)

describe('npm run audit -- verify', () => {
  test('counts the events and chains of a whole trail', async () => {
    const [{ events } = { events: 0 }] = await service.database.asOwner<{ events: number }>(
      'select count(*)::int as events from audit_events',
    )
    expect(events).toBeGreaterThan(6)
    expect(await verify()).toEqual({
      code: 0,
      stdout: `The audit trail verifies: ${events} events in 3 chains.\n`,
      stderr: '',
    })
  })

  test.each([
    [
      'a changed event',
      `update audit_events set data = '{"role":"owner"}' where organization_id = $1 and seq = 3`,
      'event 3: the event was changed',
    ],
    [
      'a missing event',
      'delete from audit_events where organization_id = $1 and seq = 2',
      'event 3: an event is missing after 1',
    ],
    [
      'a trail cut short',
      'delete from audit_events where organization_id = $1 and seq > 4',
      'event 4: the trail ends at 4, but 5 was recorded',
    ],
  ])('%s is found: code 1, naming the organization and the event', async (_name, harm, found) => {
    await tamper(harm)
    expect(await verify()).toEqual({
      code: 1,
      stdout: '',
      stderr: `The audit trail does not verify.\n${harmed.id}, ${found}\n`,
    })
  })
})
