import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { pruneJournal } from '#journal/journal.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { addRecipient, auditTrail, freshKey, outcome, randomAddress } from '#test/support/steps.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MINUTE_MS = 60_000

const clock = { at: Date.now(), now: () => new Date(clock.at) }
let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ replace: { clock } })
})
afterAll(() => service.stop())

async function connected(): Promise<pg.Client> {
  const client = new pg.Client(service.database.url)
  await client.connect()
  await client.query('set search_path = countersign')
  return client
}

/** Holds a key in another transaction that has not committed yet. */
async function holdKey(organization: Organization, key: string): Promise<pg.Client> {
  const { id, owner } = organization
  const client = await connected()
  await client.query('set role countersign_app')
  await client.query(`select set_config('app.account', $1, false)`, [owner.accountId])
  await client.query('begin')
  const operation = `POST /v1/consumer/organizations/:organizationId/recipients ${JSON.stringify({
    organizationId: id,
  })}`
  await client.query(
    `insert into idempotency_keys (account_id, operation, key, fingerprint, created_at, expires_at)
     values ($1, $2, $3, $4, now(), now() + interval '1 day')`,
    [owner.accountId, operation, key, Buffer.alloc(32)],
  )
  return client
}

/** Resolves once that many of the service's connections wait for a lock. */
const untilWaiting = (count: number) =>
  vi.waitFor(
    async () => {
      const waiting = await service.database.asOwner(
        `select from pg_stat_activity where datname = current_database()
           and application_name = 'countersign' and wait_event_type = 'Lock'`,
      )
      expect(waiting).toHaveLength(count)
    },
    { timeout: 4_500, interval: 10 },
  )

const recipientsOf = async ({ path, owner }: Organization) =>
  (await service.call('GET', `${path}/recipients`, { token: owner.token })).body.recipients

describe('a request whose key is in use', () => {
  test('waits for 5 s and is then 409 idempotency_in_progress with Retry-After: 1', async () => {
    const organization = await createOrganization(service)
    const headers = freshKey()
    const holder = await holdKey(organization, headers['idempotency-key'] ?? '')
    const started = performance.now()
    const answer = await addRecipient(service, organization, { headers })
    const waitedMs = performance.now() - started
    expect(outcome(answer)).toBe('409 idempotency_in_progress')
    expect(answer.headers['retry-after']).toBe('1')
    expect(waitedMs).toBeGreaterThan(4_900)
    expect(waitedMs).toBeLessThan(20_000)
    expect(await recipientsOf(organization)).toEqual([])
    await holder.query('rollback')
    await holder.end()
    const retry = await addRecipient(service, organization, { headers })
    expect(outcome(retry)).toBe('201')
  })

  test('executes when the first request fails', async () => {
    const organization = await createOrganization(service)
    const headers = freshKey()
    const holder = await holdKey(organization, headers['idempotency-key'] ?? '')
    const waiting = addRecipient(service, organization, { headers })
    await untilWaiting(1)
    await holder.end()
    const answer = await waiting
    expect(outcome(answer)).toBe('201')
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
  })

  test("replays the first request's answer when that succeeds", async () => {
    const organization = await createOrganization(service)
    const request = { headers: freshKey(), address: randomAddress() }
    // The first request waits at the audit trail's head, after writing its key.
    const holder = await connected()
    await holder.query('begin')
    await holder.query('select from audit_heads where organization_id = $1 for update', [
      organization.id,
    ])
    const first = addRecipient(service, organization, request)
    await untilWaiting(1)
    const second = addRecipient(service, organization, request)
    await untilWaiting(2)
    await holder.query('commit')
    await holder.end()
    const [made, replayed] = [await first, await second]
    expect(outcome(made)).toBe('201')
    expect(replayed.text).toBe(made.text)
    expect([made, replayed].map(({ headers }) => headers['idempotent-replayed'])).toEqual([
      undefined,
      'true',
    ])
  })
})

describe('retention', () => {
  /** Signs the owner in again as of `at`, because their tokens follow the clock. */
  const ownerAt = async (organization: Organization, at: number): Promise<Organization> => {
    clock.at = at
    return { ...organization, owner: await service.signIn(organization.owner.subject) }
  }

  test('keeps a key for 30 days', async () => {
    const now = Date.now()
    clock.at = now - 31 * DAY_MS
    const organization = await createOrganization(service)
    const [old, young] = [
      { headers: freshKey(), address: randomAddress() },
      { headers: freshKey(), address: randomAddress() },
    ]
    const past = await ownerAt(organization, now - 30 * DAY_MS - MINUTE_MS)
    await addRecipient(service, past, old)
    const recent = await ownerAt(organization, now - 30 * DAY_MS + 5 * MINUTE_MS)
    const kept = await addRecipient(service, recent, young)

    const present = await ownerAt(organization, now)
    const before = await addRecipient(service, present, old)
    expect(before.headers['idempotent-replayed']).toBe('true')
    const trail = await auditTrail(service.database, organization.id)
    await pruneJournal(service.ctx)
    expect(outcome(await addRecipient(service, present, old))).toBe('409 duplicate')
    expect((await addRecipient(service, present, young)).text).toBe(kept.text)
    expect(await recipientsOf(present)).toHaveLength(2)
    expect(await auditTrail(service.database, organization.id)).toEqual(trail)
  })

  test('keeps a live event for 7 days', async () => {
    const now = Date.now()
    const link = async (at: number) => {
      clock.at = at
      const wallets = [{ address: randomAddress(), kind: 'embedded' as const }]
      return (await service.signIn(randomUUID(), wallets)).walletIds[0]
    }
    const old = await link(now - 7 * DAY_MS - MINUTE_MS)
    const young = await link(now - 7 * DAY_MS + 5 * MINUTE_MS)
    clock.at = now
    const events = async () =>
      (
        await service.database.asOwner<{ id: string }>(
          'select aggregate_id as id from live_events where aggregate_id = any($1) order by seq',
          [[old, young]],
        )
      ).map(({ id }) => id)
    expect(await events()).toEqual([old, young])
    await pruneJournal(service.ctx)
    expect(await events()).toEqual([young])
  })
})

test('a membership lock that times out is 503, not idempotency_in_progress', async () => {
  const organization = await createOrganization(service)
  const holder = await connected()
  await holder.query('begin; set local role countersign_app')
  await holder.query(`select set_config('app.organization', $1, true)`, [organization.id])
  const lock = 'select from countersign.memberships where organization_id = $1 for update'
  expect((await holder.query(lock, [organization.id])).rowCount).toBe(1)
  expect(outcome(await addRecipient(service, organization))).toBe('503 dependency_unavailable')
  await holder.end()
})
