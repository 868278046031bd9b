import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp, processesOf, signalTo } from '#test/processes/processes.ts'
import {
  ask,
  expectStops,
  key,
  makeOrganization,
  makePlace,
  type Place,
  type Service,
  signIn,
  startService,
} from '#test/processes/service.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

/** Organizations that are answered before others are in flight. */
const BEFORE = 10

let place: Place
/** Started again after the first kill. */
let living: Service

beforeAll(async () => {
  place = await makePlace()
})
afterAll(cleanUp)

const databasePid = async (): Promise<number> =>
  Number.parseInt(await readFile(join(place.folder, 'postgres', 'postmaster.pid'), 'utf8'), 10)

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, 'a')}`

type Answered = { organizations: string[]; recipients: { path: string; id: string }[] }

/** Creates an organization and a recipient in it, both answered before this returns. */
async function makePair(service: Service, token: string, n: number, answered: Answered) {
  const { id, path } = await makeOrganization(service, token, `Organization ${n}`)
  answered.organizations.push(id)
  const body = { label: `Payee ${n}`, address: addressOf(n), chainId: 31_337 }
  const made = await ask('POST', `${path}/recipients`, { token, body, headers: key() })
  expect(made.status).toBe(201)
  const tenantPath = new URL(path).pathname
  answered.recipients.push({ path: tenantPath, id: made.body.id })
}

describe('kill -9 of the service', () => {
  test('right after an answer loses nothing that was answered', async () => {
    const before = await startService(place)
    const token = await signIn(before, 'founder')
    const answered: Answered = { organizations: [], recipients: [] }
    for (let n = 0; n < BEFORE; n += 1) await makePair(before, token, n, answered)
    // Other requests are in flight when it dies; those may or may not take effect.
    const unanswered = Array.from({ length: 8 }, (_, n) =>
      makePair(before, token, 100 + n, answered).catch(() => {}),
    )
    await Promise.race(unanswered)
    before.kill('SIGKILL')
    expect(await before.ended).toEqual({ code: null, signal: 'SIGKILL' })
    await Promise.all(unanswered)
    const orphan = await databasePid()
    expect(await processesOf(place.folder)).toContainEqual(expect.stringMatching(`^${orphan} `))

    const after = await startService(place, { LOG_LEVEL: 'silent' })
    expect(await databasePid()).not.toBe(orphan)
    expect(answered.organizations.length).toBeGreaterThan(BEFORE)
    const listed = await ask('GET', `${after.api}/v1/consumer/organizations?limit=200`, { token })
    const ids = listed.body.organizations.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(expect.arrayContaining(answered.organizations))
    for (const { path, id } of answered.recipients) {
      const { body } = await ask('GET', `${after.api}${path}/recipients`, { token })
      expect(body.recipients.map((recipient: { id: string }) => recipient.id)).toEqual([id])
    }
    living = after
  })
})

describe('kill -9 of the database', () => {
  test('is reported in one line and exits with 1; the next start works', async () => {
    const before = living
    const token = await signIn(before, 'keeper')
    const { id } = await makeOrganization(before, token, 'Survivor')
    signalTo(await databasePid(), 'SIGKILL')
    expect(await before.ended).toEqual({ code: 1, signal: null })
    expect(before.stderr()).toBe(
      `PostgreSQL ended unexpectedly. See ${place.folder}/postgres.log.\n`,
    )
    await expect.poll(() => processesOf(place.folder), { timeout: 30_000 }).toEqual([])

    const after = await startService(place)
    const listed = await ask('GET', `${after.api}/v1/consumer/organizations`, { token })
    expect(listed.body.organizations).toEqual([{ id, name: 'Survivor', role: 'owner' }])
    await expectStops(after, () => after.kill('SIGTERM'))
  })
})
