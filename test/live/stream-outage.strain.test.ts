/** The database fails during a stream and returns: no event is lost or repeated. */
import { afterAll, expect, test, vi } from 'vitest'
import { startKillablePostgres } from '#test/processes/killable-postgres.ts'
import { cleanUp } from '#test/processes/processes.ts'
import { createOrganization, startTestApp } from '#test/support/app.ts'
import { openedLive, openLive, writeEvent } from '#test/support/live.ts'

vi.setConfig({ testTimeout: 90_000 })
afterAll(cleanUp)

test('a stream survives a database outage and delivers what was written afterwards', async () => {
  const postgres = await startKillablePostgres()
  const service = await startTestApp({
    database: postgres.database,
    streams: { lifetimeMs: 600_000, checkMs: 100, keepaliveMs: 100 },
  })
  try {
    const acme = await createOrganization(service)
    const { token } = acme.owner
    const path = `${acme.path}/live/stream`
    const client = await openedLive(service, path, { token })
    const written = [await writeEvent(service, acme.id)]
    await client.received(1)

    await postgres.kill('SIGQUIT')
    const refused = await openLive(service, path, { token })
    expect(refused.status).toBe(503)
    const comments = client.comments.length
    await expect.poll(() => client.comments.length).toBeGreaterThan(comments)

    await postgres.restart()
    for (let n = 0; n < 20; n += 1) written.push(await writeEvent(service, acme.id))
    expect(await client.received(written.length)).toEqual(written)
    const again = await openedLive(service, path, {
      token,
      lastEventId: client.messages[0]?.id ?? '',
    })
    expect(await again.received(20)).toEqual(written.slice(1))
    client.close()
    again.close()
  } finally {
    await service.stop()
  }
})

test('a lost listener reconnects, and events without a notification still arrive', async () => {
  const service = await startTestApp({ streams: { lifetimeMs: 600_000 } })
  try {
    const acme = await createOrganization(service)
    const client = await openedLive(service, `${acme.path}/live/stream`, {
      token: acme.owner.token,
    })
    const listeners = `from pg_stat_activity
      where datname = current_database() and query = 'listen countersign_live'`
    const count = async () => (await service.database.asOwner(`select pid ${listeners}`)).length
    await expect.poll(count).toBe(1)
    await service.database.asOwner(`select pg_terminate_backend(pid) ${listeners}`)
    const written: string[] = []
    for (let n = 0; n < 5; n += 1) written.push(await writeEvent(service, acme.id))
    expect(await client.received(5)).toEqual(written)
    await expect.poll(count).toBe(1)
    written.push(await writeEvent(service, acme.id))
    expect(await client.received(6)).toEqual(written)
    client.close()
  } finally {
    await service.stop()
  }
})
