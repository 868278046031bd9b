/** The order of events of one aggregate, and streams whose client has left. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hub } from '#live/hub.ts'
import { openStream } from '#live/open-stream.ts'
import { readSettled } from '#test/live/snapshots.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { insertEvent, openedLive, writeEvent } from '#test/support/live.ts'

let service: TestApp
let acme: Organization

beforeAll(async () => {
  service = await startTestApp({ streams: { lifetimeMs: 600_000, perAccount: 5 } })
  acme = await createOrganization(service)
})
afterAll(() => service.stop())

/** Takes its number at the start and writes when released. */
async function beginEarly(event: { aggregateId: string; targetState: string }) {
  const started = Promise.withResolvers<void>()
  const turn = Promise.withResolvers<void>()
  const written = service.ctx.db.transaction({ organizationId: acme.id }, async (tx) => {
    await tx.query(sql`select pg_current_xact_id()`)
    started.resolve()
    await turn.promise
    return insertEvent(tx, service, acme.id, event)
  })
  await started.promise
  return (): Promise<string> => {
    turn.resolve()
    return written
  }
}

test('orders events of one aggregate by when they were written, not by their number', async () => {
  const { token } = acme.owner
  const client = await openedLive(service, `${acme.path}/live/stream`, { token })
  const aggregateId = randomUUID()
  const finish = await beginEarly({ aggregateId, targetState: 'second' })
  const other = await beginEarly({ aggregateId: randomUUID(), targetState: 'elsewhere' })
  const first = await writeEvent(service, acme.id, { aggregateId, targetState: 'first' })
  const second = await finish()
  const third = await writeEvent(service, acme.id, { aggregateId, targetState: 'third' })
  await other()
  const told = (await client.received(4)).filter((id) => [first, second, third].includes(id))
  expect(told).toEqual([first, second, third])
  const { body } = await readSettled(service, acme, acme.owner)
  const shown = body.events.filter((event: { aggregateId: string }) => {
    return event.aggregateId === aggregateId
  })
  expect(shown.map(({ targetState }: { targetState: string }) => targetState)).toEqual([
    'third',
    'second',
    'first',
  ])
  client.close()
})

test('does not admit a stream whose client has already left', async () => {
  const admitted: unknown[] = []
  const hub = {
    start: async () => ({ position: { transactionId: 0n, seq: 0 } }),
    admit: (stream: unknown) => admitted.push(stream),
    claim: async () => {},
    release: async () => {},
  } as unknown as Hub
  const outlet = (isOpen: boolean) => ({ isOpen, write() {}, end() {}, drained: async () => {} })
  const viewer = {
    scope: { realm: 'consumer', organizationId: acme.id } as const,
    accountId: acme.owner.accountId,
    seesAll: true,
  }
  const request = { viewer, cursor: undefined, expiresAtSeconds: Number.POSITIVE_INFINITY }
  await openStream(service.ctx, hub, { ...request, openOutlet: () => outlet(false) })
  expect(admitted).toEqual([])
})
