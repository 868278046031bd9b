/**
 * A database with a full disk, and one without free connections: 503, and nothing half done. `npm
 * run prove -- F18` fills a real disk, a small tmpfs, where it may mount one.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '#platform/log.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { isProof, reportFigures } from '#test/support/figures.ts'
import { fillDisk, mountDisk } from '#test/support/small-disk.ts'
import { addRecipient, outcome, tally, times } from '#test/support/steps.ts'
import { type KillablePostgres, startKillablePostgres } from './killable-postgres.ts'
import { cleanUp, makeFolder, onCleanUp } from './processes.ts'

const REFUSED = '503 dependency_unavailable'
const DISK_MIB = 160

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })
afterEach(cleanUp)
afterAll(cleanUp)

const keyed = () => ({ 'idempotency-key': randomUUID() })

/** Over all tests of this file. */
const effects = { checked: 0, partial: 0 }
afterAll(() => reportFigures({ effects }))

type Asked = { address: string; headers: { 'idempotency-key': string } }

/** A recipient, its key and its audit event: all of them exist, or none. */
async function partialEffects(
  { database }: TestApp,
  { id }: Organization,
  asked: readonly Asked[],
): Promise<number> {
  const [row] = await database.asOwner<Record<string, number>>(
    `select (select count(*)::integer from audit_events
       where organization_id = $1 and action = 'recipient.added') as told,
     (select count(*)::integer from idempotency_keys where key = any($2)) as keys`,
    [id, asked.map(({ headers }) => headers['idempotency-key'])],
  )
  const { told = -1, keys = -1 } = row ?? {}
  return Math.abs(told - asked.length) + Math.abs(keys - asked.length)
}

const listed = async ({ call }: TestApp, { path, owner }: Organization): Promise<string[]> => {
  const addresses: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await call('GET', `${path}/recipients?limit=100${page}`, {
      token: owner.token,
    })
    addresses.push(...body.recipients.map(({ address }: { address: string }) => address))
    cursor = body.nextCursor
  }
  return addresses
}

/** Repeats each refused request under its key until it succeeds. */
async function expectAllOnce(
  service: TestApp,
  organization: Organization,
  asked: readonly Asked[],
): Promise<void> {
  await vi.waitFor(
    async () => {
      const again = await Promise.all(asked.map((one) => addRecipient(service, organization, one)))
      expect(tally(again)).toEqual({ 201: asked.length })
    },
    { timeout: 60_000, interval: 500 },
  )
  const found = (await listed(service, organization)).map((address) => address.toLowerCase())
  expect(found.toSorted()).toEqual(asked.map(({ address }) => address).toSorted())
  const partial = await partialEffects(service, organization, asked)
  effects.checked += asked.length
  effects.partial += partial
  expect(partial).toBe(0)
}

const address = () => `0x${randomUUID().replaceAll('-', '')}00000000`

describe('a full disk', () => {
  /** Raises PostgreSQL's error at the last statement of each change. */
  test('is 503 wherever it occurs, and requests can be repeated once there is space', async () => {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const log = createLog({ level: 'error', destination })
    const service = await startTestApp({ replace: { log } })
    onCleanUp(() => service.stop())
    const organization = await createOrganization(service)
    await service.database.asOwner(`
      create function no_room() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file: No space left on device' using errcode = '53100';
      end $$;
      create trigger no_room before insert on audit_events
        for each statement execute function no_room()`)
    const asked = times(10, () => ({ address: address(), headers: keyed() }))
    const refused = await Promise.all(asked.map((one) => addRecipient(service, organization, one)))
    expect(tally(refused)).toEqual({ [REFUSED]: 10 })
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    // One line for each says why.
    const causes = lines.map((line) => JSON.parse(line).err.cause ?? JSON.parse(line).err.message)
    expect(causes).toEqual(times(10, () => 'could not extend file: No space left on device'))
    expect(await listed(service, organization)).toEqual([])
    await service.database.asOwner('drop trigger no_room on audit_events')
    await expectAllOnce(service, organization, asked)
  })

  // Only the proof mounts a disk, which needs privileges.
  const onProof = isProof('PROVE_DISK') ? test : () => {}
  onProof('is 503 on a real one, too', async () => {
    const { postgres, folder } = await startOnSmallDisk()
    const service = await startTestApp({ database: postgres.database })
    onCleanUp(() => service.stop())
    const organization = await createOrganization(service)
    const free = await fillDisk(folder)
    const asked: Asked[] = []
    const outcomes = new Set<string>()
    let refusals = 0
    while (refusals < 50) {
      const batch = times(10, () => ({ address: address(), headers: keyed() }))
      asked.push(...batch)
      const answers = await Promise.all(
        batch.map((one) => addRecipient(service, organization, one)),
      )
      for (const answer of answers) outcomes.add(outcome(answer))
      refusals += answers.filter(({ status }) => status !== 201).length
    }
    // Some may have fitted into the remaining space.
    expect([...outcomes].filter((one) => one !== '201')).toEqual([REFUSED])
    await free()
    await postgres.restart()
    await expectAllOnce(service, organization, asked)
  })
})

async function startOnSmallDisk(): Promise<{ postgres: KillablePostgres; folder: string }> {
  const folder = await makeFolder()
  onCleanUp(await mountDisk(folder, { mib: DISK_MIB, options: 'mode=0711' }))
  return { postgres: await startKillablePostgres(folder), folder }
}

describe('no free connection', () => {
  test('is 503 with Retry-After and not ready, and nothing was done', async () => {
    const service = await startTestApp({ env: { DATABASE_POOL_SIZE: '2' } })
    onCleanUp(() => service.stop())
    const organization = await createOrganization(service)
    const gate = Promise.withResolvers<void>()
    const { id: organizationId } = organization
    const held = times(2, () => service.api.db.transaction({ organizationId }, () => gate.promise))
    const asked = times(4, () => ({ address: address(), headers: keyed() }))
    const [ready, ...refused] = await Promise.all([
      service.call('GET', '/health/ready'),
      ...asked.map((one) => addRecipient(service, organization, one)),
    ])
    expect(tally(refused)).toEqual({ [REFUSED]: 4 })
    expect(ready.status).toBe(503)
    gate.resolve()
    await Promise.all(held)
    expect(await listed(service, organization)).toEqual([])
    await expectAllOnce(service, organization, asked)
  })
})
