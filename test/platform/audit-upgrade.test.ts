/** Audit trails of an earlier version continue under this one, with both versions writing. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '#journal/actor.ts'
import { verifyAudit } from '#journal/audit.ts'
import { recordChange } from '#journal/journal.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { openDatabase } from '#platform/database/database.ts'
import { migrate } from '#platform/database/migrate.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { createDatabaseBefore } from '#test/support/earlier-version.ts'

const DIGESTS = '0031_audit_digests.sql'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabaseBefore(DIGESTS)
})
afterAll(() => database.drop())

test('old events verify beside new ones and have no recording time', async () => {
  const db = openDatabase({ url: database.url, poolSize: 1 })
  const observerDb = openDatabase({ url: database.url, poolSize: 1, as: 'observer' })
  // The earlier version's statement, with a valid digest.
  const record = (n: number) =>
    db.transaction({}, (tx) =>
      recordChange({ clock: systemClock, ids: createIds() }, tx, {
        organizationId: null,
        actor: SYSTEM,
        action: 'service.changed',
        aggregateType: 'service',
        aggregateId: 'service',
        data: { n },
      }),
    )
  try {
    await record(1)
    expect(await migrate({ url: database.url })).toContain(DIGESTS)
    await record(2)
    const { events, problems } = await observerDb.transaction({}, (tx) => verifyAudit(tx.query))
    expect({ events, problems }).toEqual({ events: 2, problems: [] })
    const times = sql`select recorded_at is not null as "isTimed" from audit_events order by seq`
    expect(await observerDb.query(times)).toEqual([{ isTimed: false }, { isTimed: true }])
  } finally {
    await Promise.all([db.close(), observerDb.close()])
  }
})
