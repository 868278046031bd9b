import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '#cli/audit.ts'
import { commandHere } from '#test/processes/commands.ts'
import { production } from '#test/processes/environment.ts'
import { cleanUp, makeFolder, runScript } from '#test/processes/processes.ts'
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

const audit = (...args: string[]) => commandHere(main, args, production(service.database.url))

const verify = (...more: string[]) => audit('verify', ...more)

/** The owner of the tables can change them, which the hash chain detects. */
const tamper = (statement: string) =>
  service.database.asOwner(`
    alter table audit_events no force row level security;
    alter table audit_heads no force row level security;
    ${statement.replaceAll('$1', `'${harmed.id}'`)}`)

describe('npm run audit -- verify', () => {
  test('counts the events and chains of an intact trail', async () => {
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
      'a truncated trail',
      'delete from audit_events where organization_id = $1 and seq > 4',
      'event 4: the trail ends at 4, but its recorded end is 5',
    ],
  ])('exits with 1 for %s and names the organization and the event', async (_name, harm, found) => {
    await tamper(harm)
    expect(await verify()).toEqual({
      code: 1,
      stdout: '',
      stderr: `The audit trail does not verify.\n${harmed.id}, ${found}\n`,
    })
  })
})

test('npm run audit is a process that prints this and exits with this code', async () => {
  await tamper('delete from audit_events where organization_id = $1 and seq = 2')
  const running = runScript('src/cli/audit.ts', production(service.database.url), ['verify'])
  const { code } = await running.ended
  const said = { code, stdout: running.stdout(), stderr: running.stderr() }
  expect(said).toEqual(await verify())
  expect(code).toBe(1)
})

describe('npm run audit -- head', () => {
  test('prints every head, and verify finds them in the trails', async () => {
    const all = await audit('head')
    expect([all.code, all.stderr]).toEqual([0, ''])
    const lines = all.stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^service:\d+:0x[0-9a-f]{64}$/)
    expect(lines).toContainEqual(expect.stringMatching(`^${harmed.id}:5:0x[0-9a-f]{64}$`))
    const one = await audit('head', harmed.id.toUpperCase())
    expect(lines).toContain(one.stdout.trimEnd())
    const file = join(await makeFolder(), 'heads.txt')
    await writeFile(file, `# kept on Monday\n\n${all.stdout}`)
    expect(await verify('--head', file, '--head', lines[0] ?? '')).toMatchObject({ code: 0 })
  })

  test('prints heads that reveal a trail truncated together with its recorded end', async () => {
    const kept = (await audit('head', harmed.id)).stdout.trimEnd()
    await tamper(`
      delete from audit_events where organization_id = $1 and seq > 4;
      update audit_heads set (seq, hash) = (select seq, hash from audit_events
        where organization_id = $1 and seq = 4) where organization_id = $1`)
    expect(await verify()).toMatchObject({ code: 0 })
    expect(await verify('--head', kept)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The audit trail does not verify.\n' +
        `${harmed.id}, event 5: the trail ends at 4, before the kept head\n`,
    })
    const short = kept.slice(harmed.id.length + 1)
    expect((await verify('--head', short)).stderr).toContain(`no trail has the kept head ${short}`)
  })

  test('refuses an unknown organization, an invalid head and wrong usage', async () => {
    const unknown = await audit('head', '01a1e342-0f80-7dff-a119-2cf488d94c61')
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('has no trail') })
    const none = await verify('--head', '12:0x12')
    expect(none.stderr).toBe('12:0x12 is neither a head (SEQUENCE:HASH) nor a readable file.\n')
    const rpc = ['--rpc', 'https://node.example']
    const organization = ['--organization', 'x']
    for (const args of [[], ['verify', '--all'], ['verify', ...organization], ['head', ...rpc]]) {
      const wrong = await audit(...args)
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^Usage: /)])
    }
  })
})

describe("the application's clock", () => {
  test("is reported where it differs from the database's time", async () => {
    await tamper(`update audit_events set recorded_at = recorded_at + interval '1 hour'
      where organization_id = $1 and seq = 2`)
    const { code, stdout } = await verify()
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`Note: ${harmed.id}: .* differ by up to 3\\d{3} s in 1 event, first in event 2`),
    )
  })
})
