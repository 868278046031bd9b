import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { devRealm } from '#dev/defaults.ts'
import { startHelperServer } from '#dev/helper-server.ts'
import { createDevIdentity } from '#dev/identity.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { openDatabase } from '#platform/database/database.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import {
  cleanUp,
  type Environment,
  makeFolder,
  onCleanUp,
  processesOf,
  type Running,
  runNpm,
  runScript,
} from '#test/processes/processes.ts'
import { ask, key, makeOrganization, signIn } from '#test/processes/service.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let database: TestDatabase
let helper: string
let processes: Running[]
let apis: string[]
/** In the environment of each process, so that all of them can be found. */
let mark: string

async function startIdentity(): Promise<Environment> {
  const folder = await makeFolder()
  const named = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  const identity = await createDevIdentity({ folder, realms: named, clock: systemClock })
  const server = await startHelperServer({
    port: 0,
    identity,
    ids: createIds(),
    about: () => undefined,
    faucet: () => undefined,
  })
  onCleanUp(() => server.close())
  const { port } = server.server.address() as AddressInfo
  helper = `http://127.0.0.1:${port}`
  const realms = (['consumer', 'admin'] as const).map((realm) => {
    const { issuer, audience, jwksUrl } = devRealm(realm, port)
    const prefix = realm.toUpperCase()
    return {
      [`${prefix}_ISSUER`]: issuer,
      [`${prefix}_AUDIENCE`]: audience,
      [`${prefix}_JWKS_URL`]: jwksUrl,
    }
  })
  return Object.assign({}, ...realms)
}

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false })
  onCleanUp(() => database.drop())
  mark = await makeFolder()
  const env = {
    ...(await startIdentity()),
    DATABASE_URL: database.url,
    SERVER_SECRET: 'the same secret for all of them, long enough',
    RPC_URLS: 'http://127.0.0.1:1',
    TOKEN_ADDRESS: `0x${'ab'.repeat(20)}`,
    PORT: '0',
    MARK: mark,
  }
  // All at once on an empty database: the first one migrates it. One of each kind through npm.
  processes = await Promise.all([
    runNpm(['run', 'api'], env),
    runScript('src/main.ts', env),
    runNpm(['run', 'worker'], env),
    runScript('src/worker.ts', env),
  ])
  const [first, second, ...workers] = processes
  const listening = /"url":"([^"]+)","msg":"api listening"/
  const said = await Promise.all([first?.says(listening), second?.says(listening)])
  apis = said.map((found) => found?.[1] ?? '')
  await Promise.all(workers.map((worker) => worker.says(/"msg":"worker running"/)))
})
afterAll(cleanUp)

const at = (n: number) => ({ api: apis[n % apis.length] ?? '', helper })

/** Runs now the job that is due in a week; it keeps its single place in the queue. */
async function expireNow(organizationId: string, invitationId: string): Promise<void> {
  const db = openDatabase({ url: database.url, poolSize: 2 })
  const name = `expire_invitation:${invitationId}`
  await db.transaction({}, (tx) =>
    enqueue(tx, 'expire_invitation', { organizationId, invitationId }, { key: name }),
  )
  await db.close()
}

/** The job of that invitation, if it is due in about a week. */
const dueInAWeek = (invitationId: string) =>
  database.asOwner<{ id: string }>(
    `select id from graphile_worker.jobs where key = $1
       and run_at between now() + interval '6 days' and now() + interval '8 days'`,
    [`expire_invitation:${invitationId}`],
  )

/** Only the owner of the tables can do this, by disabling their triggers. */
const endTheWeek = (organizationId: string) =>
  database.asOwner(`
    begin;
    alter table invitations no force row level security;
    update invitations set expires_at = now() where organization_id = '${organizationId}';
    alter table invitations force row level security;
    commit`)

describe('two API and two worker processes on one database', () => {
  test('serve together: each sees what the other has answered', async () => {
    const token = await signIn(at(0), 'owner')
    const { id } = await makeOrganization(at(1), token, 'Shared')
    const path = `/v1/consumer/organizations/${id}`
    const headers = key()
    const body = { role: 'employee' }
    const invite = (n: number) =>
      ask('POST', `${at(n).api}${path}/invitations`, { token, body, headers })
    const [one, other] = await Promise.all([invite(0), invite(1)])
    expect([one.status, other.status]).toEqual([201, 201])
    expect(other.body).toEqual(one.body)

    const joiner = await signIn(at(1), 'joiner')
    const url = `${at(0).api}/v1/consumer/invitations/${one.body.inviteToken}/accept`
    expect((await ask('POST', url, { token: joiner })).status).toBe(200)
    const members = await ask('GET', `${at(1).api}${path}/members`, { token: joiner })
    expect(members.body.members).toHaveLength(2)
  })

  test('expire an invitation once at its time', async () => {
    const token = await signIn(at(0), 'owner')
    const { id, path } = await makeOrganization(at(0), token, 'Punctual')
    const invitations = await Promise.all(
      Array.from({ length: 5 }, () =>
        ask('POST', `${path}/invitations`, { token, body: { role: 'manager' }, headers: key() }),
      ),
    )
    for (const { body } of invitations) expect(await dueInAWeek(body.id)).toHaveLength(1)

    // A job that runs too early changes nothing and reschedules itself.
    const [{ body: early } = { body: undefined }] = invitations
    const [planned] = await dueInAWeek(early.id)
    await expireNow(id, early.id)
    await vi.waitFor(async () => {
      expect(await dueInAWeek(early.id)).toEqual([
        { id: expect.not.stringMatching(planned?.id ?? '') },
      ])
    }, 30_000)

    await endTheWeek(id)
    await Promise.all(invitations.map(({ body }) => expireNow(id, body.id)))
    const expired = () =>
      database.asOwner<{ aggregate_id: string }>(
        `select aggregate_id from audit_events
         where organization_id = $1 and action = 'invitation.expired' order by aggregate_id`,
        [id],
      )
    const all = invitations.map(({ body }) => ({ aggregate_id: body.id })).toSorted(byAggregate)
    await vi.waitFor(async () => expect(await expired()).toEqual(all), 30_000)
    const { body } = await ask('GET', `${path}/invitations`, { token })
    for (const { status } of body.invitations) expect(status).toBe('expired')
  })

  test('prune expired rows every hour, and on request', async () => {
    const known = await database.asOwner(
      'select identifier from graphile_worker._private_known_crontabs order by 1',
    )
    expect(known).toEqual([{ identifier: 'prune_expired' }, { identifier: 'sweep_executions' }])
    await database.asOwner(`
      insert into live_events (id, audience, kind, aggregate_type, aggregate_id, severity,
        occurred_at)
      select gen_random_uuid(), 'admin', 'service.changed', 'service', age::text, 'healthy',
        now() - age * interval '1 day' from unnest(array[6, 8]) as age`)
    const db = openDatabase({ url: database.url, poolSize: 2 })
    await db.transaction({}, (tx) => enqueue(tx, 'prune_expired', {}))
    await db.close()
    await vi.waitFor(async () => {
      const left = await database.asOwner(
        `select aggregate_id from live_events where aggregate_id in ('6', '8')`,
      )
      expect(left).toEqual([{ aggregate_id: '6' }])
    }, 30_000)
  })

  test('show two heartbeats, and none after TERM to npm, which leaves no process', async () => {
    await vi.waitFor(async () => {
      const beats = await database.asOwner(
        `select from worker_processes where beat_at > now() - interval '3 seconds'`,
      )
      expect(beats).toHaveLength(2)
    }, 30_000)
    for (const one of processes) one.kill('SIGTERM')
    await Promise.all(processes.map(({ ended }) => ended))
    await vi.waitFor(async () => expect(await processesOf(mark)).toEqual([]), 30_000)
    expect(await database.asOwner('select from worker_processes')).toEqual([])
  })
})

const byAggregate = (a: { aggregate_id: string }, b: { aggregate_id: string }) =>
  a.aggregate_id < b.aggregate_id ? -1 : 1
